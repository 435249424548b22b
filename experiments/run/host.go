package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gophe/experiments/learner"
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
func (j *job) passOnHost(l learner.Host) error {
	together := len(j.plan.Initial) // a regression is fitted to all of them
	if j.family.methods[0].Rule == spec.OnePass {
		together = reportedRows
	}
	for rows := range slices.Chunk(j.plan.Initial, together) {
		if err := l.LearnRows(rows); err != nil {
			return err
		}
		j.advance(float64(len(j.seeds)*len(rows)), fmt.Sprintf("%s: initial rows", j.family.name))
	}
	return nil
}

// leadFromInitial runs a trial on the host from the initial model that the device has trained.
func (j *job) leadFromInitial(ctx context.Context, i int, a trial, initial learner.Device) error {
	if err := initial.SetState(j.state.Initial); err != nil {
		return err
	}
	learner, err := j.newHost(a.method, &initial)
	if err != nil {
		return err
	}
	a.learner = learner
	if i == len(j.state.Streams) {
		state, err := learner.State()
		if err != nil {
			return err
		}
		j.state.Streams = append(j.state.Streams, trialState{Learner: state, Runs: j.newRuns()})
	}
	return j.lead(ctx, i, a)
}

// newHost makes the row learners of a method, one a seed: from nothing, or from the initial model of a device.
func (j *job) newHost(m spec.Method, initial *learner.Device) (learner.Host, error) {
	h := learner.Host{Alike: 1, Whole: m.Rule == spec.Counts}
	usual := spec.UsualRefit
	if !j.plan.Scored { // steps are whole groups
		usual = 1
	}
	seeds := j.seeds
	if m.IgnoresSeeds() {
		seeds, h.Alike = seeds[:1], len(seeds)
	}
	for k, seed := range seeds {
		from := task.Beginning{Seed: seed, Initial: j.plan.Initial, Every: cmp.Or(m.RefitEvery, usual)}
		if initial != nil {
			beliefs, err := initial.Beliefs(k)
			if err != nil {
				return learner.Host{}, err
			}
			from.Model = &beliefs
		}
		l, err := j.task.RowLearner(j.spec.Config(m, j.task.NumItems()), m, from)
		if err != nil {
			return learner.Host{}, err
		}
		h.BySeed = append(h.BySeed, l)
	}
	return h, nil
}
