package task

import (
	"math"
	"slices"
	"testing"

	"gophe/data/tables"
	"gophe/phe/disk/filetest"
)

// Frequencies counted by hand: rows 0 … 5 have items 0 0 1 0 1 2 and labels 0 1 1 0 2 0, of three classes.
func TestFrequencies(t *testing.T) {
	items, labels := []int32{0, 0, 1, 0, 1, 2}, []int32{0, 1, 1, 0, 2, 0}
	table := &classification{Table: &tables.Table{Classes: make([]string, 3), Labels: labels}}
	check := func(name string, c *frequencies, row int32, want ...float64) {
		t.Helper()
		p, sum := c.predict([]int32{row}), 0.0
		for k := range want {
			if math.Abs(float64(p[k])-math.Log(want[k])) > 1e-6 {
				t.Errorf("%s: row %d has class %d with %v, want %v", name, row, k, math.Exp(float64(p[k])), want[k])
			}
			sum += math.Exp(float64(p[k]))
		}
		if len(p) != 3 || math.Abs(sum-1) > 1e-6 {
			t.Errorf("%s: %d probabilities add up to %v", name, len(p), sum)
		}
	}
	all := table.newFrequencies(nil)
	check("nothing seen", all, 0, 1./3, 1./3, 1./3)
	filetest.Check(t, all.Learn([]int32{0, 1, 2, 3}))
	check("two of class 0, two of class 1", all, 5, 3./7, 3./7, 1./7) // one row added for each class
	filetest.Check(t, all.Learn([]int32{4}))
	check("and one of class 2", all, 0, 3./8, 3./8, 2./8)

	byItem := table.newFrequencies(items)
	check("nothing seen, by item", byItem, 0, 1./3, 1./3, 1./3)
	filetest.Check(t, byItem.Learn([]int32{0, 1, 2, 3}))
	// Item 0 has 2 1 0, item 1 has 0 1 0; to each comes one row with the overall frequencies 3/7, 3/7, 1/7.
	check("item 0", byItem, 3, (2+3./7)/4, (1+3./7)/4, (1./7)/4)
	check("item 1", byItem, 4, (3./7)/2, (1+3./7)/2, (1./7)/2)
	check("item 2, never seen", byItem, 5, 3./7, 3./7, 1./7)
	if p := byItem.predict([]int32{5, 0, 5}); len(p) != 9 || !slices.Equal(p[:3], p[6:]) || slices.Equal(p[:3], p[3:6]) {
		t.Errorf("rows mixed up: %v", p)
	}
}
