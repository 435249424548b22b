package learntest

import (
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
)

// touched returns the rows of tables E and W that an update on the chunk may change: the rows of its items in the columns that learn,
// and of the items that belong to every record.
func (c Contract) touched(t testing.TB) (e, w map[int32]bool) {
	t.Helper()
	encoder := filetest.Must(phe.NewEncoder(c.Config.Encoder))(t)
	rows := filetest.Must(encoder.Items(c.All.Items))(t)
	e, w = map[int32]bool{}, map[int32]bool{}
	touch := func(item int) {
		k := c.Config.Encoder.RowsPerItem()
		for _, row := range rows.Buckets[item*k : (item+1)*k] {
			e[row] = true
		}
		if len(rows.Weights) > 0 {
			w[rows.Weights[item]] = true
		}
	}
	column := 0
	for item := range c.All.ItemsOf(c.Chunk, c.Network.Columns) {
		if c.Config.Scope != phe.IncrementalColumn || column == c.Config.Incremental {
			touch(int(item))
		}
		column = (column + 1) % c.Network.Columns
	}
	for i := range c.All.Common {
		touch(len(c.All.Items) - 1 - i)
	}
	return e, w
}

// split splits the numbers of a single run into those that an update on the chunk may change, which are the touched rows, and θ if all
// parameters learn, and the others.
func (c Contract) split(t testing.TB, s learn.Snapshot) (changing, still [][]float32) {
	t.Helper()
	e, w := c.touched(t)
	rest := s.Parameters
	cut := func(touched map[int32]bool, width int) {
		copies := 1
		if c.Config.Encoder.Estimate == phe.Posterior {
			copies = 2
		}
		for _, list := range rest[:copies] {
			var in, out []float32
			row := int32(0)
			for values := range slices.Chunk(list, width) {
				if touched[row] {
					in = append(in, values...)
				} else {
					out = append(out, values...)
				}
				row++
			}
			if len(out) == 0 {
				t.Fatal("the chunk touches all rows of a table, so a check of what stays would say nothing; take fewer records")
			}
			changing, still = append(changing, in), append(still, out)
		}
		rest = rest[copies:]
	}
	cut(e, c.Config.Encoder.EmbeddingDim)
	if c.Config.Encoder.NumWeights > 0 {
		cut(w, c.Config.Encoder.NumHashes)
	}
	if c.Config.Scope == phe.AllParameters {
		return append(changing, rest...), still
	}
	return changing, append(still, rest...)
}
