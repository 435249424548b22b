// Package likelihood holds the laws of targets that models can learn, as graphs: a class, a number or a count. A [Law] scores a
// target under a network's outputs. The functions Log… are the same log-likelihoods for graphs without a [Law].
package likelihood

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
)

// Law is a likelihood of targets. It reads a network's outputs, [samples, n, outputs], and targets, [n]. Both are float32.
type Law interface {
	// Outputs returns the number of outputs that the law reads for each record.
	Outputs() int
	// LogProb returns log p(target) in nats, [samples, n].
	LogProb(outputs, targets *Node) *Node
	// Curvature returns the derivatives of −LogProb that closed-form updates need: the gradient by the outputs, [samples, n, outputs],
	// and Fisher's information, [samples, n, outputs, outputs]. Fisher's information is the second derivative's expectation under the
	// law.
	Curvature(outputs, targets *Node) (gradient, information *Node)
	// Forecast returns numbers that describe the predictive law of each record, [n, width]. weights are the weights of the samples; nil
	// means equal weights.
	Forecast(outputs *Node, weights []float64) *Node
}

// Bernoulli is the law of a class 0 or 1. Its output is the logit of class 1.
type Bernoulli struct{}

// Outputs returns one: the logit of class 1.
func (Bernoulli) Outputs() int { return 1 }

// LogProb returns log p(target) in nats, [samples, n].
func (Bernoulli) LogProb(outputs, targets *Node) *Node {
	return LogBernoulli(Squeeze(outputs, -1), InsertAxes(targets, 0))
}

// Curvature returns the gradient and the information of −LogProb.
func (Bernoulli) Curvature(outputs, targets *Node) (gradient, information *Node) {
	p := Sigmoid(outputs)
	return Sub(p, InsertAxes(targets, 0, -1)), InsertAxes(Mul(p, OneMinus(p)), -1)
}

// Forecast returns the log probabilities of both classes, in nats, [n, 2].
func (Bernoulli) Forecast(outputs *Node, weights []float64) *Node {
	z := Squeeze(outputs, -1)
	one, zero := OnesLike(z), ZerosLike(z)
	return Stack([]*Node{phe.LogMeanExp(LogBernoulli(z, zero), weights),
		phe.LogMeanExp(LogBernoulli(z, one), weights)}, -1)
}

// Categorical is the law of a class 0 … Classes−1. Its outputs are logits.
type Categorical struct{ Classes int }

// Outputs returns the number of classes.
func (c Categorical) Outputs() int { return c.Classes }

// LogProb returns log p(target) in nats, [samples, n].
func (Categorical) LogProb(outputs, targets *Node) *Node {
	return LogCategorical(outputs, ConvertDType(targets, dtypes.Int32))
}

// Curvature returns the gradient and the information of −LogProb.
func (c Categorical) Curvature(outputs, targets *Node) (gradient, information *Node) {
	p := Softmax(outputs, -1)
	hit := InsertAxes(OneHot(ConvertDType(targets, dtypes.Int32), c.Classes, p.DType()), 0)
	own := Mul(InsertAxes(p, -1), Reshape(OneHot(Iota(p.Graph(), shapes.Make(dtypes.Int32, c.Classes), 0), c.Classes, p.DType()), 1, 1, c.Classes, c.Classes))
	return Sub(p, hit), Sub(own, Mul(InsertAxes(p, -1), InsertAxes(p, -2)))
}

// Forecast returns the log probability of each class in nats, [n, classes].
func (Categorical) Forecast(outputs *Node, weights []float64) *Node {
	return phe.LogMeanExp(LogSoftmax(outputs, -1), weights)
}

// Gaussian is the law of a number whose mean is the output.
type Gaussian struct{ StdDev float64 }

// Outputs returns one: the mean.
func (Gaussian) Outputs() int { return 1 }

// LogProb returns log p(target) in nats, [samples, n].
func (g Gaussian) LogProb(outputs, targets *Node) *Node {
	return LogGaussian(Squeeze(outputs, -1), InsertAxes(targets, 0), g.StdDev)
}

// Curvature returns the gradient and the information of −LogProb.
func (g Gaussian) Curvature(outputs, targets *Node) (gradient, information *Node) {
	precision := 1 / (g.StdDev * g.StdDev)
	return MulScalar(Sub(outputs, InsertAxes(targets, 0, -1)), precision), InsertAxes(AddScalar(ZerosLike(outputs), precision), -1)
}

// Forecast returns the mean under each sample, [n, samples].
func (Gaussian) Forecast(outputs *Node, _ []float64) *Node { return bySample(outputs) }

// Poisson is the law of a count whose log rate is the output. It leaves out log y!, which no parameter changes.
type Poisson struct{}

// Outputs returns one: the log rate.
func (Poisson) Outputs() int { return 1 }

// LogProb returns log p(target) in nats, [samples, n].
func (Poisson) LogProb(outputs, targets *Node) *Node {
	return LogPoisson(Squeeze(outputs, -1), InsertAxes(targets, 0))
}

// Curvature returns the gradient and the information of −LogProb.
func (Poisson) Curvature(outputs, targets *Node) (gradient, information *Node) {
	rate := Exp(outputs)
	return Sub(rate, InsertAxes(targets, 0, -1)), InsertAxes(rate, -1)
}

// Forecast returns the log rate under each sample, [n, samples].
func (Poisson) Forecast(outputs *Node, _ []float64) *Node { return bySample(outputs) }

// NegativeBinomial is the law of a count with variance mean + mean²/k. Its outputs are the logarithms of the mean and of the dispersion
// k.
type NegativeBinomial struct{}

// Outputs returns two: the log mean and the log dispersion.
func (NegativeBinomial) Outputs() int { return 2 }

// LogProb returns log p(target) in nats, [samples, n].
func (NegativeBinomial) LogProb(outputs, targets *Node) *Node {
	at := func(i int) *Node { return Squeeze(Slice(outputs, AxisRange(), AxisRange(), AxisElem(i)), -1) }
	mean := at(0)
	return LogNegativeBinomial(mean, at(1), BroadcastToDims(InsertAxes(targets, 0), mean.Shape().Dimensions...))
}

// Curvature returns the gradient and the information by the log mean. Both are 0 for the dispersion, whose information has no closed
// form.
func (NegativeBinomial) Curvature(outputs, targets *Node) (gradient, information *Node) {
	at := func(i int) *Node { return Slice(outputs, AxisRange(), AxisRange(), AxisElem(i)) }
	mean, k := Exp(at(0)), Exp(at(1))
	share := Div(k, Add(k, mean))
	byMean := Mul(share, Sub(mean, InsertAxes(targets, 0, -1)))
	zero := ZerosLike(byMean)
	row := Concatenate([]*Node{Mul(share, mean), zero}, -1)
	return Concatenate([]*Node{byMean, zero}, -1), Stack([]*Node{row, ZerosLike(row)}, -2)
}

// Forecast returns both outputs under each sample, [n, samples·2].
func (NegativeBinomial) Forecast(outputs *Node, _ []float64) *Node { return bySample(outputs) }

// bySample puts a record's outputs under all samples side by side: [samples, n, outputs] → [n, samples·outputs].
func bySample(outputs *Node) *Node {
	n := outputs.Shape().Dimensions[1]
	return Reshape(TransposeAllAxes(outputs, 1, 0, 2), n, -1)
}
