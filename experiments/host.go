package experiments

import (
	"context"
	"encoding"
	"fmt"
	"slices"
	"time"

	"github.com/pkg/errors"
)

// rowLearner learns the rows of a table one after the other, on the host: it needs no device and no compilation.
type rowLearner interface {
	// predict appends the log probability of every class of each row, [rows, classes] in nats. It changes nothing.
	predict(logProbabilities []float32, rows []int32) []float32
	// learn learns rows in their order.
	learn(rows []int32) error
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// hostLearner is a learner of one row learner a seed.
type hostLearner []rowLearner

// Predict returns log probabilities [seeds, rows, classes]. It draws no noise, so the step does not matter.
func (h hostLearner) Predict(rows []int32, _ int) ([]float32, error) {
	if len(rows) == 0 {
		return nil, errors.New("no rows to predict; give at least 1")
	}
	var all []float32
	for _, l := range h {
		all = l.predict(all, rows)
	}
	return all, nil
}

func (h hostLearner) learn(p *plan, step int) error { return h.learnRows(p.Steps[step]) }

func (h hostLearner) learnRows(rows []int32) error {
	for _, l := range h {
		if err := l.learn(rows); err != nil {
			return err
		}
	}
	return nil
}

// steps is a step a row.
func (h hostLearner) steps(_ *plan, rows int) int { return rows }

func (h hostLearner) snapshot() (s learnerState, err error) {
	s.Host = make([][]byte, len(h))
	for i, l := range h {
		if s.Host[i], err = l.MarshalBinary(); err != nil {
			return learnerState{}, err
		}
	}
	return s, nil
}

func (h hostLearner) restore(s learnerState) error {
	if len(s.Host) != len(h) {
		return errors.Errorf("a state of %d seeds does not fit %d; delete the checkpoint, or start anew with --force", len(s.Host), len(h))
	}
	for i, l := range h {
		if err := l.UnmarshalBinary(s.Host[i]); err != nil {
			return err
		}
	}
	return nil
}

func (h hostLearner) compileTime() time.Duration { return 0 }

// doOnHost does a job whose family starts from nothing: one pass over the initial rows, then its streams.
func (j *job) doOnHost(ctx context.Context) error {
	for i, s := range j.family.streams() {
		method := j.family.methods[0] // the frozen model stops learning where the method goes on
		learner, err := j.newHost(method, nil)
		if err == nil {
			err = j.passOnHost(learner)
		}
		if err == nil {
			err = j.stream(ctx, i, along{s, j.plan.arranged(s.method.Arrival), learner})
		}
		if err != nil {
			return errors.WithMessagef(err, "%s, seeds %v", s.name, j.seeds)
		}
	}
	return nil
}

// passOnHost is the initial phase of a learner from nothing. Only the first stream of a family takes it.
func (j *job) passOnHost(learner hostLearner) (err error) {
	if j.state.Epoch > 0 {
		return nil
	}
	if j.plan.untrained {
		if j.state.Untrained, err = j.test(j.family.config, learner, -1); err != nil {
			return err
		}
	}
	start := time.Now()
	if err := learner.learnRows(j.plan.Initial); err != nil {
		return err
	}
	j.state.Seconds = time.Since(start).Seconds()
	j.state.Epoch++
	j.advance(j.initialWork(), fmt.Sprintf("%s: initial rows", j.family.name))
	j.state.Initial, err = learner.snapshot()
	return err
}

// startOnHost runs a stream on the host from the initial model that the device has trained.
func (j *job) startOnHost(ctx context.Context, i int, a along, initial deviceLearner) error {
	if err := initial.restore(j.state.Initial); err != nil {
		return err
	}
	learner, err := j.newHost(a.method, &initial)
	if err != nil {
		return err
	}
	a.learner = learner
	if i == len(j.state.Streams) {
		state, err := learner.snapshot()
		if err != nil {
			return err
		}
		j.state.Streams = append(j.state.Streams, streamState{Learner: state, Runs: j.newRuns()})
	}
	return j.stream(ctx, i, a)
}

// newHost makes the row learners of a method, one a seed: from nothing, or from the initial model of a device.
func (j *job) newHost(m Method, initial *deviceLearner) (hostLearner, error) {
	table, ok := j.task.(*classification)
	if !ok {
		return nil, errors.Errorf("rule %q learns tables; leave it out", m.Rule)
	}
	h := make(hostLearner, 0, len(j.seeds))
	for k, seed := range j.seeds {
		start := beginning{seed: seed}
		if initial != nil {
			beliefs, err := initial.Beliefs(k)
			if err != nil {
				return nil, err
			}
			start.model, start.learned = &beliefs, j.plan.Initial
		}
		l, err := table.rowLearner(j.spec.config(m, table.numItems()), m, start)
		if err != nil {
			return nil, err
		}
		h = append(h, l)
	}
	return slices.Clip(h), nil
}
