package task

import (
	"gophe/experiments/measure"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"math"
)

// WriteDown appends the score of a step to a run. rows is the number of rows in the step.
func WriteDown(run *result.Run, rows int, score protocol.Score) {
	run.Rows = append(run.Rows, rows)
	for name, value := range score.Metrics {
		run.Append(name, value)
	}
	run.Calibrate(score.Transforms)
	run.Tally(score.Tallies)
}

// IsFinite tells whether the result file can hold a score: JSON has no infinity.
func IsFinite(score protocol.Score) bool {
	for _, value := range score.Metrics {
		if math.IsInf(value, 0) || math.IsNaN(value) {
			return false
		}
	}
	return score.Finite
}

// TestScore is a score as the result file has it. A model that has diverged has a log-likelihood of −∞ until then.
func TestScore(after, set int, s protocol.Score) result.Score {
	score := result.Score{After: after, Set: set, Accuracy: s.Metrics[measure.Accuracy], AbsoluteError: result.Rounded(s.Metrics[measure.AbsoluteError]),
		LogLikelihood: result.Rounded(s.Metrics[measure.LogLikelihood])}
	if !IsFinite(s) {
		score.LogLikelihood = math.Inf(-1)
	}
	return score
}
