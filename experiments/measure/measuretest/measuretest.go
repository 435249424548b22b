// Package measuretest supports tests of metrics and of their tables.
package measuretest

import (
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
)

// HandMade returns a result of three methods. TestMeasure of package measure has its metrics, worked out by hand.
func HandMade() *result.File {
	run := func(seed int64, rows []int, accuracy ...float64) result.Run {
		r := result.Run{Seed: seed, Status: result.Complete, Rows: rows, Accuracy: accuracy}
		for _, a := range accuracy {
			r.LogLikelihood = append(r.LogLikelihood, -1-a)
		}
		return r
	}
	rows := []int{10, 20, 10}
	phe := run(0, rows, 0.5, 0.7, 0.9)
	phe.Tests = []result.Score{{After: result.Untrained, Set: 0, Accuracy: 0.1}, {After: 0, Set: 0, Accuracy: 0.75, LogLikelihood: -1}, {After: 0, Set: 1, Accuracy: 0.25, LogLikelihood: -9},
		{After: 3, Set: 0, Accuracy: 0.5, LogLikelihood: -0.25}, {After: 3, Set: 1, Accuracy: 1, LogLikelihood: -0.75}}
	diverged, partial := run(1, nil), run(2, rows[:1], 0.1)
	diverged.Status, partial.Status = result.Diverged, result.Partial
	return &result.File{Stream: result.Stream{Steps: 3, Changes: []result.Change{{Step: 1, What: "item b"}, {Step: 2, What: "item c"}}},
		Methods: []result.Method{
			{Name: "PHE", Parameters: 346, Protocol: protocol.ByGroup, Runs: []result.Run{phe, diverged, partial, run(3, rows, 0.8, 0.8, 0.8)}},
			{Name: "PHE", Frozen: true, Parameters: 346, Protocol: protocol.ByGroup, Runs: []result.Run{run(0, rows, 0.5, 0.5, 0.5)}},
			{Name: measure.Reference, Protocol: protocol.ByGroup, Runs: []result.Run{run(0, rows, 0.6, 0.8, 0.8), run(1, rows, 1, 1, 1), run(2, rows, 1, 1, 1), run(3, []int{10, 20, 9}, 1, 1, 1)}},
		}}
}
