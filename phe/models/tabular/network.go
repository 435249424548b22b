package tabular

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe/learn"
	"gophe/phe/learn/likelihood"
)

// The names of θ and of the inputs.
const (
	head, numbersHead, bias = "head of embeddings", "head of numbers", "bias"
	numbers                 = "numbers"
)

// network returns the linear layer over embeddings and numbers. Its weights start as PyTorch's Linear does.
func (m *Model) network() learn.Network {
	n := learn.Network{
		Columns: len(m.Config.Columns), Weights: m.weights(), Outputs: outputs, Likelihood: likelihood.Categorical(m.Classes),
		Inputs:   []learn.InputSpec{{Name: numbers, DType: dtypes.Float32, Dims: []int{m.width()}}},
		Identity: map[string]any{"model": "tabular", "columns": m.Config.Columns, "numbers": m.Numbers, "classes": m.Classes},
	}
	if m.outputs() == 1 {
		n.Likelihood = likelihood.Bernoulli()
	}
	return n
}

func (m *Model) weights() []learn.Weight {
	fanIn := len(m.Config.Columns)*m.Encoder.EmbeddingDim + m.Numbers
	limit, outputs := 1/math.Sqrt(float64(fanIn)), m.outputs()
	return []learn.Weight{
		{Name: head, Dims: []int{len(m.Config.Columns), m.Encoder.EmbeddingDim, outputs}, Limit: limit},
		{Name: numbersHead, Dims: []int{m.width(), outputs}, Limit: limit},
		{Name: bias, Dims: []int{outputs}, Limit: limit},
	}
}

// width returns the width of the input of numbers. A table without numbers gets one column of zeros, because the pure-Go backend
// cannot multiply by an empty matrix.
func (m *Model) width() int { return max(1, m.Numbers) }

// outputs returns the logits, which are linear in embeddings and numbers.
func outputs(p learn.Pass) learn.Outputs {
	w := p.Weights
	base := Add(Einsum("rnf,rfo->rno", p.Inputs[numbers], w[1]), InsertAxes(w[2], 1)) // [runs, records, outputs]
	return learn.Outputs{Parameters: p.Linear(w[0], base), Targets: Reshape(p.Targets, -1)}
}
