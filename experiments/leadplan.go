package experiments

import (
	"fmt"
	"gophe/data"
	"slices"
	"testing"
)

func mustPlan(t *testing.T, p Protocol, table *data.Table) *plan {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	made, err := newPlan(p, table)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// sizesOf a plan: initial rows, rows of each step, rows of each test.
func sizesOf(p *plan) string {
	var steps, tests []int
	for _, s := range p.Steps {
		steps = append(steps, len(s))
	}
	for _, s := range p.Tests {
		tests = append(tests, len(s.Rows))
	}
	return fmt.Sprint(len(p.Initial), steps, tests)
}

// learned are the rows that a plan teaches, tested those of its tests.
func learned(p *plan) []int32 { return slices.Concat(append([][]int32{p.Initial}, p.Steps...)...) }

func tested(p *plan) []int32 {
	var rows []int32
	for _, t := range p.Tests {
		rows = append(rows, t.Rows...)
	}
	return rows
}

// checkRows: each row is learned once or tested once, and it is a row of the table.
func checkRows(t *testing.T, name string, p *plan) {
	t.Helper()
	seen := map[int32]bool{}
	for _, row := range append(learned(p), tested(p)...) {
		if row < 0 || int(row) >= p.Table.NumRows() || seen[row] {
			t.Errorf("%s: row %d of %d comes twice, or is none", name, row, p.Table.NumRows())
			return
		}
		seen[row] = true
	}
}

// testedAfter lists the numbers of steps after which tests are taken.
func testedAfter(p *plan) []int {
	var after []int
	for steps := 0; steps <= len(p.Steps); steps++ {
		if p.testsAfter(steps) {
			after = append(after, steps)
		}
	}
	return after
}

// full are protocols with every field that they may have, for tests on the first rows of Adult, a few products of Retail, or
// generated ratings.
var full = map[string]Protocol{
	Online:     {Name: Online, InitialEpochs: 2, InitialFraction: 0.1, ChunkRows: 30, MaxChunks: 3},
	GroupWise:  {Name: GroupWise, InitialEpochs: 2, Groups: 3, Cut: data.FileOrder, MaxTestRows: 50},
	Adaptation: {Name: Adaptation, InitialEpochs: 2, Cut: data.Stratified, TestEvery: 2, MaxChunks: 5, MaxTestRows: 40},
	Order:      {Name: Order, InitialEpochs: 2, InitialFraction: 0.1, ChunkRows: 30, MaxChunks: 3, MaxTestRows: 40},
	InOrder:    {Name: InOrder, InitialEpochs: 2, InitialFraction: 0.1, ChunkRows: 30, MaxChunks: 3},
	ByGroup:    {Name: ByGroup, InitialEpochs: 2, Groups: 3, ChunkRows: 30, TestEvery: 2, MaxChunks: 2, MaxTestRows: 40},
	Growing:    {Name: Growing, InitialEpochs: 2, ChunkRows: 10, TestEvery: 4, MaxChunks: 10, MaxTestRows: 40},
	Swapped:    {Name: Swapped, InitialEpochs: 2, InitialFraction: 0.3, ChunkRows: 30, TestEvery: 3, MaxChunks: 4, MaxTestRows: 40},
	TwoItems:   {Name: TwoItems, ChunkRows: 20, MaxChunks: 5},
	Daily:      {Name: Daily, InitialEpochs: 1, FirstDay: "2011-02-01", Windows: Overlapping, MaxChunks: 3},
	Products:   {Name: Products, InitialEpochs: 1, Groups: 3, Windows: Separate, MaxTestRows: 20},
	Recommend:  {Name: Recommend, InitialEpochs: 2, FromDay: "1996-01-01", FirstDay: "2000-01-01", MaxChunks: 6},
}
