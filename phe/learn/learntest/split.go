package learntest

import (
	"iter"
	"slices"

	"gophe/phe"
	"gophe/phe/learn"
)

// Rows are the rows of tables E and W that some items use.
type Rows struct{ E, W map[int]bool }

// RowsOf returns the rows of the items with these numbers among all items.
func RowsOf(c phe.Config, all []string, numbers iter.Seq[int]) Rows {
	encoder, err := phe.NewEncoder(c)
	if err != nil {
		panic(err)
	}
	rows, err := encoder.Items(all)
	if err != nil {
		panic(err)
	}
	r, hashes := Rows{map[int]bool{}, map[int]bool{}}, c.RowsPerItem()
	for item := range numbers {
		for _, bucket := range rows.Buckets[item*hashes : (item+1)*hashes] {
			r.E[int(bucket)] = true
		}
		if c.HasWeights() {
			r.W[int(rows.Weights[item])] = true
		}
	}
	return r
}

// split tells which numbers of a single run an update may touch: the table rows r, and θ where all parameters learn.
func (r Rows) split(c learn.Config) (still, moving func(learn.Snapshot) [][]float32) {
	parts := func(s learn.Snapshot) (touched, untouched [][]float32) {
		rest := s.Parameters
		cut := func(touchedRows map[int]bool, width int) {
			copies := 1
			if c.Encoder.Estimate == phe.Posterior {
				copies = 2
			}
			for _, list := range rest[:copies] {
				var in, out []float32
				row := 0
				for values := range slices.Chunk(list, width) {
					if touchedRows[row] {
						in = append(in, values...)
					} else {
						out = append(out, values...)
					}
					row++
				}
				if len(out) == 0 {
					panic("all rows of a table are touched: a check of what stays would say nothing")
				}
				touched, untouched = append(touched, in), append(untouched, out)
			}
			rest = rest[copies:]
		}
		cut(r.E, c.Encoder.EmbeddingDim)
		if c.Encoder.HasWeights() {
			cut(r.W, c.Encoder.NumHashes)
		}
		if c.Scope == phe.AllParameters {
			return append(touched, rest...), untouched
		}
		return touched, append(untouched, rest...)
	}
	moving = func(s learn.Snapshot) [][]float32 { touched, _ := parts(s); return touched }
	still = func(s learn.Snapshot) [][]float32 { _, untouched := parts(s); return untouched }
	return
}
