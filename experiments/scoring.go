package experiments

import (
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"math"
)

// writeDown appends the score of a step of so many rows.
func writeDown(run *result.Run, rows int, score protocol.Score) {
	run.Rows = append(run.Rows, rows)
	for name, value := range score.Metrics {
		run.Append(name, value)
	}
	run.Calibrate(score.Transforms)
	run.Tally(score.Tallies)
}

// isFinite tells whether the result file can hold a score: JSON has no infinity.
func isFinite(score protocol.Score) bool {
	for _, value := range score.Metrics {
		if math.IsInf(value, 0) || math.IsNaN(value) {
			return false
		}
	}
	return score.Finite
}

// testScore is a score as the result file has it. A model that has diverged has a log-likelihood of −∞ until then.
func testScore(after, set int, s protocol.Score) result.Score {
	score := result.Score{After: after, Set: set, Accuracy: s.Metrics[Accuracy], AbsoluteError: result.Rounded(s.Metrics[AbsoluteError]),
		LogLikelihood: result.Rounded(s.Metrics[LogLikelihood])}
	if !isFinite(s) {
		score.LogLikelihood = math.Inf(-1)
	}
	return score
}
