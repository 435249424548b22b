// Package protocol takes the steps of the paper's experimental protocols: in which order a learner predicts, is scored and
// learns (Sec. 4.1). Labels reach the learner only after its prediction was scored.
package protocol

import (
	"time"

	"gophe/experiments/metric"
)

// Learner is what a protocol needs of a model: several seeds of it may learn side by side.
type Learner interface {
	// Predict returns log probabilities [seeds, rows, classes] in nats. step picks the noise.
	Predict(rows []int32, step int) ([]float32, error)
}

// Score is what one seed scored on a set of rows.
type Score struct {
	Accuracy      float64 // in [0, 1]
	LogLikelihood float64 // mean over rows, in nats
	Finite        bool    // false once the seed's model has diverged
}

// Timing is the wall time of one step.
type Timing struct {
	Predict, Update time.Duration
}

// Step takes one step of online learning in the paper's order (Sec. 4.1): predict, evaluate, update. labels and the
// predicted classes are those of rows. A nil update means a frozen model. The result has a score for each seed.
func Step(l Learner, rows, labels []int32, classes, step int, update func() error) ([]Score, Timing, error) {
	var timing Timing
	start := time.Now()
	scores, err := Test(l, rows, labels, classes, step)
	timing.Predict = time.Since(start)
	if err != nil || update == nil {
		return scores, timing, err
	}
	start = time.Now()
	err = update()
	timing.Update = time.Since(start)
	return scores, timing, err
}

// Test scores what a learner knows of rows, which it does not learn from. The result has a score for each seed.
func Test(l Learner, rows, labels []int32, classes, step int) ([]Score, error) {
	logProbabilities, err := l.Predict(rows, step)
	if err != nil {
		return nil, err
	}
	var scores []Score
	for size := len(rows) * classes; len(logProbabilities) > 0; logProbabilities = logProbabilities[size:] {
		p := logProbabilities[:size]
		scores = append(scores, Score{metric.Accuracy(p, labels, classes), metric.LogLikelihood(p, labels, classes), metric.IsFinite(p)})
	}
	return scores, nil
}
