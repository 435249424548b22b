// Package likelihood holds the likelihoods of targets that models can learn, as graphs: a class, a number or a count. A [Distribution]
// scores a target under a network's outputs. Choose one for a [gophe/phe/learn.Network], or fill in a Distribution of your own.
package likelihood

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
)

// Distribution is a likelihood of targets. Its functions read a network's outputs, [samples, n, outputs], and targets, [n]. Both are
// float32.
type Distribution struct {
	Outputs int // number of outputs for each record
	// LogProb returns log p(target) in nats, [samples, n].
	LogProb func(outputs, targets *Node) *Node
	// Forecast returns numbers that describe the predictive distribution of each record, [n, width]. weights are the weights of the
	// samples; nil means equal weights.
	Forecast func(outputs *Node, weights []float64) *Node
}

// Bernoulli is the distribution of a class 0 or 1. Its output is the logit of class 1, and its forecast the log probabilities of both
// classes.
func Bernoulli() Distribution {
	return Distribution{Outputs: 1,
		LogProb: func(outputs, targets *Node) *Node { return logBernoulli(Squeeze(outputs, -1), InsertAxes(targets, 0)) },
		Forecast: func(outputs *Node, weights []float64) *Node {
			z := Squeeze(outputs, -1)
			average := func(y *Node) *Node { return phe.LogAverage.Reduce(logBernoulli(z, y), weights) }
			return Stack([]*Node{average(ZerosLike(z)), average(OnesLike(z))}, -1)
		}}
}

// Categorical is the distribution of a class 0 … classes−1. Its outputs are logits, and its forecast the log probability of each class.
func Categorical(classes int) Distribution {
	return Distribution{Outputs: classes,
		LogProb: func(outputs, targets *Node) *Node {
			hit := OneHot(ConvertDType(targets, dtypes.Int32), classes, outputs.DType())
			return ReduceSum(Mul(LogSoftmax(outputs, -1), InsertAxes(hit, 0)), -1)
		},
		Forecast: func(outputs *Node, weights []float64) *Node {
			return phe.LogAverage.Reduce(LogSoftmax(outputs, -1), weights)
		}}
}

// Gaussian is the distribution of a number whose mean is the output. stdDev is a constant in the units of the number. Its forecast is the
// mean under each sample.
func Gaussian(stdDev float64) Distribution {
	return Distribution{Outputs: 1,
		LogProb: func(outputs, targets *Node) *Node {
			z := MulScalar(Sub(InsertAxes(targets, 0), Squeeze(outputs, -1)), 1/stdDev)
			return AddScalar(MulScalar(Square(z), -0.5), -math.Log(stdDev)-0.5*math.Log(2*math.Pi))
		},
		Forecast: bySample}
}

// Poisson is the distribution of a count whose log rate is the output. It leaves out log y!, which no parameter changes. Its forecast is
// the log rate under each sample.
func Poisson() Distribution {
	return Distribution{Outputs: 1,
		LogProb: func(outputs, targets *Node) *Node {
			logRate := Squeeze(outputs, -1)
			return Sub(Mul(InsertAxes(targets, 0), logRate), Exp(logRate))
		},
		Forecast: bySample}
}

// NegativeBinomial is the distribution of a count with variance mean + mean²/k. Its outputs are the logarithms of the mean and of the
// dispersion k. Its forecast is both outputs under each sample. A dispersion above e^15 counts as e^15, where the distribution equals
// Poisson's in float32.
func NegativeBinomial() Distribution {
	return Distribution{Outputs: 2,
		LogProb: func(outputs, targets *Node) *Node {
			at := func(i int) *Node { return Squeeze(Slice(outputs, AxisRange(), AxisRange(), AxisElem(i)), -1) }
			mean := at(0)
			return logNegativeBinomial(mean, at(1), BroadcastToDims(InsertAxes(targets, 0), mean.Shape().Dimensions...))
		},
		Forecast: bySample}
}

// bySample puts a record's outputs under all samples side by side: [samples, n, outputs] → [n, samples·outputs].
func bySample(outputs *Node, _ []float64) *Node {
	n := outputs.Shape().Dimensions[1]
	return Reshape(TransposeAllAxes(outputs, 1, 0, 2), n, -1)
}
