package learner

import (
	"gophe/experiments/protocol"
	"gophe/experiments/task"
	"time"

	"github.com/pkg/errors"
)

// Host is a learner of one row learner a seed, or of a single one where nothing is drawn from seeds.
type Host struct {
	BySeed []task.RowLearner
	Alike  int // number of seeds that each stands for
}

// Predict returns predictions [seeds, rows, …]. It draws no noise, so the step does not matter.
func (h Host) Predict(rows []int32, _ int) ([]float32, error) {
	if len(rows) == 0 {
		return nil, errors.New("no rows to predict; give at least 1")
	}
	var all []float32
	for _, l := range h.BySeed {
		from := len(all)
		all = l.Predict(all, rows)
		own := all[from:]
		for range h.Alike - 1 {
			all = append(all, own...)
		}
	}
	return all, nil
}

// Learn teaches every seed the rows of a step.
func (h Host) Learn(p *protocol.Plan, step int) error { return h.LearnRows(p.Steps[step]) }

// LearnRows teaches every seed some rows.
func (h Host) LearnRows(rows []int32) error {
	for _, l := range h.BySeed {
		if err := l.Learn(rows); err != nil {
			return err
		}
	}
	return nil
}

// Steps is a step a row.
func (h Host) Steps(_ *protocol.Plan, rows int) int { return rows }

// State returns the bytes of every seed, for a checkpoint.
func (h Host) State() (s State, err error) {
	s.Host = make([][]byte, len(h.BySeed))
	for i, l := range h.BySeed {
		if s.Host[i], err = l.MarshalBinary(); err != nil {
			return State{}, err
		}
	}
	return s, nil
}

// SetState restores every seed from a checkpoint.
func (h Host) SetState(s State) error {
	if len(s.Host) != len(h.BySeed) {
		return errors.Errorf("a state of %d learners does not fit %d; start anew with --force", len(s.Host), len(h.BySeed))
	}
	for i, l := range h.BySeed {
		if err := l.UnmarshalBinary(s.Host[i]); err != nil {
			return err
		}
	}
	return nil
}

// Sharing returns the number of seeds that learn side by side.
func (h Host) Sharing() int { return len(h.BySeed) }

// CompileTime returns 0: nothing is compiled on the host.
func (h Host) CompileTime() time.Duration { return 0 }
