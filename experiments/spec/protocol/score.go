package protocol

import "gophe/experiments/result"

// Score is what one seed scored on a set of rows.
type Score struct {
	Metrics map[string]float64 // by name
	// Transforms hold count.PIT of each scored count, where the prediction is a distribution.
	Transforms [][2]float64
	// Tallies add up errors by the age of the items: see the result file.
	Tallies map[string][]result.Tally
	Finite  bool // false once the seed's model has diverged
}
