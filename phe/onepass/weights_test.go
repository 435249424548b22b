package onepass

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
)

// TestReadOne learns random records by the two ways of reading a row, of which one is for a single logit. Logits and tables must agree.
func TestReadOne(t *testing.T) {
	for name, c := range map[string]Config{
		"pairs":       Stream(Shape{Columns: len(recordColumns), Memory: 64 << 10, Interactions: Pairs}),
		"few buckets": Stream(Shape{Columns: len(recordColumns), Memory: 1 << 10, Interactions: Pairs}), // which cells of a row share
		"two hashes":  Stream(Shape{Columns: len(recordColumns), Memory: 8 << 10, Interactions: None}),
		"two bytes":   Stream(Shape{Columns: len(recordColumns), Memory: 4 << 10, Interactions: Pairs, BeliefBits: 16}),
	} {
		c.Keys, c.Compact = hash.Quick, false
		e := filetest.Must(NewEncoder(c, recordColumns))(t)
		e.Same(2, 0, false)
		e.Same(3, 1, true)
		one, several, s := newWeights[float64](c), newWeights[float64](c), []*sums{newSums(1), newSums(1)}
		random := rand.New(rand.NewPCG(3, 4))
		for s[0].rows = range 1500 {
			s[1].rows = s[0].rows
			randomRecord(random)(e)
			row, y := e.Row(), float64(random.IntN(2))
			s[0].reset()
			one.read(row, s[0])
			s[1].reset()
			several.begin(row)
			several.readSeveral(row, s[1])
			several.end(s[1])
			allNear(t, name, []float64{s[0].mean[0], s[0].cov[0]}, []float64{s[1].mean[0], s[1].cov[0]})
			for i, p := range []*weights[float64]{one, several} {
				s[i].gradient[0], s[i].curvature[0] = plugIn(sigmoid(s[i].mean[0]), s[i].cov[0], y)
				p.write(row, s[i])
			}
		}
		filetest.Want(t, one.coded, several.coded, "%s: the codes", name)
		for i := range one.slots {
			a, b := one.slots[i], several.slots[i]
			allNear(t, name, []float64{a.mean, a.variance}, []float64{b.mean, b.variance})
		}
	}
}

// A model drops pairs of columns until it has those that it keeps, and its encoder makes no cells of the others.
func TestChoose(t *testing.T) {
	c := Stream(Shape{Columns: len(recordColumns), Memory: 16 << 10, Interactions: Pairs})
	c.Kept = 17
	e, l, random := filetest.Must(NewEncoder(c, recordColumns))(t), mustNew(t, c), rand.New(rand.NewPCG(3, 4))
	for row := 0; len(e.pairs) > c.Kept; row++ {
		randomRecord(random)(e)
		step(l, e.Row(), float64(random.IntN(2)))
		if l.Choose(e); row < firstChoice-1 && len(e.pairs) != c.numPairs() {
			t.Fatalf("%d pairs are left after %d rows", len(e.pairs), row+1)
		}
	}
	for _, cell := range e.Row().Cells[len(recordColumns):] {
		filetest.Want(t, e.pairs, e.Pairs(), "pairs of the encoder")
		filetest.Want(t, len(e.pairs), c.Kept, "pairs that are left")
		filetest.True(t, cell.Column >= int32(len(recordColumns)), "a cell of column %d", cell.Column)
	}
}

var recordColumns = []string{"a", "b", "same", "opposite", "number", "list", "few"}

// randomRecord returns a function that gives a record to an encoder.
func randomRecord(random *rand.Rand) func(*Encoder) {
	items := make([][]string, 7)
	for c := range items {
		n := 1
		switch {
		case random.IntN(5) == 0:
			n = 0
		case c == 5:
			n = 1 + random.IntN(4)
		}
		for range n {
			items[c] = append(items[c], fmt.Sprint(random.IntN(1+random.IntN(40))))
		}
	}
	x, quantile := random.NormFloat64(), random.IntN(quantiles)
	return func(e *Encoder) {
		for c, list := range items {
			switch {
			case c != 4:
				for _, item := range list {
					e.Item(c, item)
				}
			case len(list) > 0:
				e.Number(c, x)
				e.Quantile(c, quantile)
			}
		}
	}
}

// The row that an encoder takes from another one's row is the row of the record.
func TestRows(t *testing.T) {
	pairs := Stream(Shape{Columns: len(recordColumns), Interactions: Pairs})
	plain := Stream(Shape{Columns: len(recordColumns), Interactions: None})
	for _, pairs.Keys = range []hash.Variant{hash.Quick, hash.CarterWegman} {
		plain.Keys = pairs.Keys
		first, own := filetest.Must(NewEncoder(pairs, recordColumns))(t), filetest.Must(NewEncoder(plain, recordColumns))(t)
		follower := filetest.Must(NewEncoder(plain, recordColumns))(t)
		random := rand.New(rand.NewPCG(5, 6))
		rows := []*Row{{}, {}}
		for range 200 {
			record := randomRecord(random)
			record(first)
			record(own)
			want := own.Row()
			Rows([]*Encoder{first, follower}, rows)
			filetest.Want(t, rows[1].Cells, want.Cells, "cells")
			filetest.Want(t, rows[1].Slots, want.Slots, "slots")
		}
	}
}

func TestLogarithms(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, 4096), make([]float64, 4096)
	for round := range 100 {
		for i := range x {
			switch p := random.Float64(); round % 3 {
			case 0:
				x[i] = p / (1 - p)
			case 1:
				x[i] = math.Float64frombits(random.Uint64N(0x7fe<<52-1<<52) + 1<<52)
			default:
				x[i] = math.Ldexp(math.Sqrt2*(1+float64(random.IntN(9)-4)*0x1p-52), random.IntN(20)-10)
			}
		}
		copy(y, x)
		Logarithms(y)
		for i, v := range x {
			if want := math.Log(v); math.Abs(want-y[i]) > 1e-15*math.Abs(want) {
				t.Fatalf("log %v is %v, want %v", v, y[i], want)
			}
		}
	}
}

// A touch adds up to τ times the prior variance, for one output and for several, and an entry that no row touches gains nothing.
func TestForgetting(t *testing.T) {
	for _, shape := range []Shape{{Columns: 2}, {Columns: 2, Head: Softmax, Outputs: 3}, {Columns: 2, Interactions: FM}, {Columns: 2,
		Head: Softmax, Outputs: 3, Interactions: FM}} {
		c := Stream(shape)
		c.Tau = 0.01
		forgets := learned(t, c)
		c.Tau = 0
		keeps := learned(t, c)
		for table, prior := range map[string]float64{tableE: c.Prior.E, tableLatent: c.Prior.Latent} {
			gained, narrowed := 0, 0
			for i, v := range keeps[table] {
				gain := forgets[table][i] - v
				if gain > 0 {
					gained++
				}
				if float32(v) < float32(prior) {
					narrowed++
				}
				if gain < 0 || gain > 0 && float32(v) == float32(prior) ||
					gain > 0.01*prior*(1+1e-5) { // less than τ times the prior where the prior bounds it
					t.Fatalf("%+v: entry %d of %s has gained %g, and τ times the prior is %g", shape, i, table, gain, 0.01*prior)
				}
			}
			filetest.True(t, gained == narrowed && (narrowed != 0 || len(keeps[table]) == 0),
				"%+v: %d of %d entries of %s that learned have gained variance", shape, gained, narrowed, table)
		}
	}
}

// learned learns one row and returns the variances of the tables that can forget.
func learned(t *testing.T, c Config) map[string][]float64 {
	t.Helper()
	l := filetest.Must(New(c))(t)
	row := &Row{}
	for column := range c.Columns {
		row.Add(Cell{Column: int32(column), Share: 1, Key: uint64(column) << 40})
		for k := range c.Hashes {
			row.Slots = append(row.Slots, uint32(7*column+k))
		}
	}
	step(l, row, 1)
	f := l.Beliefs()
	return map[string][]float64{tableE: f.Tables[tableE].Variance, tableLatent: f.Tables[tableLatent].Variance}
}
