package figures

import (
	"github.com/pkg/errors"
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
func (m *method) tested(run *result.Run, set, after int) (score float64, ok bool, err error) {
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
		return 0, false, nil
	}
	if at < 0 {
		return 0, false, errors.Errorf("%s, seed %d: test set %d was not scored after %d steps; make the result again by `phe run`",
			m.label, run.Seed, set, after)
	}
	score, err = m.metric.drawn(m.metric.ofTest(run.Tests[at]))
	return score, err == nil, errors.WithMessagef(err, "%s, seed %d, test set %d after %d steps", m.label, run.Seed, set, after)
}

// estimateTest returns tested over the seeds.
func (m *method) estimateTest(set, after int) (draw.Estimate, error) {
	var values []float64
	for i := range m.Runs {
		percent, ok, err := m.tested(&m.Runs[i], set, after)
		if err != nil {
			return draw.Estimate{}, err
		}
		if ok {
			values = append(values, percent)
		}
	}
	return estimateOf(values), nil
}

// needTests returns an error if the stream has no test sets.
func (s *source) needTests() error {
	if len(s.Stream.Tests) == 0 {
		return errors.Errorf("it has no test sets; make it again: `phe run %s`", s.Name)
	}
	return nil
}
