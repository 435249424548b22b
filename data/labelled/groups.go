package labelled

import (
	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/splits"
	"gophe/phe/remedy/fieldpath"
)

// Group is one group of items of the incremental column, with its rows.
type Group struct {
	Items       []string
	Train, Test []int32 // row indices
}

// GroupCut chooses the two thirds of a group's rows that train.
type GroupCut string

const (
	// FileOrder is the authors' cut: the first ⌈2n/3⌉ of the group's n rows, in the order of the file, train and the others
	// test. In a sorted file test rows differ from training rows: Mushroom's first group trains on no poisonous mushroom
	// and is tested on 168. The paper's text calls the cut random.
	FileOrder GroupCut = "file-order"
	// Stratified is the random cut: two thirds of the group's rows of each item and class (rounded up) train and the others
	// test, both in random order.
	Stratified GroupCut = "stratified"
)

// Validate returns an error unless c is one of the cuts.
func (c GroupCut) Validate() error {
	if c != FileOrder && c != Stratified {
		return fieldpath.Errorf("cut", "group cut %q, want %q or %q", string(c), FileOrder, Stratified)
	}
	return nil
}

// GroupSplit cuts the rows into groups by their item of the incremental column, and each group into training and test rows. A model sees
// the groups one after the other, for continual learning (Adult: 5 groups; Bank, Mushroom and Covertype: 4).
//
// The V distinct items, in order of first appearance, are permuted and cut into groups of ⌊V/numGroups⌋ items. The last group takes the
// remainder. These are the groups that the paper prints. A group of a single row has no test rows. A stratified group has none if every
// item and class has fewer than three rows.
func (t *Table) GroupSplit(numGroups int, cut GroupCut) ([]Group, error) {
	if err := cut.Validate(); err != nil {
		return nil, err
	}
	items, random := t.permutedItems()
	if numGroups < 1 || numGroups > len(items) {
		return nil, errors.Errorf("item groups: %d groups of the %d items of column %q, want 1 to %d",
			numGroups, len(items), t.Categorical[t.Incremental].Name, len(items))
	}
	groups := make([]Group, numGroups)
	for g, items := range splits.Groups(items, numGroups) {
		rows, _ := t.partition(t.allRows(), items)
		groups[g].Items = items
		if cut == Stratified {
			groups[g].Train, groups[g].Test = t.stratify(splits.Shuffled(random, rows), 2, 3)
			continue
		}
		train := (2*len(rows) + 2) / 3
		groups[g].Train, groups[g].Test = rows[:train:train], rows[train:]
	}
	return groups, nil
}

// items returns the distinct items of the incremental column in order of first appearance.
func (t *Table) items() []string {
	_, items := column.Number(t.Categorical[t.Incremental].Values)
	return items
}

// permutedItems returns the items in the order of the authors' first draws, and the generator for the later draws. Every cut has the
// same order.
func (t *Table) permutedItems() (items []string, random *splits.RandomState) {
	random = splits.NewRandomState()
	return splits.Shuffled(random, t.items()), random
}
