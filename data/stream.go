package data

import (
	"strings"

	"github.com/pkg/errors"
)

// Stream is a table in the order in which a learner meets it: initial rows, then step after step; and fixed sets of rows
// on which what it knows is tested.
//
// The streams of this package (ByGroup, Growing, Swapped) are ours, not the paper's, whose stream is a shuffle of one
// table, in which nothing changes. In each of them something new begins along the way. Two thirds of the rows of each
// item and class, rounded up, are there to be learned, the others are tested on, and no row is both. No row comes
// twice. All draws come from RandomState(1234) after the permutation of the items: one table, one stream.
type Stream struct {
	Table   *Table    // whose rows the indices name; Swapped alters a copy
	Initial []int32   // learned first, for many epochs
	Steps   [][]int32 // then these, each predicted, then learned; each of chunkRows rows, or of 2 or more where so documented
	Changes []Change  // where something new begins, ascending in Step
	Tests   []Test    // disjoint; none is empty
}

// Change is a place of a stream where something new begins.
type Change struct {
	Step int    // index into Steps of the first one that shows it
	What string // such as "items 10th, 12th, 11th"
}

// Test is a set of rows, none of which is learned.
type Test struct {
	Name  string
	Items []string // of the incremental column, those whose rows the set holds
	Train int      // how many rows of these items, with the same meaning, the whole stream teaches, Initial included
	Rows  []int32
}

// addTest adds a set unless it is empty.
func (s *Stream) addTest(test Test) {
	if len(test.Rows) > 0 {
		s.Tests = append(s.Tests, test)
	}
}

// checkSteps checks what all streams are asked for.
func checkSteps(stream string, chunkRows, maxSteps int) error {
	if chunkRows < 2 {
		return errors.Errorf("%s: steps of %d rows, want 2 or more", stream, chunkRows)
	}
	if maxSteps < 0 {
		return errors.Errorf("%s: at most %d steps, want 0 (no limit) or more", stream, maxSteps)
	}
	return nil
}

// chunks cuts rows into chunks of chunkRows, the first maxSteps of them (0: all). The last may be shorter; a single row
// left over is dropped.
func chunks(rows []int32, chunkRows, maxSteps int) [][]int32 {
	var cut [][]int32
	for len(rows) >= 2 && (maxSteps == 0 || len(cut) < maxSteps) {
		n := min(chunkRows, len(rows))
		cut = append(cut, rows[:n:n])
		rows = rows[n:]
	}
	return cut
}

// numRows returns how many rows there are in steps.
func numRows(steps [][]int32) int {
	n := 0
	for _, step := range steps {
		n += len(step)
	}
	return n
}

// allRows returns the indices of the table's rows, in order.
func (t *Table) allRows() []int32 {
	rows := make([]int32, t.NumRows())
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// partition cuts rows into those with one of the items and those with another one, keeping their order.
func (t *Table) partition(rows []int32, items []string) (with, without []int32) {
	values := t.Categorical[t.Incremental].Values
	wanted := make(map[string]bool, len(items))
	for _, item := range items {
		wanted[item] = true
	}
	for _, row := range rows {
		if wanted[values[row]] {
			with = append(with, row)
		} else {
			without = append(without, row)
		}
	}
	return with, without
}

// naming is "item a" or "items a, b, c".
func naming(items []string) string {
	if len(items) == 1 {
		return "item " + items[0]
	}
	return "items " + strings.Join(items, ", ")
}
