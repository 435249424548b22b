package onehot

import (
	"iter"
	"math"
	"slices"

	"github.com/pkg/errors"
)

// beliefs are independent Gaussian beliefs about the weights of Bayesian probit regression, with the assumed-density update of
// Graepel, Candela, Borchert and Herbrich, Web-Scale Bayesian Click-Through Rate Prediction (ICML 2010), Eqs. 6 to 9. The noise has
// variance 1. Their inputs are 0 or 1; here numbers are inputs too.
type beliefs[F float32 | float64] struct{ Mean, Variance []F }

// NewBeliefs returns beliefs about n weights, each N(0, 1).
func NewBeliefs[F float32 | float64](n int) beliefs[F] {
	return beliefs[F]{make([]F, n), slices.Repeat([]F{1}, n)}
}

// Predict returns the probabilities of the labels −1 and 1 of a row. inputs has the row's weights with their inputs.
func (b beliefs[F]) Predict(inputs iter.Seq2[int, float64]) (negative, positive float64) {
	mean, variance := b.score(inputs)
	t := mean / math.Sqrt(variance)
	return phi(-t), phi(t)
}

// score returns mean and variance of a row's score, noise included.
func (b beliefs[F]) score(inputs iter.Seq2[int, float64]) (mean, variance float64) {
	variance = 1
	for i, x := range inputs {
		mean += x * float64(b.Mean[i])
		variance += x * x * float64(b.Variance[i])
	}
	return mean, variance
}

// Learn learns the label of a row: 1, or −1.
func (b beliefs[F]) Learn(inputs iter.Seq2[int, float64], y float64) {
	mean, variance := b.score(inputs)
	sd := math.Sqrt(variance)
	v, w := corrections(y * mean / sd)
	for i, x := range inputs {
		s := float64(b.Variance[i])
		b.Mean[i] += F(y * x * s / sd * v)
		b.Variance[i] *= F(1 - x*x*s/variance*w)
	}
}

// corrections are v and w of a Gaussian cut off at −t: N(t)/Φ(t), and v(v + t).
func corrections(t float64) (v, w float64) {
	const farOut = -30 // Φ loses its digits beyond
	if t < farOut {
		return -t, 1
	}
	v = math.Exp(-t*t/2) / math.Sqrt(2*math.Pi) / phi(t)
	return v, v * (v + t)
}

// phi is the distribution function of N(0, 1).
func phi(t float64) float64 { return math.Erfc(-t/math.Sqrt2) / 2 }

// adPredictor has beliefs about each input's weight. Each of several classes has a model, whose probabilities are normalised.
type adPredictor struct{ model[adState] }

type adState beliefs[float64] // [outputs, inputs]

func (s adState) fits(t *Table) error {
	if n := t.outputs() * t.numInputs(); len(s.Mean) != n || len(s.Variance) != n {
		return errors.Errorf("%d means and %d variances; this classifier has %d of each", len(s.Mean), len(s.Variance), n)
	}
	return nil
}

// newAdPredictor returns an AdPredictor that has seen no row.
func newAdPredictor(t *Table) *adPredictor {
	a := &adPredictor{newModel(t, adState(NewBeliefs[float64](t.outputs()*t.numInputs())))}
	a.classes = a.fill
	return a
}

// Learn learns rows in their order.
func (a *adPredictor) Learn(rows []int32) error {
	for _, row := range rows {
		for o := range a.table.outputs() {
			y := -1.0
			if label := int(a.table.Labels[row]); label == 1 && a.table.Classes == 2 || label == o && a.table.Classes > 2 {
				y = 1
			}
			a.output(o).Learn(a.table.inputs(row), y)
		}
	}
	return nil
}

// output returns the beliefs of an output.
func (a *adPredictor) output(o int) beliefs[float64] {
	from, to := o*a.table.numInputs(), (o+1)*a.table.numInputs()
	return beliefs[float64]{a.state.Mean[from:to], a.state.Variance[from:to]}
}

// fill fills in the probabilities of a row's classes.
func (a *adPredictor) fill(row int32) {
	if a.table.Classes == 2 {
		a.p[0], a.p[1] = a.output(0).Predict(a.table.inputs(row))
		return
	}
	sum := 0.0
	for o := range a.p {
		_, a.p[o] = a.output(o).Predict(a.table.inputs(row))
		sum += a.p[o]
	}
	for o := range a.p {
		a.p[o] /= max(sum, minProbability)
	}
}
