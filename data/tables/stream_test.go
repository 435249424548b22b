package tables

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/data/column"
	"gophe/data/cuts"
	"gophe/data/datatest"
	"gophe/phe/disk/filetest"
)

// streamTables returns the real data sets of the streams' tests.
func streamTables(t *testing.T) map[string]*Table {
	return map[string]*Table{"adult": loaded(t, "adult"), "bank": loaded(t, "bank"), "mushroom": mushroomOdor(t),
		"covertype-49999": loaded(t, "covertype-49999")}
}

// sameStream reports whether two streams show the same rows at the same places.
func sameStream(a, b *Stream) bool {
	return slices.Equal(a.Initial, b.Initial) && slices.EqualFunc(a.Steps, b.Steps, slices.Equal) && slices.Equal(a.Changes, b.Changes) &&
		slices.EqualFunc(a.Tests, b.Tests, func(x, y cuts.Test) bool {
			return x.Name == y.Name && x.Train == y.Train && slices.Equal(x.Items, y.Items) && slices.Equal(x.Rows, y.Rows)
		})
}

// checkStream checks the promises of every stream.
func checkStream(t *testing.T, table *Table, s *Stream, chunkRows int) {
	t.Helper()
	taught := slices.Concat(s.Initial, slices.Concat(s.Steps...))
	var tested []int32
	for _, test := range s.Tests {
		if len(test.Rows) == 0 || test.Name == "" || len(test.Items) == 0 {
			t.Errorf("test %q: %d rows, items %q", test.Name, len(test.Rows), test.Items)
		}
		for item := range datatest.Counts(itemsOf(s.Table, test.Rows)) {
			if !slices.Contains(test.Items, item) {
				t.Errorf("test %q: item %q is not of %q", test.Name, item, test.Items)
			}
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
		if len(step) < 2 || len(step) > chunkRows {
			t.Errorf("step %d has %d rows", i, len(step))
		}
	}
	for i, change := range s.Changes {
		if change.Step < 0 || change.Step >= len(s.Steps) || i > 0 && change.Step <= s.Changes[i-1].Step {
			t.Errorf("change %d of %v in %d steps", i, s.Changes, len(s.Steps))
		}
	}
	// A third of the rows of each item and class, rounded down, tests in every stream.
	strata, test := table.strata(table.allRows()), table.strata(tested)
	for s, n := range strata {
		if test[s] != n-(2*n+2)/3 {
			t.Errorf("%v: %d of %d rows are tested", s, test[s], n)
		}
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
		if test.Train != want {
			t.Errorf("test %q: Train is %d, the stream teaches %d", test.Name, test.Train, want)
		}
	}
}

func TestStreamsRefuse(t *testing.T) {
	table := toyTable(300, "a", "b", "c", "d") // in which all rows are of one class
	one := toyTable(300, "a")
	for _, c := range []struct {
		name string
		make func() (*Stream, error)
		want string
	}{
		{"one group", func() (*Stream, error) { return table.ByGroup(1, 10, 0) }, "1 groups, want at least 2"},
		{"more groups than items", func() (*Stream, error) { return table.ByGroup(5, 10, 0) }, "5 groups of the 4 items"},
		{"chunks of one", func() (*Stream, error) { return table.ByGroup(2, 1, 0) }, "steps of 1 rows"},
		{"negative steps", func() (*Stream, error) { return table.ByGroup(2, 10, -1) }, "at most -1 steps"},
		{"a group of one row", func() (*Stream, error) { return toyTable(3, "a", "b", "c").ByGroup(3, 10, 0) }, "1 training rows, too few"},
		{"growing chunks", func() (*Stream, error) { return table.Growing(0, 0) }, "steps of 0 rows"},
		{"growing steps", func() (*Stream, error) { return table.Growing(10, -3) }, "at most -3 steps"},
		{"growing, one item", func() (*Stream, error) { return one.Growing(10, 0) }, `"item" has 1 item`},
		{"growing, few steps", func() (*Stream, error) { return table.Growing(10, 2) }, "want at least 3 for 2 items"},
		{"growing, few rows", func() (*Stream, error) { return table.Growing(60, 0) }, "too few rows"},
		{"swapped chunks", func() (*Stream, error) { return table.Swapped(0.3, 1, 0) }, "steps of 1 rows"},
		{"swapped fraction", func() (*Stream, error) { return table.Swapped(1, 10, 0) }, "initial fraction 1"},
		{"swapped NaN", func() (*Stream, error) { return table.Swapped(math.NaN(), 10, 0) }, "initial fraction NaN"},
		{"swapped, one step", func() (*Stream, error) { return table.Swapped(0.3, 10, 1) }, "1 step, want at least 2"},
		{"swapped, no difference", func() (*Stream, error) { return table.Swapped(0.3, 10, 0) }, "no two items"},
	} {
		s, err := c.make()
		if s != nil {
			t.Errorf("%s: a stream", c.name)
		}
		t.Run(c.name, func(t *testing.T) { filetest.WantError(t, err, c.want) })
	}
}

// FuzzStreams makes tables of the bytes, one row each: the high half is the item, the lowest two bits the class.
func FuzzStreams(f *testing.F) {
	f.Add([]byte("a few rows, of which some are much more frequent than others eeeeeeeeeeeeeeeeeeeeeeeeeeeee"), uint8(3), uint8(0), uint8(2))
	f.Add([]byte(strings.Repeat("\x00\x11\x22\x33\x01", 40)), uint8(5), uint8(9), uint8(3))
	f.Add([]byte(strings.Repeat("\x00\x00\x00\x13\x21", 60)+strings.Repeat("\x30", 300)), uint8(2), uint8(4), uint8(2))
	f.Add([]byte{}, uint8(2), uint8(0), uint8(2))
	f.Fuzz(func(t *testing.T, rows []byte, chunk, most, numGroups uint8) {
		table := &Table{Categorical: []column.Categorical{{Name: "item"}}, Classes: []string{"0", "1", "2", "3"}}
		for _, b := range rows {
			table.Categorical[0].Values = append(table.Categorical[0].Values, string('a'+rune(b>>4)))
			table.Labels = append(table.Labels, int32(b&3))
		}
		chunkRows, maxSteps := int(chunk), int(most)
		if s, err := table.ByGroup(int(numGroups), chunkRows, maxSteps); err == nil {
			groups, _, _ := table.itemGroups(int(numGroups))
			checkByGroup(t, table, s, groups, chunkRows, maxSteps)
		}
		if s, err := table.Growing(chunkRows, maxSteps); err == nil {
			checkGrowing(t, table, s, chunkRows, maxSteps)
		}
		if s, err := table.Swapped(0.3, chunkRows, maxSteps); err == nil {
			checkSwapped(t, table, s, chunkRows, maxSteps)
		}
	})
}
