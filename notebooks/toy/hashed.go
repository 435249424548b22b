package toy

import (
	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/files"
	"gophe/data/tables"
	"gophe/phe"
	"gophe/phe/hash"
	"gophe/phe/onepass"
)

// Hashed is a stream of a table's rows in the form that package onepass learns.
type Hashed struct {
	*tables.Stream
	Rows   []onepass.Row // of the table
	Labels []float64
}

// Hash hashes the items of a stream's table by the authors' hash functions, as the study does. The learner's configuration gives the
// numbers of buckets, hashes and weight rows.
func Hash(s *tables.Stream, c onepass.Config) (Hashed, error) {
	e := phe.Default()
	e.Hash, e.EmbeddingDim = hash.Authors, c.Dim
	e.NumBuckets, e.NumHashes, e.NumWeights = c.Buckets, c.Hashes, c.WeightRows
	encoder, err := phe.NewEncoder(e)
	if err != nil {
		return Hashed{}, errors.WithMessage(err, "cannot hash a stream")
	}
	out := Hashed{s, make([]onepass.Row, s.Table.NumRows()), make([]float64, s.Table.NumRows())}
	for i, own := range s.Table.Categorical {
		cells, err := hashColumn(encoder, i, own)
		if err != nil {
			return Hashed{}, errors.WithMessagef(err, "cannot hash column %q", own.Name)
		}
		for r, value := range own.Values {
			out.Rows[r].Cells = append(out.Rows[r].Cells, cells[value])
		}
	}
	for _, own := range s.Table.Numeric {
		for r, x := range own.Values {
			out.Rows[r].Numbers = append(out.Rows[r].Numbers, x)
		}
	}
	for r, label := range s.Table.Labels {
		out.Labels[r] = float64(label)
	}
	return out, nil
}

// hashColumn returns the cell of each item of a column, by the item's value.
func hashColumn(encoder *phe.Encoder, place int, own column.Categorical) (map[string]onepass.Cell, error) {
	cells := map[string]onepass.Cell{}
	for r, value := range own.Values {
		if _, done := cells[value]; done {
			continue
		}
		rows, err := encoder.Items([]string{own.Token(r)})
		if err != nil {
			return nil, err
		}
		cells[value] = onepass.Cell{Column: place, Share: 1, Buckets: rows.Buckets, Weights: rows.Weights[0]}
	}
	return cells, nil
}

// Odors returns Mushroom's rows with their odors alone.
func Odors() *tables.Table {
	return must(must(tables.Load("mushroom", files.Options{})).Select([]string{"odor"}))
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
		l.Learn(&h.Rows[r], h.Labels[r])
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
