package dkf

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/count"
)

// emission describes p(y_i | z_i, E, x_i) of the events of w: outputs [runs, events, samples·rows, outputs].
func (m network) emission(l layers, w windows, z *Node) *Node {
	return l.emission.apply(Concatenate([]*Node{w.embeddings, z, w.numbers}, -1))
}

// likelihoodOf targets, [runs, events, samples, rows], under outputs, [runs, events, samples, rows, outputs]: log p in
// nats. What no parameter changes is left out: y! with Poisson, the law within a cell with PackSizes.
func (m network) likelihoodOf(outputs, targets *Node) *Node {
	switch m.Likelihood {
	case PackSizes:
		hit := OneHot(ConvertDType(targets, dtypes.Int32), m.outputs(), outputs.DType())
		return ReduceSum(Mul(LogSoftmax(outputs, -1), hit), -1)
	case NegativeBinomial:
		at := func(i int) *Node {
			return Squeeze(Slice(outputs, AxisRange(), AxisRange(), AxisRange(), AxisRange(), AxisElem(i)), -1)
		}
		return phe.NegativeBinomialLogLikelihood(at(0), at(1), targets)
	}
	return phe.PoissonLogLikelihood(Squeeze(outputs, -1), targets)
}

// Distribution reads one window's prediction under [Config].Likelihood: the values of one row of a learner's Predict.
func (f Filter) Distribution(values []float32) count.Distribution {
	switch f.Likelihood {
	case PackSizes:
		p := make([]float64, len(values))
		total := 0.0
		for i, v := range values {
			p[i] = math.Exp(float64(v))
			total += p[i]
		}
		for i := range p {
			p[i] /= total // float32 logarithms add up to 1 ± 1e-6
		}
		return count.Histogram{Cells: count.PackSizes(), P: p}
	case NegativeBinomial:
		var d count.NegativeBinomialMixture
		for i := 0; i < len(values); i += 2 {
			d.Means = append(d.Means, math.Exp(float64(values[i])))
			d.Dispersions = append(d.Dispersions, math.Exp(float64(values[i+1])))
		}
		return d
	}
	var d count.PoissonMixture
	for _, v := range values {
		d.Rates = append(d.Rates, math.Exp(float64(v)))
	}
	return d
}
