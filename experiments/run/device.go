package run

import (
	"slices"
	"time"

	"github.com/gomlx/compute"

	"gophe/data/tables"
	"gophe/experiments/protocol"
	"gophe/experiments/spec"
	"gophe/experiments/task"
	"gophe/phe/learn"
)

// learner learns along a plan. It holds one model for each seed of a job.
type learner interface {
	// Score predicts rows and scores the predictions of each seed. It learns nothing. step selects the noise.
	Score(rows []int32, step int) ([]protocol.Score, error)
	// Learn learns from a step of the plan.
	Learn(p *protocol.Plan, step int) error
	// steps returns the number of steps that learning from a number of rows takes.
	steps(p *protocol.Plan, rows int) int
	state() (learnerState, error)
	setState(learnerState) error
	// CompileTime returns the time spent on compilation so far.
	CompileTime() time.Duration
}

// learnerState is all that a learner needs to continue.
type learnerState struct {
	Device learn.Snapshot
	Host   [][]byte // of each seed's row learner
}

// Device is a learner whose seeds train in one program of the backend.
type Device struct {
	*learn.Learner
	All    *learn.Batch // every example of the task
	task   task.Task
	config spec.Config
	method spec.Method
	seeds  int
	seen   *itemsSeen // of a method whose tables grow
}

// NewDevice returns a learner of a task for the seeds. An update brings at most mostUpdated examples. With pinned, the data
// stays on the device if it has room.
func NewDevice(t task.Task, b compute.Backend, c spec.Config, seeds []int64, mostUpdated int, pinned bool) (Device, error) {
	network, all, err := t.Network(c)
	if err != nil {
		return Device{}, err
	}
	c.Incremental = t.Incremental()
	l, err := learn.New(network, c.Config, learn.Options{Backend: b, Seeds: seeds, MostUpdated: mostUpdated})
	if err != nil {
		return Device{}, err
	}
	if pinned && t.StaysOnDevice() {
		_, err = l.Pin(all)
	} else {
		err = l.Meet(all) // the capacity of EE and P-EE is the whole data set's
	}
	if err != nil {
		l.Close()
		return Device{}, err
	}
	return Device{Learner: l, All: all, task: t, config: c, seeds: len(seeds)}, nil
}

// WithMethod returns the learner with the settings of a method for updates.
func (d Device) WithMethod(m spec.Method) Device {
	d.method, d.seen = m, nil
	if m.GrowBeyond > 0 {
		d.seen = &itemsSeen{}
	}
	return d
}

// Predict returns predictions [seeds, rows, …] with the noise of a step's number, which a frozen model does not count.
func (d Device) Predict(rows []int32, step int) ([]float32, error) {
	p, err := d.PredictDraw(d.All.Take(rows), uint64(step))
	return p.Values, err
}

// Score predicts rows as Predict does, and scores every seed.
func (d Device) Score(rows []int32, step int) ([]protocol.Score, error) {
	values, err := d.Predict(rows, step)
	if err != nil {
		return nil, err
	}
	return d.task.Judge(d.config, rows).Each(values, d.seeds), nil
}

// Learn updates every seed with the rows of a step. With replay it fits all rows up to the step again.
func (d Device) Learn(p *protocol.Plan, step int) error {
	if d.method.Replay {
		past := slices.Concat(append([][]int32{p.Initial}, p.Steps[:step+1]...)...)
		return d.Replay(d.All.Take(past), d.method.UpdateEpochs)
	}
	if err := d.grow(p, step); err != nil {
		return err
	}
	return d.Update(d.All.Take(p.Steps[step]), d.method.UpdateEpochs)
}

// steps counts the steps of the optimiser.
func (d Device) steps(p *protocol.Plan, rows int) int {
	if d.method.Replay {
		return d.method.UpdateEpochs
	}
	return d.method.UpdateEpochs * Batches(rows, min(d.BatchSize, p.LargestStep()))
}

// state copies the models and their optimisers from the device, for a checkpoint.
func (d Device) state() (learnerState, error) {
	s, err := d.Snapshot()
	return learnerState{Device: s}, err
}

// setState copies models and optimisers from a checkpoint to the device.
func (d Device) setState(s learnerState) error { return d.Restore(s.Device) }

// NewClassifier makes a learner of a table for seed 0, and the table as the learner reads it. It is for a caller
// with a loop of its own. mostUpdated is the largest number of rows in an update.
func NewClassifier(b compute.Backend, c learn.Config, t *tables.Table, mostUpdated int) (*learn.Learner, *learn.Batch, error) {
	l, err := NewDevice(task.NewClassification(t), b, spec.Config{Config: c}, []int64{0}, mostUpdated, true)
	return l.Learner, l.All, err
}

// Batches returns the number of batches of a size that hold all rows.
func Batches(rows, size int) int { return (rows + size - 1) / size }
