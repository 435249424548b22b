package task

import (
	"math"

	"gophe/experiments/spec/protocol"
)

// frequencies predicts how often each class was seen, with one row added for each class. By item, it counts for each item
// of one column, and starts from the overall frequencies as if one row of the item had them.
type frequencies struct {
	task   *classification
	items  []int32 // the item of every row; nil to count all rows together
	all    []float64
	byItem map[int32][]float64
}

// newFrequencies returns a baseline of a table's labels. items [rows] holds the item of each row; nil counts all rows together.
func (t *classification) newFrequencies(items []int32) *frequencies {
	return &frequencies{task: t, items: items, all: make([]float64, len(t.Table.Classes)), byItem: map[int32][]float64{}}
}

// Learn counts the labels of rows.
func (f *frequencies) Learn(rows []int32) error {
	for _, row := range rows {
		label := f.task.Table.Labels[row]
		f.all[label]++
		if f.items == nil {
			continue
		}
		item := f.items[row]
		if f.byItem[item] == nil {
			f.byItem[item] = make([]float64, len(f.all))
		}
		f.byItem[item][label]++
	}
	return nil
}

// Score scores the shares of the labels so far.
func (f *frequencies) Score(rows []int32) (protocol.Score, error) {
	overall, total := make([]float64, len(f.all)), float64(len(f.all))
	for k, n := range f.all {
		overall[k], total = n+1, total+n
	}
	var logProbabilities []float32
	for _, row := range rows {
		var own []float64
		if f.items != nil {
			own = f.byItem[f.items[row]]
		}
		ownTotal := 0.0
		for _, n := range own {
			ownTotal += n
		}
		for k := range f.all {
			p := overall[k] / total
			if own != nil {
				p = (own[k] + p) / (ownTotal + 1)
			}
			logProbabilities = append(logProbabilities, float32(math.Log(p)))
		}
	}
	return f.task.score(rows, logProbabilities), nil
}
