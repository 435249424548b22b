package labelled

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gophe/data/datatest"
	"gophe/phe/disk/filetest"
)

// streamTables returns the real data sets of the streams' tests: two, or in the long form all.
func streamTables(t *testing.T) map[string]*Table {
	all := map[string]*Table{"adult": loaded(t, "adult"), "mushroom": mushroomOdor(t)}
	if filetest.Long() {
		all["bank"], all["covertype-49999"] = loaded(t, "bank"), loaded(t, "covertype-49999")
	}
	return all
}

// checkStream checks the promises of every stream.
func checkStream(t *testing.T, table *Table, s *Stream, chunkRows int) {
	t.Helper()
	taught := slices.Concat(s.Initial, slices.Concat(s.Steps...))
	var tested []int32
	for _, test := range s.Tests {
		whole := len(test.Rows) > 0 && test.Name != "" && len(test.Items) > 0
		filetest.True(t, whole, "test %q: %d rows, items %q", test.Name, len(test.Rows), test.Items)
		for item := range datatest.Counts(itemsOf(s.Table, test.Rows)) {
			filetest.True(t, slices.Contains(test.Items, item), "test %q: item %q is not of %q", test.Name, item, test.Items)
		}
		tested = append(tested, test.Rows...)
	}
	seen := make([]bool, table.NumRows())
	for _, row := range slices.Concat(taught, tested) {
		if seen[row] {
			t.Fatalf("row %d comes twice", row)
		}
		seen[row] = true
	}
	for i, step := range s.Steps {
		filetest.True(t, len(step) >= 2 && len(step) <= chunkRows, "step %d has %d rows", i, len(step))
	}
	for i, change := range s.Changes {
		later := i == 0 || change.Step > s.Changes[i-1].Step
		filetest.True(t, later && change.Step >= 0 && change.Step < len(s.Steps), "change %d of %v in %d steps", i, s.Changes, len(s.Steps))
	}
	// A third of the rows of each item and class, rounded down, tests in every stream.
	strata, test := table.strata(table.allRows()), table.strata(tested)
	for s, n := range strata {
		filetest.True(t, test[s] == n-(2*n+2)/3, "%v: %d of %d rows are tested", s, test[s], n)
	}
}

// itemsOf returns the items of rows.
func itemsOf(table *Table, rows []int32) []string {
	items := make([]string, len(rows))
	for i, row := range rows {
		items[i] = table.Categorical[table.Incremental].Values[row]
	}
	return items
}

// firstSteps returns, for each item, the first step that has it; −1 if Initial has.
func (s *Stream) firstSteps() map[string]int {
	first := make(map[string]int)
	for i := len(s.Steps) - 1; i >= 0; i-- {
		for _, item := range itemsOf(s.Table, s.Steps[i]) {
			first[item] = i
		}
	}
	for _, item := range itemsOf(s.Table, s.Initial) {
		first[item] = -1
	}
	return first
}

// taught counts the rows that a stream teaches, by item.
func (s *Stream) taught() map[string]int {
	return datatest.Counts(itemsOf(s.Table, slices.Concat(s.Initial, slices.Concat(s.Steps...))))
}

// checkTrain checks Test.Train where an item means the same throughout.
func (s *Stream) checkTrain(t *testing.T) {
	t.Helper()
	taught := s.taught()
	for _, test := range s.Tests {
		want := 0
		for _, item := range test.Items {
			want += taught[item]
		}
		filetest.True(t, test.Train == want, "test %q: Train is %d, the stream teaches %d", test.Name, test.Train, want)
	}
}

// TestCutsRefuse checks the arguments of each cut. A cut with an error returns nothing.
func TestCutsRefuse(t *testing.T) {
	table := toyTable(300, "a", "b", "c", "d") // in which all rows are of one class
	one, three := toyTable(300, "a"), toyTable(3, "a", "b", "c")
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"one group", failed(table.ByGroup(1, 10, 0)), "1 groups, want at least 2"},
		{"more groups than items", failed(table.ByGroup(5, 10, 0)), "5 groups of the 4 items"},
		{"chunks of one", failed(table.ByGroup(2, 1, 0)), "steps of 1 rows"},
		{"negative steps", failed(table.ByGroup(2, 10, -1)), "at most -1 steps"},
		{"a group of one row", failed(three.ByGroup(3, 10, 0)), "1 training rows, too few"},
		{"growing chunks", failed(table.Growing(0, 0)), "steps of 0 rows"},
		{"growing steps", failed(table.Growing(10, -3)), "at most -3 steps"},
		{"growing, one item", failed(one.Growing(10, 0)), `"item" has 1 item`},
		{"growing, few steps", failed(table.Growing(10, 2)), "want at least 3 for 2 items"},
		{"growing, few rows", failed(table.Growing(60, 0)), "too few rows"},
		{"swapped chunks", failed(table.Swapped(0.3, 1, 0)), "steps of 1 rows"},
		{"swapped fraction", failed(table.Swapped(1, 10, 0)), "initial fraction 1"},
		{"swapped NaN", failed(table.Swapped(math.NaN(), 10, 0)), "initial fraction NaN"},
		{"swapped, one step", failed(table.Swapped(0.3, 10, 1)), "1 step, want at least 2"},
		{"swapped, no difference", failed(table.Swapped(0.3, 10, 0)), "no two items"},
		{"split into -1 groups", failed(table.GroupSplit(-1, FileOrder)), "-1 groups of the 4 items"},
		{"split into no groups", failed(table.GroupSplit(0, FileOrder)), "0 groups of the 4 items"},
		{"split into five groups", failed(table.GroupSplit(5, FileOrder)), "5 groups of the 4 items"},
		{"no cut", failed(table.GroupSplit(2, "")), `group cut "", want "file-order" or "stratified"`},
		{"another cut", failed(table.GroupSplit(2, "Stratified")), `group cut "Stratified"`},
		{"no initial data", failed(table.OnlineSplit(0, 10)), "initial fraction 0"},
		{"negative fraction", failed(table.OnlineSplit(-0.1, 10)), "initial fraction -0.1"},
		{"no stream", failed(table.OnlineSplit(1, 10)), "initial fraction 1"},
		{"NaN fraction", failed(table.OnlineSplit(math.NaN(), 10)), "initial fraction NaN"},
		{"infinite fraction", failed(table.OnlineSplit(math.Inf(1), 10)), "initial fraction +Inf"},
		{"empty chunks", failed(table.OnlineSplit(0.3, 0)), "chunks of 0 rows"},
		{"chunks without a scored row", failed(table.OnlineSplit(0.3, 1)), "of 1 row nothing is scored"},
		{"negative chunks", failed(table.OnlineSplit(0.3, -1)), "chunks of -1 rows"},
		{"too few rows", failed(three.OnlineSplit(0.3, 2)), "leaves 0 initial rows"},
		{"no rows", failed(toyTable(0, "a").OnlineSplit(0.3, 2)), "0.3 of 0 rows"},
	} {
		t.Run(c.name, func(t *testing.T) { filetest.WantError(t, c.err, c.want) })
	}
}

// failed returns the error of a cut, if the cut returned nothing else.
func failed[T any](made T, err error) error {
	if !reflect.ValueOf(&made).Elem().IsZero() {
		return nil
	}
	return err
}

// FuzzStreams makes tables of the bytes, one row each: the high half is the item, the lowest two bits the class.
func FuzzStreams(f *testing.F) {
	f.Add([]byte("a few rows, of which some are much more frequent than others "+strings.Repeat("e", 29)), uint8(3), uint8(0), uint8(2))
	f.Add([]byte(strings.Repeat("\x00\x11\x22\x33\x01", 40)), uint8(5), uint8(9), uint8(3))
	f.Add([]byte(strings.Repeat("\x00\x00\x00\x13\x21", 60)+strings.Repeat("\x30", 300)), uint8(2), uint8(4), uint8(2))
	f.Add([]byte{}, uint8(2), uint8(0), uint8(2))
	f.Fuzz(func(t *testing.T, rows []byte, chunk, most, numGroups uint8) {
		var pairs []string
		for _, b := range rows {
			pairs = append(pairs, string([]byte{'a' + b>>4, '0' + b&3}))
		}
		table := tableOf(pairs...)
		chunkRows, maxSteps := int(chunk), int(most)
		if s, err := table.ByGroup(int(numGroups), chunkRows, maxSteps); err == nil {
			checkByGroup(t, table, s, itemGroups(t, table, int(numGroups)), chunkRows, maxSteps)
		}
		if s, err := table.Growing(chunkRows, maxSteps); err == nil {
			checkGrowing(t, table, s, chunkRows, maxSteps)
		}
		if s, err := table.Swapped(0.3, chunkRows, maxSteps); err == nil {
			checkSwapped(t, table, s, chunkRows, maxSteps)
		}
	})
}
