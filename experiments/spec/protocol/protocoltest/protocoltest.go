// Package protocoltest checks the plans of protocols in tests.
package protocoltest

import (
	"fmt"
	"testing"

	"gophe/data/labelled"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// MustPlan returns a table's plan, and fails the test if there is an error.
func MustPlan(t *testing.T, p protocol.Spec, table *labelled.Table) *protocol.Plan {
	t.Helper()
	filetest.Check(t, p.Validate())
	return filetest.Must(protocol.NewPlan(p, table))(t)
}

// SizesOf a plan: initial rows, rows of each step, rows of each test.
func SizesOf(p *protocol.Plan) string {
	var steps, tests []int
	for _, s := range p.Steps {
		steps = append(steps, len(s))
	}
	for _, s := range p.Tests {
		tests = append(tests, len(s.Rows))
	}
	return fmt.Sprint(len(p.Initial), steps, tests)
}

// Full are protocols with every field that they may have, for tests on parts of Adult and Retail, or on generated ratings.
var Full = map[string]protocol.Spec{
	protocol.Online:    {Name: protocol.Online, InitialEpochs: 2, InitialFraction: 0.1, ChunkRows: 30, MaxChunks: 3},
	protocol.GroupWise: {Name: protocol.GroupWise, InitialEpochs: 2, Groups: 3, Cut: labelled.FileOrder, MaxTestRows: 50},
	protocol.Adaptation: {Name: protocol.Adaptation, InitialEpochs: 2, Cut: labelled.Stratified, TestEvery: 2, MaxChunks: 5,
		MaxTestRows: 40},
	protocol.Order:     {Name: protocol.Order, InitialEpochs: 2, InitialFraction: 0.1, ChunkRows: 30, MaxChunks: 3, MaxTestRows: 40},
	protocol.InOrder:   {Name: protocol.InOrder, InitialEpochs: 2, InitialFraction: 0.1, ChunkRows: 30, MaxChunks: 3},
	protocol.ByGroup:   {Name: protocol.ByGroup, InitialEpochs: 2, Groups: 3, ChunkRows: 30, TestEvery: 2, MaxChunks: 2, MaxTestRows: 40},
	protocol.Growing:   {Name: protocol.Growing, InitialEpochs: 2, ChunkRows: 10, TestEvery: 4, MaxChunks: 10, MaxTestRows: 40},
	protocol.TwoItems:  {Name: protocol.TwoItems, ChunkRows: 20, MaxChunks: 5},
	protocol.Daily:     {Name: protocol.Daily, InitialEpochs: 1, FirstDay: "2011-02-01", Windows: protocol.Overlapping, MaxChunks: 3},
	protocol.Products:  {Name: protocol.Products, InitialEpochs: 1, Groups: 3, Windows: protocol.Separate, MaxTestRows: 20},
	protocol.Recommend: {Name: protocol.Recommend, InitialEpochs: 2, FromDay: "1996-01-01", FirstDay: "2000-01-01", MaxChunks: 6},
	protocol.Swapped: {Name: protocol.Swapped, InitialEpochs: 2, InitialFraction: 0.3, ChunkRows: 30, TestEvery: 3, MaxChunks: 4,
		MaxTestRows: 40},
}
