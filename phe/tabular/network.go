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

// NumColumns is the number of categorical columns.
func (m *Model) NumColumns() int { return len(m.Config.Columns) }

// Weights of the head, as PyTorch's Linear starts.
func (m *Model) Weights() []learn.Weight {
	fanIn := len(m.Config.Columns)*m.Encoder.EmbeddingDim + m.Numbers
	limit, outputs := 1/math.Sqrt(float64(fanIn)), m.outputs()
	return []learn.Weight{
		{Name: head, Dims: []int{len(m.Config.Columns), m.Encoder.EmbeddingDim, outputs}, Limit: limit},
		{Name: numbersHead, Dims: []int{m.width(), outputs}, Limit: limit},
		{Name: bias, Dims: []int{outputs}, Limit: limit},
	}
}

// width of the input of numbers. Where there are none, a column of zeros changes nothing, and the pure-Go backend cannot multiply
// by no columns.
func (m *Model) width() int { return max(1, m.Numbers) }

// Inputs are the numeric columns.
func (m *Model) Inputs() []learn.InputSpec {
	return []learn.InputSpec{{Name: numbers, DType: dtypes.Float32, Dims: []int{m.width()}}}
}

// Likelihood is of the class.
func (m *Model) Likelihood() likelihood.Law {
	if m.outputs() == 1 {
		return likelihood.Bernoulli{}
	}
	return likelihood.Categorical{Classes: m.Classes}
}

// Outputs are the logits, linear in embeddings and numbers.
func (m *Model) Outputs(p learn.Pass) learn.Outputs {
	w := p.Weights
	base := Add(Einsum("rnf,rfo->rno", p.Inputs[numbers], w[1]), InsertAxes(w[2], 1)) // [runs, records, outputs]
	return learn.Outputs{Parameters: p.Linear(w[0], base), Targets: Reshape(p.Targets, -1)}
}

// MarshalJSON tells the model's sizes from those of others.
func (m *Model) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"model": "tabular", "columns": m.Config.Columns, "numbers": m.Numbers, "classes": m.Classes})
}
