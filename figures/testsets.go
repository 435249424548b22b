package figures

import (
	"fmt"

	"gonum.org/v1/gonum/stat"

	"gophe/experiments/result"
	"gophe/figures/draw"
)

// estimateOf returns the estimate of the values. Without values it is zero. A single value has standard deviation 0.
func estimateOf(values []float64) (e draw.Estimate) {
	if e.Seeds = len(values); e.Seeds > 0 {
		e.Mean = stat.Mean(values, nil)
	}
	if e.Seeds > 1 {
		e.StdDev = stat.StdDev(values, nil)
	}
	return e
}

// tested returns a run's score (accuracy in %) on a test set after the given number of steps. A frozen model learns nothing, so
// an earlier score serves too. If a diverged run has no such score, ok is false.
func (m *method) tested(run *result.Run, set, after int) (score float64, ok bool) {
	at := -1
	for i, score := range run.Tests {
		if score.Set != set {
			continue
		}
		if score.After == after || m.Frozen && score.After >= 0 && score.After < after {
			at = i
		}
	}
	if run.Status == result.Diverged && (at < 0 || after > run.DivergedAt) {
		return 0, false
	}
	if at < 0 {
		m.source.fail("%s, seed %d: test set %d was not scored after %d steps; make the result again by `phe run`",
			m.label, run.Seed, set, after)
	}
	if score = run.Tests[at].Accuracy; m.metric.isError() {
		score = run.Tests[at].AbsoluteError
	}
	return m.drawn(score, fmt.Sprintf("seed %d, test set %d after %d steps", run.Seed, set, after)), true
}

// estimateTest returns tested over the seeds.
func (m *method) estimateTest(set, after int) draw.Estimate {
	var values []float64
	for i := range m.Runs {
		if percent, ok := m.tested(&m.Runs[i], set, after); ok {
			values = append(values, percent)
		}
	}
	return estimateOf(values)
}

// needTests ends the figure if the stream has no test sets.
func (s *source) needTests() {
	if len(s.Stream.Tests) == 0 {
		s.fail("it has no test sets; make it again: `phe run %s`", s.Name)
	}
}
