package data

import (
	"slices"
	"testing"
)

func TestBatches(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []int32
		size int
		want []Batch
	}{
		{"no rows", nil, 3, nil},
		{"exact", []int32{5, 7, 2, 3}, 2, []Batch{{[]int32{5, 7}, []float32{1, 1}}, {[]int32{2, 3}, []float32{1, 1}}}},
		{"padded", []int32{5, 7, 2, 3, 11}, 3,
			[]Batch{{[]int32{5, 7, 2}, []float32{1, 1, 1}}, {[]int32{3, 11, 3}, []float32{1, 1, 0}}}},
		{"larger than the rows", []int32{13}, 3, []Batch{{[]int32{13, 13, 13}, []float32{1, 0, 0}}}},
	} {
		before := slices.Clone(c.rows)
		got := Batches(c.rows, c.size)
		same := slices.EqualFunc(got, c.want, func(a, b Batch) bool {
			return slices.Equal(a.Rows, b.Rows) && slices.Equal(a.Mask, b.Mask)
		})
		if !same {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		for _, b := range got {
			b.Rows[0] = -1
		}
		if !slices.Equal(c.rows, before) {
			t.Errorf("%s: batches share memory with the rows", c.name)
		}
	}
}

func TestBatchesRefusesSizeZero(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Batches([]int32{1}, 0)
}
