package task

import (
	"math"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// Steps that share a score are scored as one step of all their rows.
func TestWriteDownSharesScores(t *testing.T) {
	var run result.Run
	step := func(rows, right int, nats float64, shares bool) {
		score := map[string]float64{measure.Accuracy: float64(right) / float64(rows), measure.LogLikelihood: nats}
		WriteDown(&run, rows, protocol.Score{Metrics: score}, shares)
	}
	step(10, 7, -0.5, false)
	step(30, 11, -0.9, true)
	step(3, 1, -0.2, true)
	step(4, 4, -0.1, false)
	filetest.Want(t, run.Rows, []int{43, 4}, "rows")
	filetest.Want(t, run.Accuracy, []float64{19. / 43, 1}, "accuracy")
	filetest.Near(t, run.LogLikelihood[0], (10*-0.5+30*-0.9+3*-0.2)/43, 1e-6, "log-likelihood")
}

// isFinite: what JSON cannot hold is divergence, in whatever metric.
func TestIsFinite(t *testing.T) {
	scored := func(metric string, v float64) protocol.Score {
		return protocol.Score{Metrics: map[string]float64{measure.AbsoluteError: 1, metric: v}, Finite: true}
	}
	for v, want := range map[float64]bool{0: true, -1e6: true, math.Inf(1): false, math.Inf(-1): false} {
		filetest.Want(t, IsFinite(scored(measure.LogLikelihood, v)), want, "%v is finite", v)
	}
	filetest.True(t, !IsFinite(scored(measure.WholeError, math.NaN())), "NaN is finite")
	filetest.True(t, !IsFinite(protocol.Score{}), "a score that is not finite is")
}
