package tables

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

func checkByGroup(t *testing.T, table *Table, s *Stream, groups [][]string, chunkRows, maxSteps int) {
	t.Helper()
	checkStream(t, table, s, chunkRows)
	s.checkTrain(t)
	if len(s.Changes) != len(groups)-1 || s.Changes[0].Step != 0 || s.Table != table {
		t.Fatalf("changes %v for %d groups", s.Changes, len(groups))
	}
	for i, step := range s.Steps {
		g := 1
		for g < len(s.Changes) && i >= s.Changes[g].Step {
			g++
		}
		end := len(s.Steps)
		if g < len(s.Changes) {
			end = s.Changes[g].Step
		}
		if maxSteps > 0 && end-s.Changes[g-1].Step > maxSteps {
			t.Errorf("group %d has %d steps", g+1, end-s.Changes[g-1].Step)
		}
		if i < end-1 && len(step) != chunkRows {
			t.Errorf("step %d of group %d has %d rows", i, g+1, len(step))
		}
		for _, item := range itemsOf(table, step) {
			if !slices.Contains(groups[g], item) {
				t.Fatalf("step %d: item %q is not of group %d, %q", i, item, g+1, groups[g])
			}
		}
	}
	for g, items := range groups[1:] {
		if what := s.Changes[g].What; !strings.HasSuffix(what, strings.Join(items, ", ")) {
			t.Errorf("change %q for %q", what, items)
		}
	}
}

func TestByGroup(t *testing.T) {
	for _, c := range protocolGroups {
		table := streamTables(t)[c.name]
		for _, maxSteps := range []int{0, 1, 7} {
			if table == nil {
				continue // in the long form
			}
			t.Run(fmt.Sprint(c.name, maxSteps), func(t *testing.T) {
				s := filetest.Must(table.ByGroup(len(c.groups), 101, maxSteps))(t)
				checkByGroup(t, table, s, itemGroups(t, table, len(c.groups)), 101, maxSteps)
				split, _ := table.GroupSplit(len(c.groups), Stratified)
				for g, test := range s.Tests {
					if test.Name != fmt.Sprintf("group %d", g+1) || !slices.Equal(test.Rows, split[g].Test) {
						t.Errorf("test %d is %q with %d rows", g, test.Name, len(test.Rows))
					}
					if want := len(split[g].Train); maxSteps == 0 && test.Train != want && (want%101 != 1 || test.Train != want-1) {
						t.Errorf("%q: %d of %d rows are taught", test.Name, test.Train, want)
					}
				}
				if again, _ := table.ByGroup(len(c.groups), 101, maxSteps); !reflect.DeepEqual(s, again) {
					t.Error("two calls differ")
				}
			})
		}
	}
	s, _ := loaded(t, "adult").ByGroup(5, 100, 0)
	want := []Change{{0, "items 10th, 12th, 11th"}, {23, "items Prof-school, 7th-8th, HS-grad"}, {133, "items Assoc-voc, Doctorate, 9th"},
		{155, "items Some-college, Assoc-acdm, Masters, 1st-4th"}} // 2281, 10929 and 2121 rows make 23, 110 and 22 steps
	filetest.WantEqual(t, s.Changes, want, "changes")
}
