// Package protocol holds the paper's experimental protocols: in which order a learner meets the data, and what is scored
// when (Sec. 4.1). Labels reach the learner only after its prediction was scored.
package protocol

import (
	"time"

	"gophe/experiments/metric"
)

// Learner is what a protocol needs of a model: several seeds of it may learn side by side.
type Learner interface {
	// Predict returns log probabilities [seeds, rows, classes] in nats. step picks the noise.
	Predict(rows []int32, step int) ([]float32, error)
	// Update learns from rows, whose labels it knows.
	Update(rows []int32, epochs, step int) error
}

// Score is what one seed scored on one step.
type Score struct {
	Accuracy      float64 // in [0, 1]
	LogLikelihood float64 // mean over rows, in nats
	Finite        bool    // false once the seed's model has diverged
}

// Timing is the wall time of one step.
type Timing struct {
	Predict, Update time.Duration
}

// OnlineStep takes one step of online learning in the paper's order (Sec. 4.1): predict, evaluate, update. labels and
// the predicted classes are those of rows. No epochs means a frozen model. The result has a score for each seed.
func OnlineStep(l Learner, rows, labels []int32, classes, epochs, step int) ([]Score, Timing, error) {
	var timing Timing
	start := time.Now()
	logProbabilities, err := l.Predict(rows, step)
	timing.Predict = time.Since(start)
	if err != nil {
		return nil, timing, err
	}
	var scores []Score
	for size := len(rows) * classes; len(logProbabilities) > 0; logProbabilities = logProbabilities[size:] {
		p := logProbabilities[:size]
		scores = append(scores, Score{metric.Accuracy(p, labels, classes), metric.LogLikelihood(p, labels, classes), metric.IsFinite(p)})
	}
	if epochs == 0 {
		return scores, timing, nil
	}
	start = time.Now()
	err = l.Update(rows, epochs, step)
	timing.Update = time.Since(start)
	return scores, timing, err
}
