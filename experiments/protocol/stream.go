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
	// Predict returns predictions [seeds, rows, …]. step picks the noise.
	Predict(rows []int32, step int) ([]float32, error)
}

// Score is what one seed scored on a set of rows.
type Score struct {
	Metrics map[string]float64 // by name
	// Transforms are of each count scored, where the prediction is a distribution: count.PIT.
	Transforms [][2]float64
	// Tallies add up what was scored by how new its items are: see the result file.
	Tallies map[string][]result.Tally
	Finite  bool // false once the seed's model has diverged
}

// Judge scores one seed's predictions of a set of rows, whose labels it knows.
type Judge func(predictions []float32) Score

// Timing is the wall time of one step.
type Timing struct {
	Predict, Update time.Duration
}

// Step takes one step of online learning in the paper's order (Sec. 4.1): predict, evaluate, update. judge scores
// predictions of rows. A nil update means a frozen model. The result has a score for each of the seeds.
func Step(l Learner, rows []int32, seeds, step int, judge Judge, update func() error) ([]Score, Timing, error) {
	var timing Timing
	start := time.Now()
	scores, err := Test(l, rows, seeds, step, judge)
	timing.Predict = time.Since(start)
	if err != nil || update == nil {
		return scores, timing, err
	}
	start = time.Now()
	err = update()
	timing.Update = time.Since(start)
	return scores, timing, err
}

// Test scores a learner's predictions of rows, from which it does not learn. It returns a score for each seed.
func Test(l Learner, rows []int32, seeds, step int, judge Judge) ([]Score, error) {
	predictions, err := l.Predict(rows, step)
	if err != nil {
		return nil, err
	}
	var scores []Score
	for own := range slices.Chunk(predictions, len(predictions)/seeds) {
		scores = append(scores, judge(own))
	}
	return scores, nil
}
