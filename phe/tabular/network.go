package tabular

import (
	"encoding/json"
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe/learn"
	"gophe/phe/likelihood"
)

// The names of θ and of the inputs.
const (
	head, numbersHead, bias = "head of embeddings", "head of numbers", "bias"
	numbers                 = "numbers"
)

// NumColumns returns the number of categorical columns.
func (m *Model) NumColumns() int { return len(m.Config.Columns) }

// Weights describes the weights of the head. They start as PyTorch's Linear does.
func (m *Model) Weights() []learn.Weight {
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

// Inputs describes the numeric columns.
func (m *Model) Inputs() []learn.InputSpec {
	return []learn.InputSpec{{Name: numbers, DType: dtypes.Float32, Dims: []int{m.width()}}}
}

// Likelihood returns the law of the class.
func (m *Model) Likelihood() likelihood.Law {
	if m.outputs() == 1 {
		return likelihood.Bernoulli{}
	}
	return likelihood.Categorical{Classes: m.Classes}
}

// Outputs returns the logits, which are linear in embeddings and numbers.
func (m *Model) Outputs(p learn.Pass) learn.Outputs {
	w := p.Weights
	base := Add(Einsum("rnf,rfo->rno", p.Inputs[numbers], w[1]), InsertAxes(w[2], 1)) // [runs, records, outputs]
	return learn.Outputs{Parameters: p.Linear(w[0], base), Targets: Reshape(p.Targets, -1)}
}

// MarshalJSON returns the sizes by which a file tells this model from others.
func (m *Model) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"model": "tabular", "columns": m.Config.Columns, "numbers": m.Numbers, "classes": m.Classes})
}
