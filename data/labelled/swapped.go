package labelled

import (
	"fmt"
	"math"
	"slices"

	"github.com/pkg/errors"

	"gophe/data/splits"
)

// Swapped returns the stream in which two items of the incremental column, a and b, exchange their meanings half-way. From
// step ⌊steps/2⌋ on, cells with a hold b and cells with b hold a, in a copy of the table. Otherwise the stream is a shuffle.
//
// The first int(initialFraction·n) shuffled training rows are Initial. The others are cut into steps of chunkRows, at most maxSteps
// (0: all). The last step may be shorter, but has at least 2 rows. At least two steps are needed.
//
// Swapped chooses a pair that a learner could have learned to distinguish. Among the Initial rows the pair has the largest
// min(count a, count b) times the total-variation distance between the two items' class distributions. The first of equal pairs
// in order of first appearance is taken. If no two items differ, that is an error.
//
// The test "other items" holds the test rows with neither item. The test rows with a or b are cut in two halves by item and class.
// "swapped items, old meaning" is the half as in the file. "swapped items, new meaning" is the half with exchanged cells.
func (t *Table) Swapped(initialFraction float64, chunkRows, maxSteps int) (*Stream, error) {
	const stream = "swapped stream"
	if err := checkSteps(stream, chunkRows, maxSteps); err != nil {
		return nil, err
	}
	if !(initialFraction > 0 && initialFraction < 1) {
		return nil, errors.Errorf("%s: initial fraction %v, want more than 0 and less than 1", stream, initialFraction)
	}
	_, random := t.permutedItems()
	train, test := t.stratify(splits.Shuffled(random, t.allRows()), 2, 3)
	n := int(initialFraction * float64(len(train)))
	initial, steps := train[:n:n], splits.Chunks(train[n:], chunkRows, maxSteps)
	if len(steps) < 2 {
		return nil, errors.Errorf("%s: %d step, want at least 2", stream, len(steps))
	}
	pair, err := t.maxDifferent(initial)
	if err != nil {
		return nil, errors.WithMessage(err, stream)
	}
	middle := len(steps) / 2
	before, after := slices.Concat(steps[:middle]...), slices.Concat(steps[middle:]...)
	ofPair, others := t.partition(test, pair)
	oldMeaning, newMeaning := t.stratify(ofPair, 1, 2)
	s := &Stream{
		Table: t.exchange(pair[0], pair[1], after, newMeaning), Initial: initial, Steps: steps,
		Changes: []Change{{middle, fmt.Sprintf("%s and %s swapped", pair[0], pair[1])}},
	}
	taughtOld, _ := t.partition(slices.Concat(initial, before), pair)
	taughtNew, _ := t.partition(after, pair)
	taughtOthers := n + len(before) + len(after) - len(taughtOld) - len(taughtNew)
	otherItems := slices.DeleteFunc(t.items(), func(item string) bool { return slices.Contains(pair, item) })
	s.addTest(splits.Test{Name: "other items", Items: otherItems, Train: taughtOthers, Rows: others})
	s.addTest(splits.Test{Name: "swapped items, old meaning", Items: pair, Train: len(taughtOld), Rows: oldMeaning})
	s.addTest(splits.Test{Name: "swapped items, new meaning", Items: pair, Train: len(taughtNew), Rows: newMeaning})
	return s, nil
}

// maxDifferent returns the pair of items that Swapped exchanges. Rows are the initial rows.
func (t *Table) maxDifferent(rows []int32) (pair []string, err error) {
	values := t.Categorical[t.Incremental].Values
	classes := make(map[string][]float64) // number of rows of each item and class
	total := make(map[string]float64)
	for _, row := range rows {
		item := values[row]
		if classes[item] == nil {
			classes[item] = make([]float64, len(t.Classes))
		}
		classes[item][t.Labels[row]]++
		total[item]++
	}
	items := slices.DeleteFunc(t.items(), func(item string) bool { return total[item] == 0 })
	best := 0.0
	for i, a := range items {
		for _, b := range items[i+1:] {
			distance := 0.0
			for class := range t.Classes {
				distance += math.Abs(classes[a][class]/total[a]-classes[b][class]/total[b]) / 2
			}
			if score := min(total[a], total[b]) * distance; score > best {
				best, pair = score, []string{a, b}
			}
		}
	}
	if pair == nil {
		return nil, errors.Errorf("no two items of column %q differ in their classes among the %d initial rows",
			t.Categorical[t.Incremental].Name, len(rows))
	}
	return pair, nil
}

// exchange returns a copy of the table in which the given rows have items a and b of the incremental column exchanged.
// It shares the other columns.
func (t *Table) exchange(a, b string, rows ...[]int32) *Table {
	altered := *t
	altered.Categorical = slices.Clone(t.Categorical)
	values := slices.Clone(t.Categorical[t.Incremental].Values)
	altered.Categorical[t.Incremental].Values = values
	for _, row := range slices.Concat(rows...) {
		switch values[row] {
		case a:
			values[row] = b
		case b:
			values[row] = a
		}
	}
	return &altered
}
