package onepass

import (
	"testing"

	"gophe/phe/disk/filetest"
)

// A touch adds up to τ times the prior variance, for one output and for several, and an entry that no row touches gains nothing.
func TestForgetting(t *testing.T) {
	for _, shape := range []Shape{{Columns: 2}, {Columns: 2, Head: Softmax, Outputs: 3}, {Columns: 2, Interactions: FM}, {Columns: 2, Head: Softmax, Outputs: 3, Interactions: FM}} {
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
				if gain < 0 || gain > 0 && float32(v) == float32(prior) || gain > 0.01*prior*(1+1e-5) { // less than τ times the prior where the prior bounds it
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
