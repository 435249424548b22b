package onehot

import (
	"bytes"
	"encoding/gob"
	"iter"
	"math"
	"slices"

	"github.com/pkg/errors"
)

// Beliefs are independent Gaussian beliefs about the weights of Bayesian probit regression, with the assumed-density update of
// Graepel, Candela, Borchert and Herbrich, Web-Scale Bayesian Click-Through Rate Prediction (ICML 2010), Eqs. 6 to 9. The noise has
// variance 1. Their inputs are 0 or 1; here numbers are inputs too.
type Beliefs[F float32 | float64] struct{ Mean, Variance []F }

// NewBeliefs returns beliefs about n weights, each N(0, 1).
func NewBeliefs[F float32 | float64](n int) Beliefs[F] {
	return Beliefs[F]{make([]F, n), slices.Repeat([]F{1}, n)}
}

// Predict returns the probabilities of the labels −1 and 1 of a row. inputs has the row's weights with their inputs.
func (b Beliefs[F]) Predict(inputs iter.Seq2[int, float64]) (negative, positive float64) {
	mean, variance := b.score(inputs)
	t := mean / math.Sqrt(variance)
	return phi(-t), phi(t)
}

// score returns mean and variance of a row's score, noise included.
func (b Beliefs[F]) score(inputs iter.Seq2[int, float64]) (mean, variance float64) {
	variance = 1
	for i, x := range inputs {
		mean += x * float64(b.Mean[i])
		variance += x * x * float64(b.Variance[i])
	}
	return mean, variance
}

// Learn learns the label of a row: 1, or −1.
func (b Beliefs[F]) Learn(inputs iter.Seq2[int, float64], y float64) {
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

// AdPredictor has Beliefs about the weight of each input. Several classes have a model each, one against the rest, whose probabilities
// are normalised.
type AdPredictor struct {
	table *Table
	state Beliefs[float64] // [outputs, inputs]
}

// adState names the state in checkpoints.
type adState Beliefs[float64]

// NewAdPredictor returns an AdPredictor that has seen no row.
func NewAdPredictor(t *Table) *AdPredictor {
	return &AdPredictor{t, NewBeliefs[float64](t.outputs() * t.Inputs())}
}

// Learn learns rows in their order.
func (a *AdPredictor) Learn(rows []int32) error {
	for _, row := range rows {
		for o := range a.table.outputs() {
			y := -1.0
			if label := int(a.table.Labels[row]); label == 1 && a.table.Classes == 2 || label == o && a.table.Classes > 2 {
				y = 1
			}
			a.state.Learn(a.inputs(o, row), y)
		}
	}
	return nil
}

// inputs returns the inputs of a row, with the places of an output's beliefs.
func (a *AdPredictor) inputs(o int, row int32) iter.Seq2[int, float64] {
	t, n := a.table, a.table.Inputs()
	return func(yield func(int, float64) bool) {
		for _, item := range t.items(row) {
			if !yield(o*n+int(item), 1) {
				return
			}
		}
		for i, x := range t.numbers(row) {
			if !yield(o*n+t.Items+i, x) {
				return
			}
		}
		yield((o+1)*n-1, 1)
	}
}

// Predict appends the log probability of every class of each row, [rows, classes] in nats.
func (a *AdPredictor) Predict(dst []float32, rows []int32) []float32 {
	p := make([]float64, a.table.Classes)
	for _, row := range rows {
		if a.table.Classes == 2 {
			p[0], p[1] = a.state.Predict(a.inputs(0, row))
		} else {
			sum := 0.0
			for o := range p {
				_, p[o] = a.state.Predict(a.inputs(o, row))
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
func (a *AdPredictor) MarshalBinary() ([]byte, error) { return encode(adState(a.state)) }

// UnmarshalBinary replaces the beliefs. It changes nothing and returns an error if they are not of this table.
func (a *AdPredictor) UnmarshalBinary(content []byte) error {
	var s adState
	if err := decode(content, &s); err != nil {
		return err
	}
	if len(s.Mean) != len(a.state.Mean) || len(s.Variance) != len(a.state.Variance) {
		return errors.Errorf("%d means and %d variances; this classifier has %d of each", len(s.Mean), len(s.Variance), len(a.state.Mean))
	}
	a.state = Beliefs[float64](s)
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
