package tables

import (
	"fmt"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
)

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
		{[]string{"unknown"}, 24640, 12319}, {[]string{"failure"}, 3268, 1633}, {[]string{"other"}, 1227, 613}, {[]string{"success"}, 1008, 503},
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

func TestGroupSplitProtocol(t *testing.T) {
	for _, c := range protocolGroups {
		table := loaded(t, c.name)
		got := filetest.Must(table.GroupSplit(len(c.groups), FileOrder))(t)
		for i, want := range c.groups {
			g := got[i]
			if !slices.Equal(g.Items, want.items) || len(g.Train) != want.train || len(g.Test) != want.test {
				t.Errorf("%s, group %d: %q with %d + %d rows, want %q with %d + %d",
					c.name, i+1, g.Items, len(g.Train), len(g.Test), want.items, want.train, want.test)
			}
			if all := slices.Concat(g.Train, g.Test); !slices.IsSorted(all) {
				t.Errorf("%s, group %d: rows not in file order", c.name, i+1)
			}
		}
		checkGroups(t, table, got)
	}
}

// TestGroupSplitMushroom shows the effect of the file's order on the authors' first group. The stratified cut has no such effect.
func TestGroupSplitMushroom(t *testing.T) {
	table := loaded(t, "mushroom")
	poisonous := func(rows []int32, item string) (n int) {
		for _, row := range rows {
			if table.Labels[row] == 1 && (item == "" || table.column("odor")[row] == item) {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		cut                           GroupCut
		train, test                   int
		trainPoisonous, testPoisonous int
		trainMusty, testMusty         int
	}{
		{FileOrder, 2571, 1285, 0, 168, 0, 48},
		{Stratified, 2571, 1285, 112, 56, 32, 16}, // ⌈2·3688/3⌉ + 80 + 32 = 2459 + 112
	} {
		groups := filetest.Must(table.GroupSplit(4, c.cut))(t)
		g := groups[0]
		got := []int{len(g.Train), len(g.Test), poisonous(g.Train, ""), poisonous(g.Test, ""), poisonous(g.Train, "MUSTY"), poisonous(g.Test, "MUSTY")}
		if want := []int{c.train, c.test, c.trainPoisonous, c.testPoisonous, c.trainMusty, c.testMusty}; !slices.Equal(got, want) {
			t.Errorf("%s: rows, poisonous and musty ones %v, want %v", c.cut, got, want)
		}
	}
}

// checkGroups checks that each row occurs once, in the group of its item.
func checkGroups(t *testing.T, table *Table, groups []Group) {
	t.Helper()
	seen := make([]bool, table.NumRows())
	n := 0
	for g, group := range groups {
		for _, row := range slices.Concat(group.Train, group.Test) {
			if seen[row] || !slices.Contains(group.Items, table.Categorical[table.Incremental].Values[row]) {
				t.Fatalf("group %d: row %d is there twice, or has another item", g+1, row)
			}
			seen[row] = true
			n++
		}
	}
	if n != table.NumRows() {
		t.Errorf("%d of %d rows", n, table.NumRows())
	}
}

// strata counts the rows of each item and class.
func (t *Table) strata(rows []int32) map[stratum]int {
	n := make(map[stratum]int)
	for _, row := range rows {
		n[stratum{t.Categorical[t.Incremental].Values[row], t.Labels[row]}]++
	}
	return n
}

func TestGroupSplitStratified(t *testing.T) {
	for _, c := range protocolGroups {
		table := loaded(t, c.name)
		groups := filetest.Must(table.GroupSplit(len(c.groups), Stratified))(t)
		checkGroups(t, table, groups)
		again, _ := table.GroupSplit(len(c.groups), Stratified)
		all := table.strata(table.allRows())
		for i, g := range groups {
			train, test := table.strata(g.Train), table.strata(g.Test)
			for s, n := range train {
				if all[s] != n+test[s] || n != (2*all[s]+2)/3 {
					t.Errorf("%s: %v: %d train, %d test", c.name, s, n, test[s])
				}
			}
			if want := c.groups[i].train; len(g.Train) < want || len(g.Train) > want+len(train) {
				t.Errorf("%s, group %d: %d training rows, in file order %d", c.name, i+1, len(g.Train), want)
			}
			if slices.IsSorted(g.Train) || slices.IsSorted(g.Test) {
				t.Errorf("%s, group %d: rows in file order", c.name, i+1)
			}
			if !slices.Equal(g.Train, again[i].Train) || !slices.Equal(g.Test, again[i].Test) {
				t.Errorf("%s, group %d: two calls differ", c.name, i+1)
			}
		}
	}
}

func TestGroupSplitSmall(t *testing.T) {
	for _, c := range []struct{ rows, train, test int }{{1, 1, 0}, {2, 2, 0}, {3, 2, 1}, {4, 3, 1}, {5, 4, 1}, {6, 4, 2}} {
		for _, cut := range []GroupCut{FileOrder, Stratified} {
			groups, err := toyTable(c.rows, "a").GroupSplit(1, cut)
			if err != nil || len(groups[0].Train) != c.train || len(groups[0].Test) != c.test {
				t.Errorf("%s, %d rows: %v, %v", cut, c.rows, groups, err)
			}
		}
	}
}

func TestGroupSplitRefuses(t *testing.T) {
	table := toyTable(20, "a", "b", "c")
	for _, groups := range []int{-1, 0, 4} {
		filetest.WantError(t, filetest.Failure(table.GroupSplit(groups, FileOrder)), fmt.Sprintf("%d groups of the 3 items", groups))
	}
	for _, cut := range []GroupCut{"", "random", "Stratified"} {
		_, err := table.GroupSplit(2, cut)
		filetest.WantError(t, err, fmt.Sprintf("group cut %q", string(cut)), "file-order", "stratified")
	}
	if FileOrder.Validate() != nil || Stratified.Validate() != nil {
		t.Error("the declared cuts are refused")
	}
}
