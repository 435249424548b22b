package labelled

import (
	"strings"

	"github.com/pkg/errors"

	"gophe/data/splits"
)

// Stream holds a table's rows in the order in which a learner sees them: initial rows, then step after step. Fixed sets of other
// rows test the learner.
//
// The paper's stream is a shuffle of one table, in which nothing changes. The streams ByGroup, Growing and Swapped are ours: in each
// of them something new begins along the way. Two thirds of the rows of each item and class, rounded up, are learned. The others
// test. No row occurs twice. All draws come from RandomState(1234) after the permutation of the items, so a table has one stream.
type Stream struct {
	Table   *Table        // table of the indices' rows; Swapped changes a copy
	Initial []int32       // rows that are learned first, for many epochs
	Steps   [][]int32     // later rows; each step is predicted, then learned. A step has chunkRows rows, or at least 2 where documented
	Changes []Change      // places where something new begins, ascending in Step
	Tests   []splits.Test // disjoint sets, none of which is empty
}

// Change is a place of a stream where something new begins.
type Change struct {
	Step int    // index into Steps of the first step that shows it
	What string // such as "items 10th, 12th, 11th"
}

// addTest adds a test unless it is empty.
func (s *Stream) addTest(test splits.Test) {
	if len(test.Rows) > 0 {
		s.Tests = append(s.Tests, test)
	}
}

// checkSteps checks the arguments that all streams have.
func checkSteps(stream string, chunkRows, maxSteps int) error {
	if chunkRows < 2 {
		return errors.Errorf("%s: steps of %d rows, want at least 2", stream, chunkRows)
	}
	if maxSteps < 0 {
		return errors.Errorf("%s: at most %d steps, want at least 0 (no limit)", stream, maxSteps)
	}
	return nil
}

// naming returns "item a" or "items a, b, c".
func naming(items []string) string {
	if len(items) == 1 {
		return "item " + items[0]
	}
	return "items " + strings.Join(items, ", ")
}
