package tables

import (
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
)

// A frame has the table's rows, in columns of the right types.
func TestFrame(t *testing.T) {
	table := loaded(t, "mushroom")
	frame := table.Frame(10, 13)
	filetest.Check(t, frame.Error())
	if rows, columns := frame.Dims(); rows != 3 || columns != len(table.Categorical)+len(table.Numeric)+1 {
		t.Fatalf("%d rows, %d columns", rows, columns)
	}
	for _, c := range table.Categorical {
		if got := frame.Col(c.Name).Records(); !slices.Equal(got, c.Values[10:13]) {
			t.Errorf("%s: %v, want %v", c.Name, got, c.Values[10:13])
		}
	}
	for i, class := range frame.Col("class").Records() {
		if want := table.Classes[table.Labels[10+i]]; class != want {
			t.Errorf("row %d is %s, want %s", 10+i, class, want)
		}
	}
}
