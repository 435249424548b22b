package task

import (
	"gophe/experiments/measure"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"math"
)

// WriteDown adds the score of a step to a run: as the next one, or to the last one that it shares. rows is the number of rows in the step.
func WriteDown(run *result.Run, rows int, score protocol.Score, shares bool) {
	for name, value := range score.Metrics {
		if shares {
			run.Join(name, rows, value)
		} else {
			run.Append(name, value)
		}
	}
	if shares {
		run.Rows[len(run.Rows)-1] += rows
	} else {
		run.Rows = append(run.Rows, rows)
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
