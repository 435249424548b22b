package onepass

import (
	"fmt"
	"testing"

	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
)

// The paper's embedding in few bits is the embedding in floats, rounded after each row: it begins with the same means, forecasts the same
// from the same beliefs, and writes what Bayes' rule makes of them with the draws of the row. A model that was written and read goes on.
func TestEmbeddingOfCodes(t *testing.T) {
	for _, c := range []Config{Paper(3, 1, 1), Paper(3, 1, 4)} {
		for _, c.Gamma = range []float64{1, 0.99} {
			for _, c.BeliefBits = range []int{16, 32} {
				c.Prior.E, c.Prior.W = 0.25, 2
				floats := c
				floats.BeliefBits = 0
				l, bayes := mustNew(t, c), mustNew(t, floats)
				agree(t, "new", l, bayes, func(_ string, row int) uint64 { return draws(row, starting) })
				rows, labels := streamOf(c, 12)
				for i := range rows {
					check(t, bayes.SetBeliefs(decoded(l)))
					if a, b := step(l, &rows[i], labels[i]), step(bayes, &rows[i], labels[i]); !same(a, b) {
						t.Fatalf("row %d of %+v: %+v, in floats %+v", i, c, a, b)
					}
					agree(t, fmt.Sprint("row ", i), l, bayes, func(table string, _ int) uint64 {
						return draws(i, map[string]purpose{tableE: learning, tableW: weighing}[table])
					})
					again := &Model{}
					check(t, again.UnmarshalBinary(filetest.Must(l.MarshalBinary())(t)))
					l = again
				}
				step(l, &rows[0], 1) // buffers grow
				filetest.Want(t, testing.AllocsPerRun(10, func() { step(l, &rows[0], 1) }), 0, "allocations a row")
				if saved, beliefs := floats.Bytes()-c.Bytes(),
					16-c.BeliefBits/8; saved != float64(beliefs*(c.Buckets*c.Dim+c.WeightRows*c.Hashes)) {
					t.Errorf("%d bits save %g bytes", c.BeliefBits, saved)
				}
			}
		}
	}
}

// agree compares a model's codes with the beliefs of one in floats, rounded by draws. A belief that no row has moved is a code's own.
func agree(t *testing.T, name string, l, floats *Model, draws func(table string, row int) uint64) {
	t.Helper()
	c, f := l.config, floats.Beliefs()
	for table, dim := range map[string]int{tableE: c.Dim, tableW: 1} {
		from, prior := f.Tables[table], map[string]float64{tableE: c.Prior.E, tableW: c.Prior.W}[table]
		want := newCoded[float64](Config{BeliefBits: c.BeliefBits, Buckets: len(from.Mean), Outputs: 1, Prior: Prior{E: prior}})
		for i, mean := range from.Mean {
			want.store([]entry[float64]{{mean, from.Variance[i]}}, []uint32{uint32(i)}, 1, draws(table, i/dim))
		}
		for i, got := range l.Beliefs().Lists[table] {
			code, _ := want.stored(table).Get(i)
			filetest.Want(t, got, code, "%s, %d bits, %s: the code of belief %d", name, c.BeliefBits, table, i)
		}
	}
}

// decoded returns a model's beliefs as one in floats holds them.
func decoded(l *Model) belief.Copy {
	f := l.Beliefs()
	for table, prior := range map[string]float64{tableE: l.config.Prior.E, tableW: l.config.Prior.W} {
		k := NewCodec(Config{BeliefBits: l.config.BeliefBits, Prior: Prior{E: prior}})
		var b belief.Table
		for _, code := range f.Lists[table] {
			mean, variance := k.Decode(uint32(code))
			b.Mean, b.Variance = append(b.Mean, mean), append(b.Variance, variance)
		}
		f.Tables[table] = b
	}
	return f
}
