package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pkg/errors"

	"gophe/experiments/protocol"
	"gophe/experiments/spec"
	"gophe/experiments/task"
)

// leadFromNothing runs a trial on the host after one pass over the initial rows. The frozen model stops where the methods continue.
func (j *job) leadFromNothing(ctx context.Context, i int, a trial) error {
	learner, err := j.newHost(j.family.methods[0], nil)
	if err == nil {
		err = j.initialPhase(ctx, learner, func() error { return j.passOnHost(learner) })
	}
	if err != nil {
		return err
	}
	a.learner = learner
	return j.lead(ctx, i, a)
}

// reportedRows is the number of initial rows that one pass learns between two reports of progress.
const reportedRows = 1 << 16

// passOnHost learns the initial rows once.
func (j *job) passOnHost(l host) error {
	together := len(j.plan.Initial) // a regression is fitted to all of them
	if j.family.methods[0].Rule == spec.OnePass {
		together = reportedRows
	}
	for rows := range slices.Chunk(j.plan.Initial, together) {
		if err := l.learnRows(rows); err != nil {
			return err
		}
		j.advance(float64(len(j.seeds)*len(rows)), fmt.Sprintf("%s: initial rows", j.family.name))
	}
	return nil
}

// leadFromInitial runs a trial on the host from the initial model that the device has trained.
func (j *job) leadFromInitial(ctx context.Context, i int, a trial, initial Device) error {
	if err := initial.setState(j.state.Initial); err != nil {
		return err
	}
	learner, err := j.newHost(a.method, &initial)
	if err != nil {
		return err
	}
	a.learner = learner
	if i == len(j.state.Streams) {
		state, err := learner.state()
		if err != nil {
			return err
		}
		j.state.Streams = append(j.state.Streams, trialState{Learner: state, Runs: j.newRuns()})
	}
	return j.lead(ctx, i, a)
}

// newHost makes the row learners of a method, one a seed: from nothing, or from the initial model of a device.
func (j *job) newHost(m spec.Method, initial *Device) (host, error) {
	h := host{alike: 1, whole: m.Rule == spec.Counts}
	usual := spec.UsualRefit
	if !j.plan.Scored { // steps are whole groups
		usual = 1
	}
	seeds := j.seeds
	if m.IgnoresSeeds() {
		seeds, h.alike = seeds[:1], len(seeds)
	}
	for k, seed := range seeds {
		from := task.Beginning{Seed: seed, Initial: j.plan.Initial, Every: cmp.Or(m.RefitEvery, usual)}
		if initial != nil {
			beliefs, err := initial.Beliefs(k)
			if err != nil {
				return host{}, err
			}
			from.Model = &beliefs
		}
		l, err := j.task.RowLearner(j.spec.Config(m, j.task.NumItems()), m, from)
		if err != nil {
			return host{}, err
		}
		h.bySeed = append(h.bySeed, l)
	}
	return h, nil
}

// host is a learner of one row learner a seed, or of a single one where nothing is drawn from seeds.
type host struct {
	bySeed []task.RowLearner
	alike  int  // number of seeds that each stands for
	whole  bool // a step is learned as one
}

// Score scores every seed's predictions of rows. It draws no noise, so the step does not matter.
func (h host) Score(rows []int32, _ int) (scores []protocol.Score, err error) {
	for _, l := range h.bySeed {
		score, err := l.Score(rows)
		if err != nil {
			return nil, err
		}
		scores = append(scores, slices.Repeat([]protocol.Score{score}, h.alike)...)
	}
	return scores, nil
}

// Learn teaches every seed the rows of a step.
func (h host) Learn(p *protocol.Plan, step int) error { return h.learnRows(p.Steps[step]) }

// learnRows teaches every seed some rows.
func (h host) learnRows(rows []int32) error {
	for _, l := range h.bySeed {
		if err := l.Learn(rows); err != nil {
			return err
		}
	}
	return nil
}

// steps is a step a row, or one in all.
func (h host) steps(_ *protocol.Plan, rows int) int {
	if h.whole {
		return 1
	}
	return rows
}

// state returns the bytes of every seed, for a checkpoint.
func (h host) state() (s learnerState, err error) {
	s.Host = make([][]byte, len(h.bySeed))
	for i, l := range h.bySeed {
		if s.Host[i], err = l.MarshalBinary(); err != nil {
			return learnerState{}, err
		}
	}
	return s, nil
}

// setState restores every seed from a checkpoint.
func (h host) setState(s learnerState) error {
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

// CompileTime returns 0: nothing is compiled on the host.
func (h host) CompileTime() time.Duration { return 0 }
