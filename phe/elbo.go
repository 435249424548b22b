package phe

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/pkg/errors"
)

// Loss says what is done with the likelihoods of one row under several samples of the posterior.
type Loss string

const (
	// Expected averages the log-likelihoods: the ELBO's data term (Eqs. 2 and 3), the paper's.
	Expected Loss = "expected"
	// LogAverage is the log of the averaged likelihood: the authors' program. It bounds the evidence more tightly with
	// more samples, and then learns worse: it is paid for posterior spread.
	LogAverage Loss = "log-average"
)

// Validate tells an unknown loss from a known one.
func (l Loss) Validate() error {
	if l != Expected && l != LogAverage {
		return errors.Errorf("loss is %q; choose %q (paper, Eq. 2) or %q (the authors' program)", l, Expected, LogAverage)
	}
	return nil
}

// Reduce turns log-likelihoods [samples, batch] into each row's data term, [batch]. weights are the samples', or nil
// where all weigh the same.
func (l Loss) Reduce(logLikelihoods *Node, weights []float64) *Node {
	if l == LogAverage {
		return LogMeanExp(logLikelihoods, weights)
	}
	if weights == nil {
		return ReduceMean(logLikelihoods, 0)
	}
	return ReduceSum(Mul(logLikelihoods, weightColumn(logLikelihoods, weights)), 0)
}

// LogMeanExp is log Σ_s w_s·exp(x_s) over the samples axis of x, [samples, batch]; with nil weights, of the plain mean.
// It is the log predictive probability when x is the log-likelihood.
func LogMeanExp(x *Node, weights []float64) *Node {
	if x.Shape().Dimensions[0] == 1 {
		return Squeeze(x, 0)
	}
	top := StopGradient(ReduceMax(x, 0))
	shifted := Exp(Sub(x, InsertAxes(top, 0)))
	if weights != nil {
		shifted = Mul(shifted, weightColumn(x, weights))
		return Add(top, Log(ReduceSum(shifted, 0)))
	}
	return AddScalar(Add(top, Log(ReduceSum(shifted, 0))), -math.Log(float64(x.Shape().Dimensions[0])))
}

// Floored is log(exp(x) + floor): what it costs to be wrong is bounded, and a row given up on has no gradient. A floor of 0
// changes nothing.
func Floored(x *Node, floor float64) *Node {
	if floor == 0 {
		return x
	}
	low := Scalar(x.Graph(), x.DType(), math.Log(floor))
	top := StopGradient(Max(x, low))
	return Add(top, Log(Add(Exp(Sub(x, top)), Exp(Sub(low, top)))))
}

func weightColumn(x *Node, weights []float64) *Node {
	column := make([]float32, len(weights))
	for i, w := range weights {
		column[i] = float32(w)
	}
	return InsertAxes(Const(x.Graph(), column), -1)
}

// NegativeELBO is what a training step minimises, in nats, summed over the runs (Eqs. 2, 3, 28, 29):
//
//	−numRows · mean over the batch of dataTerm + klWeight · kl.
//
// dataTerm is [runs, batch], mask [runs, batch] is 1 where a row counts and 0 where it pads, numRows is a scalar: the
// rows of the whole training set that the batch stands for.
func NegativeELBO(dataTerm, mask, numRows, kl *Node, klWeight float64) *Node {
	mean := Div(ReduceSum(Mul(dataTerm, mask), -1), ReduceSum(mask, -1))
	logLikelihood := Mul(ReduceAllSum(mean), numRows)
	return Sub(MulScalar(kl, klWeight), logLikelihood)
}
