package labelled

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gophe/data/datatest"
	"gophe/phe/disk/filetest"
)

func checkByGroup(t *testing.T, table *Table, s *Stream, groups [][]string, chunkRows, maxSteps int) {
	t.Helper()
	checkStream(t, table, s, chunkRows)
	s.checkTrain(t)
	filetest.Want(t, len(s.Changes), len(groups)-1, "changes")
	filetest.True(t, s.Changes[0].Step == 0 && s.Table == table, "changes %v, or another table", s.Changes)
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
		filetest.True(t, maxSteps == 0 || own <= maxSteps, "group %d has %d steps", g+1, own)
		filetest.True(t, i == end-1 || len(step) == chunkRows, "step %d of group %d has %d rows", i, g+1, len(step))
		for _, item := range itemsOf(table, step) {
			if !slices.Contains(groups[g], item) {
				t.Fatalf("step %d: item %q is not of group %d, %q", i, item, g+1, groups[g])
			}
		}
	}
	for g, items := range groups[1:] {
		what := s.Changes[g].What
		filetest.True(t, strings.HasSuffix(what, strings.Join(items, ", ")), "change %q for %q", what, items)
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
					filetest.Want(t, test.Name, fmt.Sprintf("group %d", g+1), "test %d", g)
					filetest.True(t, slices.Equal(test.Rows, split[g].Test), "%q: other rows than the cut's", test.Name)
					taught := len(split[g].Train)
					if taught%101 == 1 {
						taught-- // a step of one row is none
					}
					filetest.True(t, maxSteps > 0 || test.Train == taught, "%q: %d of %d rows are taught", test.Name, test.Train, taught)
				}
				again := filetest.Must(table.ByGroup(len(c.groups), 101, maxSteps))(t)
				filetest.True(t, reflect.DeepEqual(s, again), "two calls differ")
			})
		}
	}
	s, _ := loaded(t, "adult").ByGroup(5, 100, 0)
	want := []Change{{0, "items 10th, 12th, 11th"}, {23, "items Prof-school, 7th-8th, HS-grad"}, {133, "items Assoc-voc, Doctorate, 9th"},
		{155, "items Some-college, Assoc-acdm, Masters, 1st-4th"}} // 2281, 10929 and 2121 rows make 23, 110 and 22 steps
	filetest.Want(t, s.Changes, want, "changes")
}

// protocolGroups are the groups that the paper prints, with the row counts of the authors' cut (PROTOCOL.md, b).
var protocolGroups = []struct {
	name   string
	groups []protocolGroup
}{
	{"adult", []protocolGroup{
		{[]string{"Preschool", "5th-6th", "Bachelors"}, 5394, 2697}, {[]string{"10th", "12th", "11th"}, 2280, 1139},
		{[]string{"Prof-school", "7th-8th", "HS-grad"}, 10928, 5463}, {[]string{"Assoc-voc", "Doctorate", "9th"}, 2120, 1059},
		{[]string{"Some-college", "Assoc-acdm", "Masters", "1st-4th"}, 9428, 4714},
	}},
	{"bank", []protocolGroup{
		{[]string{"unknown"}, 24640, 12319}, {[]string{"failure"}, 3268, 1633}, {[]string{"other"}, 1227, 613}, {[]string{"success"},
			1008, 503},
	}},
	{"mushroom", []protocolGroup{
		{[]string{"MUSTY", "NONE"}, 2571, 1285}, {[]string{"ANISE", "ALMOND"}, 534, 266}, {[]string{"SPICY", "CREOSOTE"}, 512, 256},
		{[]string{"FOUL", "FISHY", "PUNGENT"}, 1995, 997},
	}},
	{"covertype-49999", []protocolGroup{
		{[]string{"A1"}, 25651, 12825}, {[]string{"A3"}, 4233, 2116}, {[]string{"A4"}, 3117, 1558}, {[]string{"A2"}, 333, 166},
	}},
}

type protocolGroup struct {
	items       []string
	train, test int
}

// TestGroupSplit compares both cuts with the protocol. The stratified one may round up once for each item and class.
func TestGroupSplit(t *testing.T) {
	for _, c := range protocolGroups {
		table := loaded(t, c.name)
		all := table.strata(table.allRows())
		for _, cut := range []GroupCut{FileOrder, Stratified} {
			groups := filetest.Must(table.GroupSplit(len(c.groups), cut))(t)
			checkGroups(t, table, groups)
			again := filetest.Must(table.GroupSplit(len(c.groups), cut))(t)
			filetest.True(t, reflect.DeepEqual(groups, again), "%s: two calls differ", c.name)
			for i, want := range c.groups {
				g, more := groups[i], 0
				if cut == Stratified {
					train, test := table.strata(g.Train), table.strata(g.Test)
					for s, n := range train {
						filetest.True(t, all[s] == n+test[s] && n == (2*all[s]+2)/3,
							"%s: %v: %d train, %d test", c.name, s, n, test[s])
					}
					more = len(train)
				}
				n, test := len(g.Train), len(g.Test)
				filetest.Want(t, g.Items, want.items, "%s, group %d: items", c.name, i+1)
				filetest.Want(t, n+test, want.train+want.test, "%s, group %d: rows", c.name, i+1)
				filetest.True(t, n >= want.train && n <= want.train+more, "%s, group %d: %d of them train", c.name, i+1, n)
				inOrder := cut == FileOrder // the first rows of the file train
				if slices.IsSorted(slices.Concat(g.Train, g.Test)) != inOrder || !inOrder && (slices.IsSorted(g.Train) ||
					slices.IsSorted(g.Test)) {
					t.Errorf("%s, group %d: in file order is not %t", c.name, i+1, inOrder)
				}
			}
		}
	}
}

// checkGroups checks that each row occurs once, in the group of its item.
func checkGroups(t *testing.T, table *Table, groups []Group) {
	t.Helper()
	var all []int32
	for g, group := range groups {
		rows := slices.Concat(group.Train, group.Test)
		for item := range datatest.Counts(itemsOf(table, rows)) {
			if !slices.Contains(group.Items, item) {
				t.Fatalf("group %d has the item %q", g+1, item)
			}
		}
		all = append(all, rows...)
	}
	slices.Sort(all)
	filetest.True(t, slices.Equal(all, table.allRows()), "%d of %d rows, or one of them twice", len(all), table.NumRows())
}

// strata counts the rows of each item and class.
func (t *Table) strata(rows []int32) map[stratum]int {
	n := make(map[stratum]int)
	for _, row := range rows {
		n[stratum{t.Categorical[t.Incremental].Values[row], t.Labels[row]}]++
	}
	return n
}
