package labelled

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

func checkSwapped(t *testing.T, table *Table, s *Stream, chunkRows, maxSteps int) {
	t.Helper()
	checkStream(t, table, s, chunkRows)
	filetest.Want(t, len(s.Changes), 1, "changes")
	filetest.Want(t, s.Changes[0].Step, len(s.Steps)/2, "step of the change")
	filetest.True(t, maxSteps == 0 || len(s.Steps) <= maxSteps, "%d steps", len(s.Steps))
	before, after, _ := strings.Cut(strings.TrimSuffix(s.Changes[0].What, " swapped"), " and ")
	pair := []string{before, after}
	altered := make(map[int32]bool)
	for _, row := range slices.Concat(s.Steps[s.Changes[0].Step:]...) {
		altered[row] = true
	}
	var meanings [2]int // test rows of the pair
	for _, test := range s.Tests {
		switch test.Name {
		case "swapped items, new meaning":
			for _, row := range test.Rows {
				altered[row] = true
			}
			meanings[1] = len(test.Rows)
		case "swapped items, old meaning":
			meanings[0] = len(test.Rows)
		}
		filetest.True(t, strings.HasPrefix(test.Name, "swapped items") == slices.Equal(test.Items, pair),
			"test %q has the items %q, swapped are %q", test.Name, test.Items, pair)
	}
	more := meanings[0] - meanings[1]
	filetest.True(t, more >= 0 && more <= 2*len(table.Classes), "%d test rows with the old and the new meaning", meanings)
	now := s.Table.Categorical[s.Table.Incremental].Values
	exchanged := map[string]string{pair[0]: pair[1], pair[1]: pair[0]}
	for row, item := range table.Categorical[table.Incremental].Values {
		want := item
		if other := exchanged[item]; other != "" && altered[int32(row)] {
			want = other
		}
		if now[row] != want {
			t.Fatalf("row %d: %q became %q, want %q", row, item, now[row], want)
		}
	}
	checkSwappedTrain(t, s, pair)
}

// checkSwappedTrain checks Test.Train, which counts the pair's rows by their meaning.
func checkSwappedTrain(t *testing.T, s *Stream, pair []string) {
	t.Helper()
	count := func(rows []int32) (of, others int) {
		for _, item := range itemsOf(s.Table, rows) {
			if slices.Contains(pair, item) {
				of++
			} else {
				others++
			}
		}
		return of, others
	}
	before, othersBefore := count(slices.Concat(s.Initial, slices.Concat(s.Steps[:s.Changes[0].Step]...)))
	after, othersAfter := count(slices.Concat(s.Steps[s.Changes[0].Step:]...))
	others := othersBefore + othersAfter
	want := map[string]int{"other items": others, "swapped items, old meaning": before, "swapped items, new meaning": after}
	for _, test := range s.Tests {
		filetest.Want(t, test.Train, want[test.Name], "test %q: Train", test.Name)
	}
}

func TestSwapped(t *testing.T) {
	tables := streamTables(t)
	for _, c := range []struct{ name, what string }{
		{"adult", "Bachelors and HS-grad swapped"}, // 42 % and 16 % of which earn more than 50K
		{"bank", "unknown and success swapped"},
		{"mushroom", "NONE and FOUL swapped"}, // 97 % and none of which are edible
		{"covertype-49999", "A1 and A4 swapped"},
	} {
		table := tables[c.name]
		for _, maxSteps := range []int{0, 2, 100} {
			if table == nil {
				continue // in the long form
			}
			t.Run(fmt.Sprint(c.name, maxSteps), func(t *testing.T) {
				values := slices.Clone(table.Categorical[table.Incremental].Values)
				s := filetest.Must(table.Swapped(0.3, 50, maxSteps))(t)
				checkSwapped(t, table, s, 50, maxSteps)
				filetest.Want(t, s.Changes[0].What, c.what, "the change")
				filetest.Want(t, len(s.Tests), 3, "tests")
				filetest.True(t, slices.Equal(values, table.Categorical[table.Incremental].Values), "the table itself was altered")
				train := 0
				for _, n := range table.strata(table.allRows()) {
					train += (2*n + 2) / 3
				}
				filetest.Want(t, len(s.Initial), int(0.3*float64(train)), "initial rows")
				again := filetest.Must(table.Swapped(0.3, 50, maxSteps))(t)
				filetest.True(t, reflect.DeepEqual(s, again), "two calls differ")
			})
		}
	}
}

// TestMostDifferent works out the criterion by hand, on rows (item, class).
func TestMostDifferent(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []string
		want string
	}{
		{"frequent beats distant", []string{"a0", "b1", "c0", "c0", "c0", "c1", "d1", "d1", "d1", "d0"}, "cd"}, // 4·½ against 1·1
		{"distance counts", []string{"a0", "a0", "a1", "b0", "b0", "b1", "c1", "c1"}, "ac"},                    // 2·⅔, and ab 0
		{"ties go to the first", []string{"b0", "a1", "c2"}, "ba"},
		{"three classes", []string{"a0", "a1", "b1", "b2", "c0", "c0"}, "bc"}, // ab 2·½, ac 2·½, bc 2·1
	} {
		table := tableOf(c.rows...)
		pair, err := table.maxDifferent(table.allRows())
		filetest.True(t, err == nil && strings.Join(pair, "") == c.want, "%s: %q, %v, want %q", c.name, pair, err, c.want)
	}
	table := tableOf("a0", "b0", "c1")
	_, err := table.maxDifferent([]int32{0, 1}) // c is not among the initial rows
	filetest.WantError(t, err, `no two items of column "item"`, "2 initial rows")
}
