package run

import (
	"slices"
	"time"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	"gophe/data/labelled"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
	"gophe/phe/learn"
)

// learner learns along a plan. It holds one model for each seed of a job.
type learner interface {
	// Score predicts rows and scores the predictions of each seed. It learns nothing. step selects the noise.
	Score(rows []int32, step int) ([]protocol.Score, error)
	// Learn learns from a step of the plan.
	Learn(p *protocol.Plan, step int) error
	// epochsTaken returns the number of passes that a seed took over the rows last learned.
	epochsTaken(seed int) int
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
	seen   []int         // items by the end of each step, where the method's tables grow
	shared time.Duration // compilation before, by learners that share the programs
}

// NewDevice returns a learner of a task for the seeds. An update brings at most maxUpdated examples. With pinned, the data
// stays on the device if it has room.
func NewDevice(t task.Task, b compute.Backend, c spec.Config, seeds []int64, maxUpdated int, pinned bool) (Device, error) {
	w := worker{backend: b, roots: map[shape]*learn.Learner{}}
	defer w.forget()
	return w.device(t, c, learn.Options{Seeds: seeds, MaxUpdated: maxUpdated}, pinned)
}

// device returns a learner of a task with the options' hyperparameters or else c's. Learners of one shape share the worker's programs.
func (w *worker) device(t task.Task, c spec.Config, o learn.Options, pinned bool) (Device, error) {
	network, all, err := t.Network(c)
	if err != nil {
		return Device{}, err
	}
	c.Incremental = t.About().Incremental
	key := shapeOf(t, c, len(o.Seeds), o.MaxUpdated)
	root := w.roots[key]
	if root == nil {
		o.Backend = w.backend
		if root, err = learn.New(network, c.Config, o); err != nil {
			return Device{}, err
		}
		w.roots[key] = root
	}
	if len(o.Hyperparameters) == 0 {
		o.Hyperparameters = []learn.Hyperparameters{c.Hyperparameters()}
	}
	l, err := root.Fork(o.Seeds, o.Hyperparameters...)
	if err != nil {
		return Device{}, err
	}
	if pinned && t.About().OnDevice {
		err = l.Pin(all)
	} else {
		err = l.Meet(all) // the capacity of EE and P-EE is the whole data set's
	}
	if err != nil {
		l.Close()
		return Device{}, err
	}
	return Device{Learner: l, All: all, task: t, config: c, seeds: len(o.Seeds), shared: l.CompileTime()}, nil
}

// CompileTime returns the time that compilation took since the learner was made.
func (d Device) CompileTime() time.Duration { return d.Learner.CompileTime() - d.shared }

// WithMethod returns the learner with the settings of a method for updates.
func (d Device) WithMethod(m spec.Method) Device {
	d.method = m
	return d
}

// Score predicts rows with the noise of a step's number, which a frozen model does not count, and scores every seed.
func (d Device) Score(rows []int32, step int) (scores []protocol.Score, err error) {
	p, err := d.PredictDraw(d.All.Take(rows), uint64(step))
	if err != nil {
		return nil, err
	}
	for own := range slices.Chunk(p.Values, len(p.Values)/d.seeds) {
		scores = append(scores, d.task.Judge(d.config, rows, own))
	}
	return scores, nil
}

// Learn updates every seed with the rows of a step. With replay it fits all rows up to the step again.
func (d Device) Learn(p *protocol.Plan, step int) error {
	if d.method.Replay {
		past := slices.Concat(append([][]int32{p.Initial}, p.Steps[:step+1]...)...)
		return d.Replay(d.All.Take(past), d.method.UpdateEpochs)
	}
	for len(d.seen) > 0 && float64(d.seen[step]) > d.method.GrowBeyond*float64(d.tableRows()) { // until there are rows for these items
		if err := d.Grow(); err != nil {
			return err
		}
	}
	return d.Update(d.All.Take(p.Steps[step]), d.method.UpdateEpochs)
}

func (d Device) epochsTaken(seed int) int {
	if d.method.Replay {
		return 1
	}
	return d.EpochsTaken()[seed]
}

// tableRows returns the present number of rows of table E.
func (d Device) tableRows() int { return d.Encoder.TableRows() << d.Counts().Doublings }

// state copies the models and their optimisers from the device, for a checkpoint.
func (d Device) state() (learnerState, error) {
	s, err := d.Snapshot()
	return learnerState{Device: s}, err
}

// setState copies models and optimisers from a checkpoint to the device.
func (d Device) setState(s learnerState) error { return d.Restore(s.Device) }

// NewClassifier makes a learner of a table for seed 0, and the table as the learner reads it. It is for a caller
// with a loop of its own. maxUpdated is the largest number of rows in an update.
func NewClassifier(b compute.Backend, c learn.Config, t *labelled.Table, maxUpdated int) (*learn.Learner, *learn.Batch, error) {
	l, err := NewDevice(task.NewClassification(t), b, spec.Config{Config: c}, []int64{0}, maxUpdated, true)
	return l.Learner, l.All, err
}

// Batches returns the number of batches of a size that hold all rows.
func Batches(rows, size int) int { return (rows + size - 1) / size }

// itemsSeen returns the number of distinct items of the initial examples, and of them and the steps up to each.
func itemsSeen(all *learn.Batch, columns int, p *protocol.Plan) (counts []int) {
	seen, n := make([]bool, len(all.Items)), 0
	for _, examples := range append([][]int32{p.Initial}, p.Steps...) {
		for item := range all.ItemsOf(examples, columns) {
			if !seen[item] {
				seen[item] = true
				n++
			}
		}
		counts = append(counts, n)
	}
	return counts
}

// grownConfig is a method's configuration at the end of a stream with numItems distinct items.
func grownConfig(c spec.Config, m spec.Method, numItems int) spec.Config {
	for e := &c.Encoder; m.GrowBeyond > 0 && float64(numItems) > m.GrowBeyond*float64(e.NumBuckets); {
		e.NumBuckets, e.NumWeights = 2*e.NumBuckets, 2*e.NumWeights
	}
	return c
}

// host is a learner of one row learner a seed, or of a single one where nothing is drawn from seeds.
type host struct {
	bySeed []task.RowLearner
	alike  int // number of seeds that each stands for
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

func (h host) epochsTaken(int) int { return 1 }

// learnRows teaches every seed some rows.
func (h host) learnRows(rows []int32) error {
	for _, l := range h.bySeed {
		if err := l.Learn(rows); err != nil {
			return err
		}
	}
	return nil
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
