package protocol

import (
	"slices"

	"gophe/experiments/result"
)

// Score is what one seed scored on a set of rows.
type Score struct {
	Metrics map[string]float64 // by name
	// Transforms are of each count scored, where the prediction is a distribution: count.PIT.
	Transforms [][2]float64
	// Tallies add up what was scored by how new its items are: see the result file.
	Tallies map[string][]result.Tally
	Finite  bool // false once the seed's model has diverged
}

// Judge scores one seed's predictions of a fixed set of rows.
type Judge func(predictions []float32) Score

// Each scores the predictions [seeds, rows, …] of each seed.
func (j Judge) Each(predictions []float32, seeds int) (scores []Score) {
	for own := range slices.Chunk(predictions, len(predictions)/seeds) {
		scores = append(scores, j(own))
	}
	return scores
}
