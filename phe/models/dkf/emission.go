package dkf

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe/count"
	"gophe/phe/learn/likelihood"
)

// emission returns the outputs of p(y_i | z_i, E, x_i) for the events of w, [runs, events, samples·rows, outputs].
func (m *Model) emission(l layers, w windows, z *Node) *Node {
	return l.emission.apply(Concatenate([]*Node{w.embeddings, z, w.numbers}, -1))
}

// distribution returns the likelihood of a count. With Histogram, a target is the cell of the count. The likelihood within a cell is left
// out, since no parameter changes it.
func (m *Model) distribution() likelihood.Distribution {
	switch m.Filter.Likelihood {
	case Histogram:
		return likelihood.Categorical(m.Cells.Len())
	case NegativeBinomial:
		return likelihood.NegativeBinomial()
	}
	return likelihood.Poisson()
}

// Forecast returns the distribution of a window's last count from its numbers in [learn.Predictions].
func (m *Model) Forecast(values []float32) count.Distribution {
	switch m.Filter.Likelihood {
	case Histogram:
		p := make([]float64, len(values))
		total := 0.0
		for i, v := range values {
			p[i] = math.Exp(float64(v))
			total += p[i]
		}
		for i := range p {
			p[i] /= total // float32 logarithms add up to 1 ± 1e-6
		}
		return count.Histogram(m.Cells, p)
	case NegativeBinomial:
		var means, dispersions []float64
		for i := 0; i < len(values); i += 2 {
			means = append(means, math.Exp(float64(values[i])))
			dispersions = append(dispersions, math.Exp(float64(values[i+1])))
		}
		return count.NegativeBinomial(means, dispersions)
	}
	var rates []float64
	for _, v := range values {
		rates = append(rates, math.Exp(float64(v)))
	}
	return count.Poisson(rates...)
}
