// Package protocol takes the steps of the paper's experimental protocols: in which order a learner predicts, is scored and
// learns (Sec. 4.1). Labels reach the learner only after its prediction was scored.
package protocol

import (
	"slices"
	"time"

	"gophe/experiments/result"
)

// Learner is a model as a protocol needs it. Several seeds of it may learn side by side.
type Learner interface {
	// Score predicts rows and scores the predictions, one score for each seed. It learns nothing. step picks the noise.
	Score(rows []int32, step int) ([]Score, error)
}

// Score is what one seed scored on a set of rows.
type Score struct {
	Metrics map[string]float64 // by name
	// Transforms are of each count scored, where the prediction is a distribution: P(Y < y) and P(Y ≤ y).
	Transforms [][2]float64
	// Tallies add up what was scored by how new its items are: see the result file.
	Tallies map[string][]result.Tally
	Finite  bool // false once the seed's model has diverged
}

// Judge scores one seed's predictions of a set of rows, whose labels it knows.
type Judge func(predictions []float32) Score

// Each scores the predictions [seeds, rows, …] of each seed.
func (j Judge) Each(predictions []float32, seeds int) (scores []Score) {
	for own := range slices.Chunk(predictions, len(predictions)/seeds) {
		scores = append(scores, j(own))
	}
	return scores
}

// Timing is the wall time of one step.
type Timing struct {
	Predict, Update time.Duration
}

// Step takes one step of online learning in the paper's order (Sec. 4.1): predict, evaluate, update. A nil update means a frozen
// model. The result has a score for each of the seeds.
func Step(l Learner, rows []int32, step int, update func() error) ([]Score, Timing, error) {
	var timing Timing
	start := time.Now()
	scores, err := l.Score(rows, step)
	timing.Predict = time.Since(start)
	if err != nil || update == nil {
		return scores, timing, err
	}
	start = time.Now()
	err = update()
	timing.Update = time.Since(start)
	return scores, timing, err
}
