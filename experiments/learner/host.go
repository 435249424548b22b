package learner

import (
	"slices"
	"time"

	"github.com/pkg/errors"

	"gophe/experiments/protocol"
	"gophe/experiments/task"
)

// Host is a learner of one row learner a seed, or of a single one where nothing is drawn from seeds.
type Host struct {
	BySeed []task.RowLearner
	Alike  int  // number of seeds that each stands for
	Whole  bool // a step is learned as one
}

// Score scores every seed's predictions of rows. It draws no noise, so the step does not matter.
func (h Host) Score(rows []int32, _ int) (scores []protocol.Score, err error) {
	for _, l := range h.BySeed {
		score, err := l.Score(rows)
		if err != nil {
			return nil, err
		}
		scores = append(scores, slices.Repeat([]protocol.Score{score}, h.Alike)...)
	}
	return scores, nil
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

// Steps is a step a row, or one in all.
func (h Host) Steps(_ *protocol.Plan, rows int) int {
	if h.Whole {
		return 1
	}
	return rows
}

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

// CompileTime returns 0: nothing is compiled on the host.
func (h Host) CompileTime() time.Duration { return 0 }
