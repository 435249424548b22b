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
	filetest.WantEqual(t, len(s.Changes), len(groups)-1, "changes")
	filetest.Want(t, s.Changes[0].Step == 0 && s.Table == table, "changes %v, or another table", s.Changes)
	for i, step := range s.Steps {
		g := 1
		for g < len(s.Changes) && i >= s.Changes[g].Step {
			g++
		}
		end := len(s.Steps)
		if g < len(s.Changes) {
			end = s.Changes[g].Step
		}
		own := end - s.Changes[g-1].Step
		filetest.Want(t, maxSteps == 0 || own <= maxSteps, "group %d has %d steps", g+1, own)
		filetest.Want(t, i == end-1 || len(step) == chunkRows, "step %d of group %d has %d rows", i, g+1, len(step))
		for _, item := range itemsOf(table, step) {
			if !slices.Contains(groups[g], item) {
				t.Fatalf("step %d: item %q is not of group %d, %q", i, item, g+1, groups[g])
			}
		}
	}
	for g, items := range groups[1:] {
		what := s.Changes[g].What
		filetest.Want(t, strings.HasSuffix(what, strings.Join(items, ", ")), "change %q for %q", what, items)
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
					filetest.WantEqual(t, test.Name, fmt.Sprintf("group %d", g+1), "test %d", g)
					filetest.Want(t, slices.Equal(test.Rows, split[g].Test), "%q: other rows than the cut's", test.Name)
					taught := len(split[g].Train)
					if taught%101 == 1 {
						taught-- // a step of one row is none
					}
					filetest.Want(t, maxSteps > 0 || test.Train == taught, "%q: %d of %d rows are taught", test.Name, test.Train, taught)
				}
				again := filetest.Must(table.ByGroup(len(c.groups), 101, maxSteps))(t)
				filetest.Want(t, reflect.DeepEqual(s, again), "two calls differ")
			})
		}
	}
	s, _ := loaded(t, "adult").ByGroup(5, 100, 0)
	want := []Change{{0, "items 10th, 12th, 11th"}, {23, "items Prof-school, 7th-8th, HS-grad"}, {133, "items Assoc-voc, Doctorate, 9th"},
		{155, "items Some-college, Assoc-acdm, Masters, 1st-4th"}} // 2281, 10929 and 2121 rows make 23, 110 and 22 steps
	filetest.WantEqual(t, s.Changes, want, "changes")
}
