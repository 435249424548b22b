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
		split, err := toyTable(c.rows, "a", "b", "c").OnlineSplit(c.initial, c.chunkRows)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var all []int32
		for _, block := range append(slices.Clone(split.Chunks), split.Initial) {
			all = append(append(all, block.Scored...), block.HeldOut...)
			if n := len(block.Scored) + len(block.HeldOut); len(block.Scored) != n*8/10 {
				t.Errorf("%s: a block of %d rows has %d scored", c.name, n, len(block.Scored))
			}
		}
		if slices.Sort(all); !slices.Equal(all, (cuts.Span{End: c.rows}).Rows()) {
			t.Errorf("%s: a row is missing or twice", c.name)
		}
		last := split.Chunks[len(split.Chunks)-1]
		if n := len(last.Scored) + len(last.HeldOut); len(split.Chunks) != c.chunks || n != c.lastRows {
			t.Errorf("%s: %d chunks, the last with %d rows, want %d and %d", c.name, len(split.Chunks), n, c.chunks, c.lastRows)
		}
	}
}

func TestOnlineSplitAdult(t *testing.T) {
	split := filetest.Must(loaded(t, "adult").OnlineSplit(0.3, 100))(t)
	// PROTOCOL.md's "last has 44" counts scored rows: 45,222 − 13,566 = 316·100 + 56, and int(0.8·56) = 44.
	last := split.Chunks[len(split.Chunks)-1]
	if len(split.Chunks) != 317 || len(last.Scored) != 44 || len(last.HeldOut) != 12 {
		t.Errorf("%d chunks, the last with %d + %d rows, want 317, 44 + 12", len(split.Chunks), len(last.Scored), len(last.HeldOut))
	}
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
