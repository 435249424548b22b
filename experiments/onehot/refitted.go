package onehot

import (
	"github.com/pkg/errors"
	"gonum.org/v1/gonum/floats"
)

// Refitted is logistic or softmax regression that keeps all rows and now and then is fitted to all of them anew, from the weights of the
// last fit. It minimises the sum of the log losses and ½‖w‖²/C with C = 1, as scikit-learn does by default; the bias is free. A
// practitioner with enough memory and time does the same.
type Refitted struct {
	table *Table
	every int
	state refittedState

	logits, p []float64
	newton    *newton // allocated by the first fit
}

type refittedState struct {
	Weights []float64 // [inputs, outputs]
	Past    []int32   // rows
	Since   int       // calls of Learn since the last fit
	Fitted  bool
}

// NewRefitted returns a model without rows. It is fitted at the first call of Learn, and again whenever every calls have passed.
func NewRefitted(t *Table, every int) *Refitted {
	n := t.outputs()
	return &Refitted{table: t, every: every, state: refittedState{Weights: make([]float64, t.Inputs()*n)}, logits: make([]float64, n), p: make([]float64, t.Classes)}
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

// classes fills in the probabilities of a row's classes.
func (r *Refitted) classes(w []float64, row int32) {
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

// Predict appends the log probability of every class of each row, [rows, classes] in nats.
func (r *Refitted) Predict(dst []float32, rows []int32) []float32 {
	for _, row := range rows {
		r.classes(r.state.Weights, row)
		dst = appendLogs(dst, r.p)
	}
	return dst
}

// MarshalBinary returns weights and rows.
func (r *Refitted) MarshalBinary() ([]byte, error) { return encode(r.state) }

// UnmarshalBinary replaces weights and rows. It changes nothing and returns an error if they are not of this table.
func (r *Refitted) UnmarshalBinary(content []byte) error {
	var s refittedState
	if err := decode(content, &s); err != nil {
		return err
	}
	if len(s.Weights) != len(r.state.Weights) {
		return errors.Errorf("%d weights; this classifier has %d", len(s.Weights), len(r.state.Weights))
	}
	for _, row := range s.Past {
		if row < 0 || int(row) >= len(r.table.Labels) {
			return errors.Errorf("row %d; the table has %d", row, len(r.table.Labels))
		}
	}
	r.state = s
	return nil
}
