package labelled

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gophe/data/column"
	"gophe/data/datatest"
	"gophe/data/splits"
	"gophe/phe/disk/filetest"
)

func TestToken(t *testing.T) {
	table := Table{Categorical: []column.Categorical{{Name: "sex", Values: []string{"Male"}},
		{Name: "marital-status", Values: []string{"", "Married-civ-spouse"}}}}
	for _, c := range []struct {
		column, row int
		want        string
	}{{0, 0, "sex_Male"}, {1, 0, "marital-status_"}, {1, 1, "marital-status_Married-civ-spouse"}} {
		filetest.Want(t, table.Token(c.column, c.row), c.want, "Token(%d, %d)", c.column, c.row)
	}
}

func TestSelect(t *testing.T) {
	table := loaded(t, "bank")
	got := filetest.Must(table.Select([]string{"poutcome", "balance", "job", "age"}))(t)
	var names []string
	for _, c := range got.Categorical {
		names = append(names, c.Name)
	}
	for _, c := range got.Numeric {
		names = append(names, c.Name)
	}
	filetest.Want(t, names, []string{"job", "poutcome", "age", "balance"}, "columns")
	filetest.Want(t, [2]int{got.Incremental, got.NumRows()}, [2]int{1, table.NumRows()}, "incremental column and rows")
	filetest.Want(t, got.Token(1, 0), "poutcome_unknown", "token")
	filetest.True(t, got.SHA256 == table.SHA256 && got.Verified, "SHA-256 %s, verified %t", got.SHA256, got.Verified)
	filetest.Want(t, sizeOf(table), "9 + 7, poutcome", "columns of the table itself")
}

// A table without columns has the others in their order, and the same rows.
func TestWithout(t *testing.T) {
	table := loaded(t, "bank")
	got := filetest.Must(table.Without([]string{"age", "job"}))(t)
	filetest.Want(t, sizeOf(got), "8 + 6, poutcome", "columns")
	filetest.Want(t, [2]string{got.Categorical[0].Name, got.Numeric[0].Name}, [2]string{"marital", "balance"}, "first columns")
	got = filetest.Must(table.Without([]string{"poutcome"}))(t)
	filetest.Want(t, [3]int{got.Incremental, len(got.Categorical), got.NumRows()}, [3]int{-1, 8, table.NumRows()},
		"incremental column, columns of items and rows")
	filetest.Want(t, sizeOf(table), "9 + 7, poutcome", "columns of the table itself")
	filetest.WantError(t, filetest.Failure(table.Without([]string{"poutcom"})), "no column \"poutcom\"", "choose from job")
	filetest.WantError(t, filetest.Failure(mushroomOdor(t).Without([]string{"odor"})), "no column of \"mushroom\" is left")
}

// sizeOf is a table's numbers of columns of items and of numbers, and the name of its incremental column.
func sizeOf(t *Table) string {
	return fmt.Sprintf("%d + %d, %s", len(t.Categorical), len(t.Numeric), t.Categorical[t.Incremental].Name)
}

func TestSelectRefuses(t *testing.T) {
	table := loaded(t, "adult")
	for _, c := range []struct {
		features []string
		want     []string
	}{
		{nil, []string{`"education"`, "add the incremental column"}},
		{[]string{"age", "sex"}, []string{`"education"`, "add the incremental column"}},
		{[]string{"education", "Sex"}, []string{`no column "Sex"`, "workclass, education, marital-status", "hours-per-week"}},
		{[]string{"education", "income"}, []string{`no column "income"`}}, // the label is no feature
		{[]string{"sex", "education", "sex"}, []string{`"sex" is named twice`}},
	} {
		t.Run(fmt.Sprint(c.features), func(t *testing.T) {
			filetest.WantError(t, filetest.Failure(table.Select(c.features)), c.want...)
		})
	}
}

// toyTable returns a table of n rows with the given items in turn.
func toyTable(n int, items ...string) *Table {
	values := make([]string, n)
	for i := range values {
		values[i] = items[i%len(items)]
	}
	return &Table{Categorical: []column.Categorical{{Name: "item", Values: values}}, Labels: make([]int32, n), Classes: []string{"only"}}
}

// tableOf returns a table of rows, each of which is an item's letter and a class.
func tableOf(rows ...string) *Table {
	table := &Table{Categorical: []column.Categorical{{Name: "item"}}, Classes: []string{"0", "1", "2", "3"}}
	for _, row := range rows {
		table.Categorical[0].Values = append(table.Categorical[0].Values, row[:1])
		table.Labels = append(table.Labels, int32(row[1]-'0'))
	}
	return table
}

func TestOnlineSplitIsPartition(t *testing.T) {
	for _, c := range []struct {
		name             string
		rows             int
		initial          float64
		chunkRows        int
		chunks, lastRows int
	}{
		{"last chunk short", 101, 0.3, 7, 11, 1},
		{"last chunk full", 100, 0.3, 7, 10, 7},
		{"one chunk", 11, 0.5, 100, 1, 6},
	} {
		split := filetest.Must(toyTable(c.rows, "a", "b", "c").OnlineSplit(c.initial, c.chunkRows))(t)
		var all []int32
		for _, block := range append(slices.Clone(split.Chunks), split.Initial) {
			all = append(append(all, block.Scored...), block.HeldOut...)
			n := len(block.Scored) + len(block.HeldOut)
			filetest.Want(t, len(block.Scored), n*8/10, "%s: scored rows of a block of %d", c.name, n)
		}
		slices.Sort(all)
		filetest.True(t, slices.Equal(all, (splits.Span{End: c.rows}).Rows()), "%s: a row is missing or twice", c.name)
		last := split.Chunks[len(split.Chunks)-1]
		sizes := [2]int{len(split.Chunks), len(last.Scored) + len(last.HeldOut)}
		filetest.Want(t, sizes, [2]int{c.chunks, c.lastRows}, "%s: chunks and rows of the last", c.name)
	}
}

func TestOnlineSplitAdult(t *testing.T) {
	split := filetest.Must(loaded(t, "adult").OnlineSplit(0.3, 100))(t)
	// PROTOCOL.md's "last has 44" counts scored rows: 45,222 − 13,566 = 316·100 + 56, and int(0.8·56) = 44.
	last := split.Chunks[len(split.Chunks)-1]
	sizes := [3]int{len(split.Chunks), len(last.Scored), len(last.HeldOut)}
	filetest.Want(t, sizes, [3]int{317, 44, 12}, "chunks, and rows of the last that are scored and held out")
	var scored, heldOut []int32
	for _, chunk := range split.Chunks {
		scored = append(scored, chunk.Scored...)
		heldOut = append(heldOut, chunk.HeldOut...)
	}
	want := datatest.Numpy(t).Adult
	want.InitialScored.Check(t, "initial, scored", split.Initial.Scored)
	want.InitialHeldOut.Check(t, "initial, held out", split.Initial.HeldOut)
	want.ChunksScored.Check(t, "chunks, scored", scored)
	want.ChunksHeldOut.Check(t, "chunks, held out", heldOut)
}

// itemGroups returns the items of each group.
func itemGroups(t *testing.T, table *Table, numGroups int) (groups [][]string) {
	t.Helper()
	for _, group := range filetest.Must(table.GroupSplit(numGroups, FileOrder))(t) {
		groups = append(groups, group.Items)
	}
	return groups
}

// The generated table is always the same, and its labels follow their probabilities.
func TestDrawn(t *testing.T) {
	a, b := Drawn(), Drawn()
	filetest.Want(t, a.SHA256, "a2be2a23909e9c88b2d1ecd64ede12319833a9edcd493a1fb3d9e0cff591c9a0", "SHA-256")
	filetest.Want(t, b.SHA256, a.SHA256, "SHA-256 the second time")
	filetest.True(t, slices.Equal(a.Labels, b.Labels) && a.NumRows() == drawnRows, "two tables of one seed differ")
	sum, ones := 0.0, 0
	for row, p := range a.Truth {
		sum += p
		ones += int(a.Labels[row])
	}
	filetest.Near(t, float64(ones), sum, 4*math.Sqrt(drawnRows/4), "labels of the second class")
	for i, want := range []int{3350, 9440, 24, 5} {
		filetest.Want(t, len(datatest.Counts(a.Categorical[i].Values)), want, "items of %s", a.Categorical[i].Name)
	}
}
