package onepass

import (
	"math"
	"math/rand/v2"
	"testing"

	"gophe/phe/disk/filetest"
)

// The terms of a forecast and a base, which is the same in all rows, add up to its logits, and the terms of the evidence alone to its own:
// for each target, way of interactions and kind of row, with lists, opponents, late labels, and slots that items share. In rows of single
// items, their variances add up as well.
func TestTermsAddUp(t *testing.T) {
	for i, s := range append(streamShapes(), streamShapes()...) {
		crowded := i >= len(streamShapes())
		if crowded {
			s.Memory = 1 << 10
		}
		e, l := newStream(t, s)
		if crowded {
			e.Same(1, 0, true)
		}
		rng, biases, base := rand.New(rand.NewPCG(3, 4)), 0., []float64(nil)
		for i := range 400 {
			for range 1 + rng.IntN(3) {
				e.Item(1, users[rng.IntN(50)])
			}
			row := encode(e, rng.IntN(100))
			if row.Late = i%3 == 0; !crowded && i > 300 {
				row = encode(e, i)
			}
			f := l.Predict(row)
			terms, alone := l.Explain()
			logits, c := sum(&terms), l.Config()
			if c.Head == Softmax {
				SoftmaxInto(logits, logits)
				allNear(t, "probabilities", logits, f.Classes)
			} else {
				filetest.Near(t, logits[0], f.Logit, 1e-9, "%+v, row %d: the logit", s, i)
			}
			switch other := sum(&alone); {
			case !c.Alone:
				filetest.Want(t, len(alone.Adds), 0, "terms of evidence that does not forecast alone")
			case c.Head == Softmax:
				SoftmaxInto(other, other)
				allNear(t, "probabilities by the evidence alone", other, f.Alone.Classes)
			default:
				filetest.Near(t, sigmoid(other[0]), f.Alone.Classes[1], 1e-9, "%+v, row %d: the evidence alone", s, i)
			}
			if rest := f.Spread * f.Spread; !crowded && i > 300 && c.Outputs == 1 && c.Latents == 0 {
				for _, v := range terms.Variance {
					rest -= v
				}
				if biases == 0 {
					biases = rest
				}
				filetest.Near(t, rest, biases, 1e-9, "%+v, row %d: variance of the biases", s, i)
			}
			if i <= 300 {
				l.Update(float64(rng.IntN(2)), 1)
			} else if bases := append(terms.Base, alone.Base...); base == nil {
				base = bases
			} else {
				allNear(t, "the base", bases, base)
			}
		}
	}
}

func sum(t *Terms) (logits []float64) {
	logits = append(logits, t.Base...)
	for i, v := range t.Adds {
		logits[i%len(logits)] += v
	}
	return logits
}

// The fields of the cells are those that the record was made of, in their order, with lists, a missing field and pairs that were dropped.
func TestFieldsOfCells(t *testing.T) {
	e := filetest.Must(NewEncoder(Stream(Shape{Columns: 3}), []string{"a", "b", "c"}))(t)
	e.Same(2, 0, true)
	e.pairs = append(e.pairs[:1], e.pairs[2:]...)
	e.Item(0, "x")
	e.Item(0, "y")
	e.Item(2, "z")
	row := e.Row()
	filetest.Want(t, e.Fields(row), [][2]int{{0, 0}, {0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 1}, {1, 2}}, "fields")
	filetest.True(t, math.Signbit(row.Cells[3].Share), "the opponent does not count negatively")
}
