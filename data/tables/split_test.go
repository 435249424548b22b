package tables

import (
	"slices"
	"testing"

	"gophe/data/column"
	"gophe/data/cuts"
	"gophe/data/datatest"
	"gophe/phe/disk/filetest"
)

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
			filetest.WantEqual(t, len(block.Scored), n*8/10, "%s: scored rows of a block of %d", c.name, n)
		}
		slices.Sort(all)
		filetest.Want(t, slices.Equal(all, (cuts.Span{End: c.rows}).Rows()), "%s: a row is missing or twice", c.name)
		last := split.Chunks[len(split.Chunks)-1]
		sizes := [2]int{len(split.Chunks), len(last.Scored) + len(last.HeldOut)}
		filetest.WantEqual(t, sizes, [2]int{c.chunks, c.lastRows}, "%s: chunks and rows of the last", c.name)
	}
}

func TestOnlineSplitAdult(t *testing.T) {
	split := filetest.Must(loaded(t, "adult").OnlineSplit(0.3, 100))(t)
	// PROTOCOL.md's "last has 44" counts scored rows: 45,222 − 13,566 = 316·100 + 56, and int(0.8·56) = 44.
	last := split.Chunks[len(split.Chunks)-1]
	sizes := [3]int{len(split.Chunks), len(last.Scored), len(last.HeldOut)}
	filetest.WantEqual(t, sizes, [3]int{317, 44, 12}, "chunks, and rows of the last that are scored and held out")
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
