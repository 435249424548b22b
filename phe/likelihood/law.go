// Package likelihood holds the laws of targets that models can learn, as graphs: a class, a number or a count. A [Law] scores a
// target under a network's outputs. The functions Log… are the same log-likelihoods for graphs without a [Law].
package likelihood

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
)

// Law is the law of a target, given a network's outputs [samples, n, outputs] and targets [n], both float32.
type Law interface {
	Outputs() int
	// LogProb is log p(target), [samples, n] in nats.
	LogProb(outputs, targets *Node) *Node
	// Curvature is the gradient of −LogProb by the outputs, [samples, n, outputs], and the expectation of its second derivative
	// under the law (Fisher's information), [samples, n, outputs, outputs]: what closed-form updates need.
	Curvature(outputs, targets *Node) (gradient, information *Node)
	// Forecast describes the predictive law of each record, [n, width]. weights are the samples', nil where all weigh the same.
	Forecast(outputs *Node, weights []float64) *Node
}

// Bernoulli is the law of a class 0 or 1; the output is the logit of class 1. It forecasts the log probabilities of both, in nats.
type Bernoulli struct{}

func (Bernoulli) Outputs() int { return 1 }

func (Bernoulli) LogProb(outputs, targets *Node) *Node {
	return LogBernoulli(Squeeze(outputs, -1), InsertAxes(targets, 0))
}

func (Bernoulli) Curvature(outputs, targets *Node) (gradient, information *Node) {
	p := Sigmoid(outputs)
	return Sub(p, InsertAxes(targets, 0, -1)), InsertAxes(Mul(p, OneMinus(p)), -1)
}

func (Bernoulli) Forecast(outputs *Node, weights []float64) *Node {
	z := Squeeze(outputs, -1)
	one, zero := OnesLike(z), ZerosLike(z)
	return Stack([]*Node{phe.LogMeanExp(LogBernoulli(z, zero), weights),
		phe.LogMeanExp(LogBernoulli(z, one), weights)}, -1)
}

// Categorical is the law of a class 0 … Classes−1; outputs are logits. It forecasts the log probability of each class, in nats.
type Categorical struct{ Classes int }

func (c Categorical) Outputs() int { return c.Classes }

func (Categorical) LogProb(outputs, targets *Node) *Node {
	return LogCategorical(outputs, ConvertDType(targets, dtypes.Int32))
}

func (c Categorical) Curvature(outputs, targets *Node) (gradient, information *Node) {
	p := Softmax(outputs, -1)
	hit := InsertAxes(OneHot(ConvertDType(targets, dtypes.Int32), c.Classes, p.DType()), 0)
	own := Mul(InsertAxes(p, -1), Reshape(OneHot(Iota(p.Graph(), shapes.Make(dtypes.Int32, c.Classes), 0), c.Classes, p.DType()), 1, 1, c.Classes, c.Classes))
	return Sub(p, hit), Sub(own, Mul(InsertAxes(p, -1), InsertAxes(p, -2)))
}

func (Categorical) Forecast(outputs *Node, weights []float64) *Node {
	return phe.LogMeanExp(LogSoftmax(outputs, -1), weights)
}

// Gaussian is the law of a number with the output as its mean. It forecasts the mean under every sample.
type Gaussian struct{ StdDev float64 }

func (Gaussian) Outputs() int { return 1 }

func (g Gaussian) LogProb(outputs, targets *Node) *Node {
	return LogGaussian(Squeeze(outputs, -1), InsertAxes(targets, 0), g.StdDev)
}

func (g Gaussian) Curvature(outputs, targets *Node) (gradient, information *Node) {
	precision := 1 / (g.StdDev * g.StdDev)
	return MulScalar(Sub(outputs, InsertAxes(targets, 0, -1)), precision), InsertAxes(AddScalar(ZerosLike(outputs), precision), -1)
}

func (Gaussian) Forecast(outputs *Node, _ []float64) *Node { return bySample(outputs) }

// Poisson is the law of a count of rate e^output, less log y!, which no parameter changes. It forecasts the logarithm of the rate
// under every sample.
type Poisson struct{}

func (Poisson) Outputs() int { return 1 }

func (Poisson) LogProb(outputs, targets *Node) *Node {
	return LogPoisson(Squeeze(outputs, -1), InsertAxes(targets, 0))
}

func (Poisson) Curvature(outputs, targets *Node) (gradient, information *Node) {
	rate := Exp(outputs)
	return Sub(rate, InsertAxes(targets, 0, -1)), InsertAxes(rate, -1)
}

func (Poisson) Forecast(outputs *Node, _ []float64) *Node { return bySample(outputs) }

// NegativeBinomial is the law of a count whose outputs are the logarithms of its mean and of its dispersion k; the variance is
// mean + mean²/k. It forecasts both under every sample.
type NegativeBinomial struct{}

func (NegativeBinomial) Outputs() int { return 2 }

func (NegativeBinomial) LogProb(outputs, targets *Node) *Node {
	at := func(i int) *Node { return Squeeze(Slice(outputs, AxisRange(), AxisRange(), AxisElem(i)), -1) }
	mean := at(0)
	return LogNegativeBinomial(mean, at(1), BroadcastToDims(InsertAxes(targets, 0), mean.Shape().Dimensions...))
}

// Curvature holds the dispersion fixed: its information has no closed form.
func (NegativeBinomial) Curvature(outputs, targets *Node) (gradient, information *Node) {
	at := func(i int) *Node { return Slice(outputs, AxisRange(), AxisRange(), AxisElem(i)) }
	mean, k := Exp(at(0)), Exp(at(1))
	share := Div(k, Add(k, mean))
	byMean := Mul(share, Sub(mean, InsertAxes(targets, 0, -1)))
	zero := ZerosLike(byMean)
	row := Concatenate([]*Node{Mul(share, mean), zero}, -1)
	return Concatenate([]*Node{byMean, zero}, -1), Stack([]*Node{row, ZerosLike(row)}, -2)
}

func (NegativeBinomial) Forecast(outputs *Node, _ []float64) *Node { return bySample(outputs) }

// bySample lays out what each sample says of a record: [samples, n, outputs] → [n, samples·outputs].
func bySample(outputs *Node) *Node {
	n := outputs.Shape().Dimensions[1]
	return Reshape(TransposeAllAxes(outputs, 1, 0, 2), n, -1)
}
