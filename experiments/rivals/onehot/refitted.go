package onehot

import (
	"math"
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Refitted is logistic or softmax regression that keeps all rows and now and then is fitted to all of them anew, from the weights of the
// last fit. It minimises the sum of the log losses and ½‖w‖²/C with C = 1, as scikit-learn does by default; the bias is free. A
// practitioner with enough memory and time does the same.
type Refitted struct {
	model[refittedState]
	every  int
	logits []float64
	newton *newton // allocated by the first fit
}

type refittedState struct {
	Weights []float64 // [inputs, outputs]
	Past    []int32   // rows
	Since   int       // calls of Learn since the last fit
	Fitted  bool
}

func (s refittedState) fits(t *Table) error {
	if n := t.numInputs() * t.outputs(); len(s.Weights) != n {
		return errors.Errorf("%d weights; this classifier has %d", len(s.Weights), n)
	}
	for _, row := range s.Past {
		if row < 0 || int(row) >= len(t.Labels) {
			return errors.Errorf("row %d; the table has %d", row, len(t.Labels))
		}
	}
	return nil
}

// NewRefitted returns a model without rows. It is fitted at the first call of Learn, and again whenever every calls have passed.
func NewRefitted(t *Table, every int) *Refitted {
	n := t.outputs()
	r := &Refitted{newModel(t, refittedState{Weights: make([]float64, t.numInputs()*n)}), every, make([]float64, n), nil}
	r.classes = func(row int32) { r.fill(r.state.Weights, row) }
	return r
}

// Learn keeps rows, and fits the weights where it is time.
func (r *Refitted) Learn(rows []int32) error {
	r.state.Past = append(r.state.Past, rows...)
	r.state.Since++
	if r.state.Fitted && r.state.Since < r.every {
		return nil
	}
	r.state.Since, r.state.Fitted = 0, true
	if r.newton == nil {
		r.newton = newNewton(r)
	}
	return r.newton.fit()
}

// fill fills in the probabilities of a row's classes by some weights.
func (r *Refitted) fill(w []float64, row int32) {
	t, n := r.table, r.table.outputs()
	copy(r.logits, w[len(w)-n:])
	for _, item := range t.items(row) {
		floats.Add(r.logits, w[int(item)*n:(int(item)+1)*n])
	}
	for i, x := range t.numbers(row) {
		floats.AddScaled(r.logits, x, w[(t.Items+i)*n:(t.Items+i+1)*n])
	}
	probabilities(r.p, r.logits)
}

// Weight returns the absolute weight of an item: the largest over the logits. Weights of several logits are less their mean, because
// a softmax does not see a number that all logits share.
func (r *Refitted) Weight(item int) float64 {
	n := r.table.outputs()
	weights := slices.Clone(r.state.Weights[item*n : (item+1)*n])
	if n > 1 {
		floats.AddConst(-stat.Mean(weights, nil), weights)
	}
	return floats.Norm(weights, math.Inf(1))
}
