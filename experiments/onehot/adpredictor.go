package onehot

import (
	"bytes"
	"encoding/gob"
	"math"

	"github.com/pkg/errors"
)

// AdPredictor is Bayesian probit regression with an independent Gaussian belief about each weight, and the assumed-density update of
// Graepel, Candela, Borchert and Herbrich, Web-Scale Bayesian Click-Through Rate Prediction (ICML 2010), Eqs. 6 to 9. Weights begin as
// N(0, 1), and the noise has variance 1. Their inputs are 0 or 1; here numbers are inputs too. Several classes have a model each, one
// against the rest, whose probabilities are normalised.
type AdPredictor struct {
	table *Table
	state adState
}

type adState struct{ Mean, Variance []float64 } // [outputs, inputs]

// NewAdPredictor returns an AdPredictor that has seen no row.
func NewAdPredictor(t *Table) *AdPredictor {
	n := t.outputs() * t.Inputs()
	a := &AdPredictor{t, adState{make([]float64, n), make([]float64, n)}}
	for i := range a.state.Variance {
		a.state.Variance[i] = 1
	}
	return a
}

// Learn learns rows in their order.
func (a *AdPredictor) Learn(rows []int32) error {
	for _, row := range rows {
		for o := range a.table.outputs() {
			y := -1.0
			if label := int(a.table.Labels[row]); label == 1 && a.table.Classes == 2 || label == o && a.table.Classes > 2 {
				y = 1
			}
			a.learn(o, row, y)
		}
	}
	return nil
}

func (a *AdPredictor) learn(o int, row int32, y float64) {
	mean, variance := a.score(o, row)
	sd := math.Sqrt(variance)
	v, w := corrections(y * mean / sd)
	a.each(o, row, func(m, s *float64, x float64) {
		*m += y * x * *s / sd * v
		*s *= 1 - x*x**s/variance*w
	})
}

// score returns mean and variance of an output's score, noise included.
func (a *AdPredictor) score(o int, row int32) (mean, variance float64) {
	variance = 1
	a.each(o, row, func(m, s *float64, x float64) {
		mean += x * *m
		variance += x * x * *s
	})
	return mean, variance
}

// each visits the beliefs that a row touches, with their inputs.
func (a *AdPredictor) each(o int, row int32, visit func(mean, variance *float64, x float64)) {
	t, n := a.table, a.table.Inputs()
	mean, variance := a.state.Mean[o*n:(o+1)*n], a.state.Variance[o*n:(o+1)*n]
	for _, item := range t.items(row) {
		visit(&mean[item], &variance[item], 1)
	}
	for i, x := range t.numbers(row) {
		visit(&mean[t.Items+i], &variance[t.Items+i], x)
	}
	visit(&mean[n-1], &variance[n-1], 1)
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

// Predict appends the log probability of every class of each row, [rows, classes] in nats.
func (a *AdPredictor) Predict(dst []float32, rows []int32) []float32 {
	p := make([]float64, a.table.Classes)
	for _, row := range rows {
		if a.table.Classes == 2 {
			mean, variance := a.score(0, row)
			t := mean / math.Sqrt(variance)
			p[0], p[1] = phi(-t), phi(t)
		} else {
			sum := 0.0
			for o := range p {
				mean, variance := a.score(o, row)
				p[o] = phi(mean / math.Sqrt(variance))
				sum += p[o]
			}
			for o := range p {
				p[o] /= max(sum, leastProbability)
			}
		}
		dst = appendLogs(dst, p)
	}
	return dst
}

// MarshalBinary returns the beliefs.
func (a *AdPredictor) MarshalBinary() ([]byte, error) { return encode(a.state) }

// UnmarshalBinary replaces the beliefs. It changes nothing and returns an error if they are not of this table.
func (a *AdPredictor) UnmarshalBinary(content []byte) error {
	var s adState
	if err := decode(content, &s); err != nil {
		return err
	}
	if len(s.Mean) != len(a.state.Mean) || len(s.Variance) != len(a.state.Variance) {
		return errors.Errorf("%d means and %d variances; this classifier has %d of each", len(s.Mean), len(s.Variance), len(a.state.Mean))
	}
	a.state = s
	return nil
}

func encode(state any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(state)
	return b.Bytes(), errors.Wrap(err, "encoding a classifier")
}

func decode(content []byte, state any) error {
	return errors.Wrap(gob.NewDecoder(bytes.NewReader(content)).Decode(state), "decoding a classifier; start the run anew")
}
