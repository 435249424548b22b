package learn

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
)

// Options hold the backend, the seeds and the updater of a learner.
type Options struct {
	Backend compute.Backend
	Seeds   []int64 // each seed makes one replica ("run"), and all runs share one program; none means seed 0
	Updater Updater // the updater of online learning; none means Adam with the configuration's learning rate
	// Hyperparameters has one entry for all runs, or one for each run. None means the hyperparameters of the configuration.
	Hyperparameters []Hyperparameters
	// MaxUpdated is the largest number of records in an update, or 0 if unknown. Updates of a pinned batch are padded to it, so
	// one compiled program serves all of them. 0 pads to the next of a few sizes.
	MaxUpdated int
	// MaxEpochs is the largest number of epochs of an update, or 0 if unknown. One program then serves all numbers up to it. With 0 each
	// number has its own, which knows its length where an epoch is one minibatch.
	MaxEpochs int
}

// Learner is a network with beliefs, one set for each seed. Call Fit for the initial phase, and then Predict and Update along the
// stream. Predict may run at any time, also while another call learns. Calls that learn wait for each other.
type Learner struct {
	*programs
	seeds   []int64
	each    []Hyperparameters // of each run
	most    int               // largest number of records in an update; 0 if unknown
	learned sync.Mutex        // guards fitted and ahead too
	fitted  fitted
	ahead   shuffles              // of the next epoch of the initial phase
	checked atomic.Pointer[Batch] // the last batch that parts were taken from; it fits the network

	mutex      sync.RWMutex      // guards the rest
	hasher     *phe.Encoder      // finds the rows of items; replaced when its draw is chosen, and when the tables grow
	parameters []*tensors.Tensor // nil before their first use
	moments    []*tensors.Tensor // moments of the initial phase's Adam, and with InitialConvergence its course; nil after the phase
	counts     Counts
	taken      []int // see EpochsTaken
	pinned     pinned
	closed     bool
}

// Counts say how far a learner has come. They number its noise, so no two steps share noise.
type Counts struct {
	Epochs, FitSteps       uint64 // epochs and steps of the initial phase
	Updates, UpdateSteps   uint64 // updates (with replays) and steps of online learning
	ReplaySteps, Doublings uint64
	Adam                   uint64 // steps of the initial phase's optimiser since it was fresh
}

// New returns a learner that has seen no data. Its beliefs are drawn as the encoder's configuration says, and θ is drawn from the
// seeds. Programs are compiled at their first use.
func New(n Network, c Config, o Options) (*Learner, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if o.Backend == nil {
		return nil, errors.Errorf("a learner needs a backend; open one with backend.Open(backend.Auto)")
	}
	if o.MaxUpdated < 0 {
		return nil, errors.Errorf("most updated is %d records; give at least 1, or 0 if it is unknown", o.MaxUpdated)
	}
	if c.Scope == phe.IncrementalColumn && (c.Incremental < 0 || c.Incremental >= n.Columns) {
		return nil, errors.Errorf("the incremental column is number %d of %d; count from 0", c.Incremental, n.Columns)
	}
	if n.Bag > 0 {
		n.Inputs = append(slices.Clone(n.Inputs), InputSpec{Name: Shares, DType: dtypes.Float32, Dims: []int{n.cells()}})
	}
	if o.Updater.Step == nil {
		o.Updater = adamOfRuns
	}
	if len(o.Seeds) == 0 {
		o.Seeds = []int64{0}
	}
	first := c.Encoder
	first.HashDraws = 0
	prototype, err := phe.NewEncoder(first)
	if err != nil {
		return nil, err
	}
	each, err := c.ofRuns(o.Hyperparameters, len(o.Seeds))
	if err != nil {
		return nil, err
	}
	p := &programs{first: each, graph: graph{c, prototype, n, len(o.Seeds)}, updater: o.Updater, mostEpochs: o.MaxEpochs,
		zeros: map[string]*tensors.Tensor{}}
	if err := p.build(o.Backend); err != nil {
		return nil, err
	}
	return p.learner(o.Seeds, each, o.MaxUpdated)
}

// Fork returns another learner that has seen no data and shares l's compiled programs. It needs as many seeds as l has. It may have other
// hyperparameters than l's configuration, of all runs or of each.
func (l *Learner) Fork(seeds []int64, each ...Hyperparameters) (*Learner, error) {
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	if l.closed {
		return nil, errClosed
	}
	if len(seeds) != l.runs {
		return nil, errors.Errorf("a fork got %d seeds; its learner has %d, and both need the same number", len(seeds), l.runs)
	}
	given, err := l.ofRuns(each, l.runs)
	if err != nil {
		return nil, err
	}
	for _, online := range []bool{false, true} {
		if l.bayes(online) && slices.ContainsFunc(given, func(h Hyperparameters) bool { return h.klWeight(online) != 1 }) {
			return nil, errors.New("a fork got a KL weight other than 1, which is a constant of its learner's programs; make a new learner")
		}
	}
	return l.learner(seeds, given, l.most)
}

// learner returns a new learner that shares the programs.
func (m *programs) learner(seeds []int64, each []Hyperparameters, most int) (*Learner, error) {
	hasher, err := phe.NewEncoder(m.encoder.Config)
	if err != nil {
		return nil, err
	}
	m.mutex.Lock()
	m.users++
	m.mutex.Unlock()
	return &Learner{programs: m, seeds: slices.Clone(seeds), each: each, most: most, hasher: hasher}, nil
}

// draw draws the initial parameters at their first use. A learner that restores a snapshot never needs them.
func (l *Learner) draw() (err error) {
	l.mutex.RLock()
	drawn := l.parameters != nil && !l.closed
	l.mutex.RUnlock()
	if drawn { // predictions do not wait for each other
		return nil
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	switch {
	case l.closed:
		return errClosed
	case l.parameters == nil:
		l.parameters, err = l.start.Call(l.keys("parameters", 0), l.input(func(h Hyperparameters) float64 { return h.InitialLogStdDev }))
	}
	return errors.WithMessage(err, "drawing initial parameters")
}

var errClosed = errors.New("the learner is closed; make another")

// Counts returns how far the learner has come.
func (l *Learner) Counts() Counts {
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	return l.counts
}

// EpochsTaken returns the number of epochs that each run took in the last update: all of them, or fewer with Config.Convergence. Before
// an update it has the epochs of the initial phase with Config.InitialConvergence. It is empty otherwise, and after a restore.
func (l *Learner) EpochsTaken() []int {
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	return slices.Clone(l.taken)
}

// CompileTime returns the time spent on compilation so far, by all forks together.
func (l *Learner) CompileTime() (total time.Duration) {
	for _, p := range l.all() {
		total += p.CompileTime()
	}
	return total
}

// Close frees the learner's memory on the device at once. The garbage collector does not see the size of this memory. The learner
// must not be used afterwards.
func (l *Learner) Close() {
	l.Settle()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	release(l.parameters)
	l.rehash(l.hasher, pinned{})
	l.programs.release()
}
