package lesson

import (
	"gophe/data/labelled"
	"gophe/experiments/task"
	"gophe/notebooks/cell"
	"gophe/phe"
	"gophe/phe/hash"
	"gophe/phe/onepass"
)

// Hashed is a stream of a table's rows in the form that package onepass learns.
type Hashed struct {
	*labelled.Stream
	Rows   []onepass.Row // of the table
	Labels []float64
}

// Hash hashes the items of a stream's table by the authors' hash functions, as the study does. The learner's configuration gives the
// numbers of buckets, hashes and weight rows.
func Hash(s *labelled.Stream, c onepass.Config) Hashed {
	e := phe.Paper()
	e.Hash, e.EmbeddingDim = hash.Authors, c.Dim
	e.NumBuckets, e.NumHashes, e.NumWeights = c.Buckets, c.Hashes, c.WeightRows
	items := task.Itemise(s.Table)
	found := cell.Must(cell.Must(phe.NewEncoder(e)).Items(items.Items))
	out := Hashed{s, make([]onepass.Row, s.Table.NumRows()), make([]float64, s.Table.NumRows())}
	k, columns := e.NumHashes, len(s.Table.Categorical)
	for r := range out.Rows {
		for column, item := range items.Index[r*columns : (r+1)*columns] {
			cell := onepass.Cell{Column: int32(column), Share: 1, Weights: found.Weights[item]}
			out.Rows[r].Add(cell, found.Buckets[int(item)*k:][:k]...)
		}
		for _, own := range s.Table.Numeric {
			out.Rows[r].Numbers = append(out.Rows[r].Numbers, own.Values[r])
		}
		out.Labels[r] = float64(s.Table.Labels[r])
	}
	return out
}

// Small returns the configuration of a model of one column, with the dimension and the row of W that the authors' program takes for
// Mushroom.
func Small(buckets int) onepass.Config {
	c := onepass.Paper(1, 0, 1)
	c.Dim, c.Buckets, c.WeightRows = 5, buckets, 1
	return c
}

// Learn takes a learner along rows of the table.
func (h Hashed) Learn(l *onepass.Model, rows []int32) {
	for _, r := range rows {
		l.Predict(&h.Rows[r])
		l.Update(h.Labels[r], 1)
	}
}

// Right returns the share of rows whose class is forecast with more than one half. It changes no belief.
func (h Hashed) Right(l *onepass.Model, rows []int32) float64 {
	right := 0.0
	for _, r := range rows {
		if (l.Predict(&h.Rows[r]).Mean > 0.5) == (h.Labels[r] == 1) {
			right++
		}
	}
	return right / float64(len(rows))
}
