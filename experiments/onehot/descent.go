package onehot

import (
	"math"

	"github.com/pkg/errors"
)

// Steps is a way to take gradient steps whose lengths adapt to each weight.
type Steps string

// The ways to take steps.
const (
	// FTRL is the FTRL-Proximal algorithm of McMahan et al., Ad Click Prediction: a View from the Trenches (KDD 2013), Algorithm 1, with
	// β = 1 and without regularisation.
	FTRL Steps = "ftrl"
	// Adagrad is the diagonal method of Duchi, Hazan and Singer (JMLR 2011).
	Adagrad Steps = "adagrad"
)

// Descent is logistic or softmax regression that takes a gradient step for each row. Production systems learn click rates like this.
// Each weight has two numbers.
type Descent struct {
	table *Table
	steps Steps
	rate  float64
	state descentState

	p, residual []float64 // of the row under way
}

// descentState holds the weights of Adagrad, or z of FTRL, and the sums of squared gradients, [inputs, outputs].
type descentState struct{ First, Squares []float64 }

// NewDescent returns a regression whose weights are 0. rate is α, the learning rate of all weights.
func NewDescent(t *Table, steps Steps, rate float64) *Descent {
	n := t.outputs()
	return &Descent{table: t, steps: steps, rate: rate, p: make([]float64, t.Classes), residual: make([]float64, n),
		state: descentState{make([]float64, t.Inputs()*n), make([]float64, t.Inputs()*n)}}
}

// weight returns weight i.
func (d *Descent) weight(i int) float64 {
	if d.steps == Adagrad {
		return d.state.First[i]
	}
	return -d.state.First[i] * d.rate / (1 + math.Sqrt(d.state.Squares[i]))
}

// move takes a step against the gradient of weight i.
func (d *Descent) move(i int, gradient float64) {
	before := d.state.Squares[i]
	after := before + gradient*gradient
	if after == before {
		return
	}
	if d.steps == Adagrad {
		d.state.First[i] -= d.rate * gradient / math.Sqrt(after)
	} else {
		sigma := (math.Sqrt(after) - math.Sqrt(before)) / d.rate
		d.state.First[i] += gradient - sigma*d.weight(i)
	}
	d.state.Squares[i] = after
}

// each visits the weights of output o that a row reads, with their inputs.
func (d *Descent) each(row int32, o int, visit func(i int, x float64)) {
	t, n := d.table, d.table.outputs()
	for _, item := range t.items(row) {
		visit(int(item)*n+o, 1)
	}
	for i, x := range t.numbers(row) {
		visit((t.Items+i)*n+o, x)
	}
	visit((t.Inputs()-1)*n+o, 1)
}

// classes fills in the probabilities of a row's classes.
func (d *Descent) classes(row int32) {
	logits := d.residual // reused
	for o := range logits {
		logits[o] = 0
		d.each(row, o, func(i int, x float64) { logits[o] += d.weight(i) * x })
	}
	probabilities(d.p, logits)
}

// Learn takes a step for each row, in the order of the rows.
func (d *Descent) Learn(rows []int32) error {
	for _, row := range rows {
		d.classes(row)
		residuals(d.residual, d.p, d.table.Labels[row])
		for o, residual := range d.residual {
			d.each(row, o, func(i int, x float64) { d.move(i, residual*x) })
		}
	}
	return nil
}

// Predict appends the log probability of every class of each row, [rows, classes] in nats.
func (d *Descent) Predict(dst []float32, rows []int32) []float32 {
	for _, row := range rows {
		d.classes(row)
		dst = appendLogs(dst, d.p)
	}
	return dst
}

// MarshalBinary returns the numbers of all weights.
func (d *Descent) MarshalBinary() ([]byte, error) { return encode(d.state) }

// UnmarshalBinary replaces the numbers of all weights. It changes nothing and returns an error if they are not of this table.
func (d *Descent) UnmarshalBinary(content []byte) error {
	var s descentState
	if err := decode(content, &s); err != nil {
		return err
	}
	if len(s.First) != len(d.state.First) || len(s.Squares) != len(d.state.Squares) {
		return errors.Errorf("%d weights and %d sums; this classifier has %d of each", len(s.First), len(s.Squares), len(d.state.First))
	}
	d.state = s
	return nil
}
