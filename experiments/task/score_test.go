package task

import (
	"math"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
)

// Steps that share a score are scored as one step of all their rows.
func TestWriteDownSharesScores(t *testing.T) {
	var run result.Run
	step := func(rows, right int, nats float64, shares bool) {
		WriteDown(&run, rows, protocol.Score{Metrics: map[string]float64{measure.Accuracy: float64(right) / float64(rows), measure.LogLikelihood: nats}}, shares)
	}
	step(10, 7, -0.5, false)
	step(30, 11, -0.9, true)
	step(3, 1, -0.2, true)
	step(4, 4, -0.1, false)
	if len(run.Rows) != 2 || run.Rows[0] != 43 || run.Rows[1] != 4 || run.Accuracy[0] != 19./43 || run.Accuracy[1] != 1 {
		t.Errorf("rows %v, accuracy %v", run.Rows, run.Accuracy)
	}
	if want := (10*-0.5 + 30*-0.9 + 3*-0.2) / 43; math.Abs(run.LogLikelihood[0]-want) > 1e-6 {
		t.Errorf("log-likelihood %v, want %v", run.LogLikelihood[0], want)
	}
}

// isFinite: what JSON cannot hold is divergence, in whatever metric.
func TestIsFinite(t *testing.T) {
	for v, want := range map[float64]bool{0: true, -1e6: true, math.Inf(1): false, math.Inf(-1): false} {
		if IsFinite(protocol.Score{Metrics: map[string]float64{measure.AbsoluteError: 1, measure.LogLikelihood: v}, Finite: true}) != want {
			t.Errorf("%v", v)
		}
	}
	if IsFinite(protocol.Score{Metrics: map[string]float64{measure.WholeError: math.NaN()}, Finite: true}) || IsFinite(protocol.Score{}) {
		t.Error("not a number is one")
	}
}
