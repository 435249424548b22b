package experiments

import (
	"slices"
	"time"

	"github.com/gomlx/compute"

	"gophe/data"
	"gophe/experiments/protocol"
	"gophe/phe/learn"
)

// learner is what a job leads along a plan: one model of each of its seeds, side by side.
type learner interface {
	protocol.Learner
	// learn learns from a step of the plan.
	learn(p *plan, step int) error
	// steps returns the number of steps that learning from a number of rows takes.
	steps(p *plan, rows int) int
	snapshot() (learnerState, error)
	restore(learnerState) error
	// sharing returns the number of seeds that share its time.
	sharing() int
	// compileTime returns the time spent on compilation so far.
	CompileTime() time.Duration
}

// learnerState is all that a learner needs to go on.
type learnerState struct {
	Device learn.Snapshot
	Host   [][]byte // of each seed's row learner
}

// deviceLearner is a learner whose seeds train in one program of the backend.
type deviceLearner struct {
	*learn.Learner
	all    *learn.Batch // every example of the task
	method Method
	seeds  int
	seen   *itemsSeen // of a method whose tables grow
}

// newDevice makes the learner of a task for the seeds, each of whose updates brings at most so many examples. With pinned, what the
// device can hold stays on it.
func newDevice(t task, b compute.Backend, c config, seeds []int64, mostUpdated int, pinned bool) (deviceLearner, error) {
	network, all, err := t.network(c)
	if err != nil {
		return deviceLearner{}, err
	}
	c.Incremental = t.incremental()
	l, err := learn.New(network, c.Config, learn.Options{Backend: b, Seeds: seeds, MostUpdated: mostUpdated})
	if err != nil {
		return deviceLearner{}, err
	}
	if pinned && t.staysOnDevice() {
		_, err = l.Pin(all)
	} else {
		err = l.Meet(all) // the capacity of EE and P-EE is the whole data set's
	}
	if err != nil {
		l.Close()
		return deviceLearner{}, err
	}
	return deviceLearner{Learner: l, all: all, seeds: len(seeds)}, nil
}

// along returns the learner as a method leads it along a stream.
func (d deviceLearner) along(m Method) deviceLearner {
	d.method, d.seen = m, nil
	if m.GrowBeyond > 0 {
		d.seen = &itemsSeen{}
	}
	return d
}

// Predict returns predictions [seeds, rows, …] with the noise of a step's number, which a frozen model does not count.
func (d deviceLearner) Predict(rows []int32, step int) ([]float32, error) {
	p, err := d.PredictDraw(d.all.Take(rows), uint64(step))
	return p.Values, err
}

func (d deviceLearner) learn(p *plan, step int) error {
	if d.method.Replay {
		past := slices.Concat(append([][]int32{p.Initial}, p.Steps[:step+1]...)...)
		return d.Replay(d.all.Take(past), d.method.UpdateEpochs)
	}
	if err := d.grow(p, step); err != nil {
		return err
	}
	return d.Update(d.all.Take(p.Steps[step]), d.method.UpdateEpochs)
}

// steps counts the steps of the optimiser.
func (d deviceLearner) steps(p *plan, rows int) int {
	if d.method.Replay {
		return d.method.UpdateEpochs
	}
	return d.method.UpdateEpochs * batches(rows, min(d.BatchSize, p.largestStep()))
}

func (d deviceLearner) snapshot() (learnerState, error) {
	s, err := d.Snapshot()
	return learnerState{Device: s}, err
}

func (d deviceLearner) restore(s learnerState) error { return d.Restore(s.Device) }

func (d deviceLearner) sharing() int { return d.seeds }

// NewClassifier makes a learner of a table, of seed 0, that is led along a stream by hand, and the table as it reads it; [Run]
// leads those of specs. mostUpdated is the most rows that one update brings.
func NewClassifier(b compute.Backend, c learn.Config, t *data.Table, mostUpdated int) (*learn.Learner, *learn.Batch, error) {
	l, err := newDevice(&classification{t, itemise(t)}, b, config{Config: c}, []int64{0}, mostUpdated, true)
	return l.Learner, l.all, err
}

func batches(rows, size int) int { return (rows + size - 1) / size }
