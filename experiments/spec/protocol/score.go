package protocol

import "gophe/experiments/result"

// Score is what one seed scored on a set of rows.
type Score struct {
	Metrics map[string]float64 // by name
	// Transforms are of each count scored, where the prediction is a distribution: count.PIT.
	Transforms [][2]float64
	// Tallies add up what was scored by how new its items are: see the result file.
	Tallies map[string][]result.Tally
	Finite  bool // false once the seed's model has diverged
}
