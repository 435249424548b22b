package dkf

import (
	"math"
	"slices"

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

// Forecast returns the distribution of a window's last count from its numbers in [learn.Predictions], which are logarithms.
func (m *Model) Forecast(values []float32) count.Distribution {
	p, total := make([]float64, len(values)), 0.0
	for i, v := range values {
		p[i] = math.Exp(float64(v))
		total += p[i]
	}
	switch m.Filter.Likelihood {
	case Histogram:
		for i := range p {
			p[i] /= total // float32 logarithms add up to 1 ± 1e-6
		}
		return count.Histogram(m.Cells, p)
	case NegativeBinomial:
		var means, dispersions []float64
		for pair := range slices.Chunk(p, 2) {
			means, dispersions = append(means, pair[0]), append(dispersions, pair[1])
		}
		return count.NegativeBinomial(means, dispersions)
	}
	return count.Poisson(p...)
}
