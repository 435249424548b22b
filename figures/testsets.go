package figures

import (
	"github.com/pkg/errors"
	"gonum.org/v1/gonum/stat"

	"gophe/experiments/result"
)

// estimate is a mean over seeds with the standard deviation (n−1) between them.
type estimate struct {
	mean, stdDev float64
	seeds        int
}

// estimateOf is zero without values. A single one has standard deviation 0.
func estimateOf(values []float64) (e estimate) {
	if e.seeds = len(values); e.seeds > 0 {
		e.mean = stat.Mean(values, nil)
	}
	if e.seeds > 1 {
		e.stdDev = stat.StdDev(values, nil)
	}
	return e
}

// tested is a run's score (accuracy in %) on a test set after so many steps of the stream. A frozen model, which learns from
// none of them, may have been tested earlier. Where a diverged run has no such score, ok is false.
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
		return 0, false, errors.Errorf("%s, seed %d: test set %d was not scored after %d steps; make the result anew by `phe run`",
			m.label, run.Seed, set, after)
	}
	score, err = m.metric.drawn(m.metric.ofTest(run.Tests[at]))
	return score, err == nil, errors.WithMessagef(err, "%s, seed %d, test set %d after %d steps", m.label, run.Seed, set, after)
}

// estimateTest is tested over the seeds.
func (m *method) estimateTest(set, after int) (estimate, error) {
	var values []float64
	for i := range m.Runs {
		percent, ok, err := m.tested(&m.Runs[i], set, after)
		if err != nil {
			return estimate{}, err
		}
		if ok {
			values = append(values, percent)
		}
	}
	return estimateOf(values), nil
}

// needTests is an error where the stream has no test sets.
func (s *source) needTests() error {
	if len(s.Stream.Tests) == 0 {
		return errors.Errorf("result %q has no test sets; make it anew: `phe run %s`", s.Name, s.Name)
	}
	return nil
}
