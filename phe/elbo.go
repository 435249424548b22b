package phe

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe/belief"
)

// Loss says how the likelihoods of a row under several samples of the posterior become one data term.
type Loss string

const (
	// Expected is the mean of the log-likelihoods: the ELBO's data term in the paper (Eqs. 2 and 3).
	Expected Loss = "expected"
	// LogAverage is the log of the mean likelihood, as in the authors' program. A single row's term bounds its log evidence more
	// tightly with more samples. The sum over rows is no bound: it rewards posterior spread, and its maximum can exceed the log
	// evidence, as notebook A shows. With more samples it learns worse.
	LogAverage Loss = "log-average"
)

// Reduce turns log-likelihoods [samples, batch] into the data term of each row, [batch]. weights are the samples'; nil means equal ones.
func (l Loss) Reduce(logLikelihoods *Node, weights []float64) *Node {
	if l == LogAverage {
		return logMeanExp(logLikelihoods, weights)
	}
	if weights == nil {
		return ReduceMean(logLikelihoods, 0)
	}
	return ReduceSum(Mul(logLikelihoods, weightColumn(logLikelihoods, weights)), 0)
}

// logMeanExp returns log Σ_s w_s·exp(x_s) over the samples axis of x, [samples, batch]. Without weights it takes the plain mean. It
// is the log predictive probability if x is the log-likelihood.
func logMeanExp(x *Node, weights []float64) *Node {
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

func weightColumn(x *Node, weights []float64) *Node {
	return InsertAxes(Const(x.Graph(), belief.Converted[float32](weights)), -1)
}

// NegativeELBO returns the objective that a training step minimises, in nats, summed over the runs (Eqs. 2, 3, 28, 29):
//
//	−numRows · mean over the batch of dataTerm + klWeight · kl.
//
// dataTerm is [runs, batch]. mask is [runs, batch], 1 for a row and 0 for padding. numRows is a scalar: the size of the training set.
func NegativeELBO(dataTerm, mask, numRows, kl *Node, klWeight float64) *Node {
	mean := Div(ReduceSum(Mul(dataTerm, mask), -1), ReduceSum(mask, -1))
	logLikelihood := Mul(ReduceAllSum(mean), numRows)
	return Sub(MulScalar(kl, klWeight), logLikelihood)
}
