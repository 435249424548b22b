package data

import "github.com/pkg/errors"

// Group is one group of items of the incremental column, with its rows.
type Group struct {
	Items       []string
	Train, Test []int32 // row indices of the table
}

// GroupCut says which two thirds of a group's rows are its training rows.
type GroupCut string

const (
	// FileOrder is the authors' cut: of the group's n rows, in the order of the file, the first ⌈2n/3⌉ train and the
	// others test. Where the file is sorted, test rows are of another kind than training rows: Mushroom's first group
	// trains on no poisonous mushroom and is tested on 168. The paper's text calls the cut random.
	FileOrder GroupCut = "file-order"
	// Stratified is the random cut: of each item and class within the group, two thirds of the rows (rounded up) train
	// and the others test, both in random order.
	Stratified GroupCut = "stratified"
)

// Validate returns an error unless c is one of the cuts.
func (c GroupCut) Validate() error {
	if c != FileOrder && c != Stratified {
		return errors.Errorf("group cut %q, want %q or %q", string(c), FileOrder, Stratified)
	}
	return nil
}

// GroupSplit cuts the rows into groups by their item of the incremental column (see ItemGroups), and each group into
// training and test rows. A group of a single row has no test rows, nor has a stratified one with fewer than three rows
// of each item and class.
func (t *Table) GroupSplit(numGroups int, cut GroupCut) ([]Group, error) {
	if err := cut.Validate(); err != nil {
		return nil, err
	}
	all, err := t.ItemGroups(numGroups)
	if err != nil {
		return nil, err
	}
	random := t.afterItems()
	groups := make([]Group, len(all))
	for g, items := range all {
		rows, _ := t.partition(t.allRows(), items)
		groups[g].Items = items
		if cut == Stratified {
			groups[g].Train, groups[g].Test = t.stratify(random.shuffled(rows), 2, 3)
			continue
		}
		train := (2*len(rows) + 2) / 3
		groups[g].Train, groups[g].Test = rows[:train:train], rows[train:]
	}
	return groups, nil
}

// ItemGroups cuts the items of the incremental column into groups that a model meets one after the other, for
// continual learning (Adult: 5 groups; Bank, Mushroom and Covertype: 4): the distinct values in order of first
// appearance, permuted, then cut in groups of floor(V/numGroups) items; the last group takes the remainder. This gives
// the groups that the paper prints.
func (t *Table) ItemGroups(numGroups int) ([][]string, error) {
	items := t.permutedItems()
	if numGroups < 1 || numGroups > len(items) {
		return nil, errors.Errorf("item groups: %d groups of the %d items of column %q, want 1 to %d",
			numGroups, len(items), t.Categorical[t.Incremental].Name, len(items))
	}
	return cutGroups(items, numGroups), nil
}

// cutGroups cuts items into groups of the same size, rounded down; the last takes the remainder.
func cutGroups[T any](items []T, numGroups int) [][]T {
	size := len(items) / numGroups
	groups := make([][]T, numGroups)
	for g := range groups {
		groups[g] = items[g*size : (g+1)*size : (g+1)*size]
	}
	groups[numGroups-1] = items[(numGroups-1)*size:]
	return groups
}

// items returns the distinct items of the incremental column in order of first appearance.
func (t *Table) items() []string { return firstAppearance(t.Categorical[t.Incremental].Values) }

// permutedItems returns the items in the order of the authors' first draws, which are the same for every cut.
func (t *Table) permutedItems() []string {
	items := t.items()
	permuted := make([]string, len(items))
	for i, j := range NewRandomState(splitSeed).Permutation(len(items)) {
		permuted[i] = items[j]
	}
	return permuted
}

// afterItems returns the generator as permutedItems leaves it, for the draws that follow.
func (t *Table) afterItems() *RandomState {
	random := NewRandomState(splitSeed)
	random.Permutation(len(t.items()))
	return random
}

// stratum is what a random cut keeps in proportion.
type stratum struct {
	item  string
	class int32
}

// stratify cuts rows in two, keeping their order: of the n rows of each item and class the first ⌈n·numerator/denominator⌉
// go to the first part. Rounding up means that whatever the rows show at all, the first part shows.
func (t *Table) stratify(rows []int32, numerator, denominator int) (first, rest []int32) {
	values := t.Categorical[t.Incremental].Values
	quota := make(map[stratum]int)
	for _, row := range rows {
		quota[stratum{values[row], t.Labels[row]}]++
	}
	for s, n := range quota {
		quota[s] = (n*numerator + denominator - 1) / denominator
	}
	for _, row := range rows {
		s := stratum{values[row], t.Labels[row]}
		if quota[s] > 0 {
			quota[s]--
			first = append(first, row)
		} else {
			rest = append(rest, row)
		}
	}
	return first, rest
}
