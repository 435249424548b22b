package experiments

import (
	"time"

	"github.com/pkg/errors"
)

// hostLearner is a learner of one row learner a seed, or of a single one where nothing is drawn from seeds.
type hostLearner struct {
	bySeed []rowLearner
	alike  int // number of seeds that each stands for
}

// Predict returns predictions [seeds, rows, …]. It draws no noise, so the step does not matter.
func (h hostLearner) Predict(rows []int32, _ int) ([]float32, error) {
	if len(rows) == 0 {
		return nil, errors.New("no rows to predict; give at least 1")
	}
	var all []float32
	for _, l := range h.bySeed {
		from := len(all)
		all = l.Predict(all, rows)
		own := all[from:]
		for range h.alike - 1 {
			all = append(all, own...)
		}
	}
	return all, nil
}

func (h hostLearner) learn(p *plan, step int) error { return h.learnRows(p.Steps[step]) }

func (h hostLearner) learnRows(rows []int32) error {
	for _, l := range h.bySeed {
		if err := l.Learn(rows); err != nil {
			return err
		}
	}
	return nil
}

// steps is a step a row.
func (h hostLearner) steps(_ *plan, rows int) int { return rows }

func (h hostLearner) snapshot() (s learnerState, err error) {
	s.Host = make([][]byte, len(h.bySeed))
	for i, l := range h.bySeed {
		if s.Host[i], err = l.MarshalBinary(); err != nil {
			return learnerState{}, err
		}
	}
	return s, nil
}

func (h hostLearner) restore(s learnerState) error {
	if len(s.Host) != len(h.bySeed) {
		return errors.Errorf("a state of %d learners does not fit %d; start anew with --force", len(s.Host), len(h.bySeed))
	}
	for i, l := range h.bySeed {
		if err := l.UnmarshalBinary(s.Host[i]); err != nil {
			return err
		}
	}
	return nil
}

func (h hostLearner) sharing() int { return len(h.bySeed) }

func (h hostLearner) CompileTime() time.Duration { return 0 }
