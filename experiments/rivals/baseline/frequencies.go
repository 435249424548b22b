package baseline

import "math"

// Frequencies predicts how often each class was seen, with one row added for each class. By item, it counts for each item
// of one column, and starts from the overall frequencies as if one row of the item had them.
type Frequencies struct {
	classes int
	items   []int32 // the item of every row; nil to count all rows together
	labels  []int32
	all     []float64
	byItem  map[int32][]float64
}

// NewFrequencies returns a baseline of labels [rows] in the given number of classes. items [rows] holds the item of each row; nil counts
// all rows together.
func NewFrequencies(classes int, labels, items []int32) *Frequencies {
	return &Frequencies{classes: classes, items: items, labels: labels, all: make([]float64, classes), byItem: map[int32][]float64{}}
}

// Learn counts the labels of rows.
func (f *Frequencies) Learn(rows []int32) {
	for _, row := range rows {
		f.all[f.labels[row]]++
		if f.items == nil {
			continue
		}
		item := f.items[row]
		if f.byItem[item] == nil {
			f.byItem[item] = make([]float64, f.classes)
		}
		f.byItem[item][f.labels[row]]++
	}
}

// Predict returns log probabilities [rows, classes], in nats.
func (f *Frequencies) Predict(rows []int32) []float32 {
	overall, total := make([]float64, f.classes), float64(f.classes)
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
		for k := range f.classes {
			p := overall[k] / total
			if own != nil {
				p = (own[k] + p) / (ownTotal + 1)
			}
			logProbabilities = append(logProbabilities, float32(math.Log(p)))
		}
	}
	return logProbabilities
}
