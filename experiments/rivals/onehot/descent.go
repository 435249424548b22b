package onehot

import (
	"math"

	"github.com/pkg/errors"
)

// descent is logistic or softmax regression that takes a gradient step for each row. The length of a step adapts to each weight: by
// the diagonal method of Duchi, Hazan and Singer (Adagrad, JMLR 2011), or by FTRL-Proximal of McMahan et al., Ad Click Prediction: a View
// from the Trenches (KDD 2013), Algorithm 1, with β = 1 and without regularisation. Production systems learn click rates like this.
// Each weight has two numbers.
type descent struct {
	model[descentState]
	adagrad  bool // else FTRL-Proximal
	rate     float64
	residual []float64 // of the row under way
}

// descentState holds the weights of Adagrad, or z of FTRL-Proximal, and the sums of squared gradients, [inputs, outputs].
type descentState struct{ First, Squares []float64 }

func (s descentState) fits(t *Table) error {
	if n := t.numInputs() * t.outputs(); len(s.First) != n || len(s.Squares) != n {
		return errors.Errorf("%d weights and %d sums; this classifier has %d of each", len(s.First), len(s.Squares), n)
	}
	return nil
}

// newDescent returns a regression whose weights are 0. rate is α, the learning rate of all weights.
func newDescent(t *Table, adagrad bool, rate float64) *descent {
	n := t.numInputs() * t.outputs()
	d := &descent{newModel(t, descentState{make([]float64, n), make([]float64, n)}), adagrad, rate, make([]float64, t.outputs())}
	d.classes = d.fill
	return d
}

// weight returns weight i.
func (d *descent) weight(i int) float64 {
	if d.adagrad {
		return d.state.First[i]
	}
	return -d.state.First[i] * d.rate / (1 + math.Sqrt(d.state.Squares[i]))
}

// move takes a step against the gradient of weight i.
func (d *descent) move(i int, gradient float64) {
	before := d.state.Squares[i]
	after := before + gradient*gradient
	if after == before {
		return
	}
	if d.adagrad {
		d.state.First[i] -= d.rate * gradient / math.Sqrt(after)
	} else {
		sigma := (math.Sqrt(after) - math.Sqrt(before)) / d.rate
		d.state.First[i] += gradient - sigma*d.weight(i)
	}
	d.state.Squares[i] = after
}

// fill fills in the probabilities of a row's classes.
func (d *descent) fill(row int32) {
	logits, n := d.residual, d.table.outputs() // reused
	for o := range logits {
		logits[o] = 0
		for i, x := range d.table.inputs(row) {
			logits[o] += d.weight(i*n+o) * x
		}
	}
	probabilities(d.p, logits)
}

// Learn takes a step for each row, in the order of the rows.
func (d *descent) Learn(rows []int32) error {
	n := d.table.outputs()
	for _, row := range rows {
		d.fill(row)
		residuals(d.residual, d.p, d.table.Labels[row])
		for o, residual := range d.residual {
			for i, x := range d.table.inputs(row) {
				d.move(i*n+o, residual*x)
			}
		}
	}
	return nil
}
