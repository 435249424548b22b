package experiments

import (
	"context"
	"encoding"
	"fmt"
	"slices"
	"time"

	"github.com/pkg/errors"

	"gophe/experiments/onehot"
	"gophe/experiments/result"
	"gophe/phe/learn"
)

// hostTask is a task that can be learned on the host.
type hostTask interface {
	// rowLearner makes the learner of a method's rule.
	rowLearner(c config, m Method, from beginning) (rowLearner, error)
	// countNumbers counts what a family's rows of the result file keep in memory: tables, and all numbers with the head's.
	countNumbers(rows []result.Method, f *family, p *plan)
}

// rowLearner learns rows or ratings one after the other, on the host: it needs no device and no compilation.
type rowLearner interface {
	// Predict appends what the task's judge reads of each row: of tables the log probability of every class in nats, of ratings
	// a mean and a standard deviation. It changes nothing.
	Predict(predictions []float32, rows []int32) []float32
	// Learn learns rows in their order.
	Learn(rows []int32) error
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

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
			err = j.stream(ctx, i, along{s, j.plan.arranged(s.method), learner})
		}
		if err != nil {
			return errors.WithMessagef(err, "%s, seeds %v", s.name, j.seeds)
		}
	}
	return nil
}

// reportedRows is how many initial rows one pass learns from one report of progress to the next.
const reportedRows = 1 << 16

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
	together := len(j.plan.Initial) // a regression is fitted to all of them
	if j.family.methods[0].Rule == OnePass {
		together = reportedRows
	}
	for rows := range slices.Chunk(j.plan.Initial, together) {
		if err := learner.learnRows(rows); err != nil {
			return err
		}
		j.advance(float64(len(j.seeds)*len(rows)), fmt.Sprintf("%s: initial rows", j.family.name))
	}
	j.state.Seconds = time.Since(start).Seconds()
	j.state.Epoch++
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
	task, ok := j.task.(hostTask)
	if !ok {
		return hostLearner{}, errors.Errorf("rule %q learns tables and ratings; leave it out", m.Rule)
	}
	h := hostLearner{alike: 1}
	seeds := j.seeds
	if m.ignoresSeeds() {
		seeds, h.alike = seeds[:1], len(seeds)
	}
	for k, seed := range seeds {
		from := beginning{seed: seed, initial: j.plan.Initial, every: refitEvery}
		if !j.plan.scored { // steps are whole groups
			from.every = 1
		}
		if initial != nil {
			beliefs, err := initial.Beliefs(k)
			if err != nil {
				return hostLearner{}, err
			}
			from.model = &beliefs
		}
		l, err := task.rowLearner(j.spec.config(m, j.task.numItems()), m, from)
		if err != nil {
			return hostLearner{}, err
		}
		h.bySeed = append(h.bySeed, l)
	}
	return h, nil
}

// beginning is what a row learner starts from.
type beginning struct {
	seed    int64
	initial []int32        // rows of the initial phase
	model   *learn.Beliefs // that the initial phase learned; nil from nothing
	every   int            // steps from one fit to the next, of rules that are fitted
}

// refitEvery is how many steps of the stream pass between two fits of a regression.
const refitEvery = 25

// rowLearner makes the learner of a method's rule.
func (t *classification) rowLearner(c config, m Method, from beginning) (rowLearner, error) {
	switch m.Rule {
	case AdPredictor:
		return onehot.NewAdPredictor(t.oneHot(from.initial)), nil
	case BayesianLogistic:
		return onehot.NewBayesian(t.oneHot(from.initial))
	case RefittedLogistic:
		return onehot.NewRefitted(t.oneHot(from.initial), from.every), nil
	}
	return newOnePass(t, c.Encoder, m.Start, from)
}

// oneHot is the table as package onehot reads it, its numbers standardised by the initial rows.
func (t *classification) oneHot(initial []int32) *onehot.Table {
	s := t.shape()
	x := make([]float64, len(t.items.Numbers))
	for i, v := range t.items.Numbers {
		x[i] = float64(v)
	}
	return &onehot.Table{Items: s.items, Columns: s.columns, Numbers: s.numbers, Classes: len(t.table.Classes), Index: t.items.Index,
		X: onehot.Standardise(x, s.numbers, initial), Labels: t.items.Labels}
}
