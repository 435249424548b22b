// Package learn takes a model along a stream (Sec. 3.3): a fit learns the tables' posterior and the network's θ, then predictions
// and updates follow in turn, each update with the last posterior as its prior. It takes records with whatever items they hold.
// What a model computes is its [Network]'s: package tabular has the classifier's, dkf the deep Kalman filter's, ncf the
// recommender's.
package learn

import (
	"slices"
	"sync"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
	"gophe/phe/backend"
)

// Options say how a learner computes, and with which updater it learns online.
type Options struct {
	Backend compute.Backend
	Seeds   []int64 // one replica ("run") each, side by side in one program; none is seed 0
	Updater Updater // of online learning; nil is Adam with the configuration's learning rate
	// MostUpdated is the most records that one update brings, where that is known: updates of a pinned batch are padded to it, so
	// that one compiled program serves all. 0 pads to the next of a few sizes.
	MostUpdated int
}

// Learner is a network with beliefs, one set a seed: Fit until the initial phase is done, then Predict and Update along the stream.
// Predict may be called at any time, also while another call learns. Calls that learn wait for each other.
type Learner struct {
	*programs
	seeds   []int64
	most    int // records of an update; 0 where it is not known
	learned sync.Mutex

	mutex      sync.RWMutex      // guards the rest
	hasher     *phe.Encoder      // finds the rows of items, and grows
	parameters []*tensors.Tensor // nil until their first use
	moments    []*tensors.Tensor // of the initial phase's Adam; nil when it is over
	counts     Counts
	pinned     pinned
	fitted     fitted
	known      known
	closed     bool
}

// fitted is what the initial phase keeps of the last batch from epoch to epoch.
type fitted struct {
	batch *Batch
	x     excerpt
}

// known are the slots of the last batch that parts were taken of.
type known struct {
	sync.Mutex
	batch *Batch
	slots phe.ItemRows
}

// Counts are how far a learner has come. They number its noise, so that no two steps share any.
type Counts struct {
	Epochs, FitSteps       uint64 // of the initial phase
	Updates, UpdateSteps   uint64 // of online learning, replays included
	ReplaySteps, Doublings uint64
	Adam                   uint64 // steps of the initial phase's optimiser since it was fresh
}

// New returns a learner that knows nothing yet: beliefs are drawn as the encoder's configuration says, and θ from the seeds.
// Programs are compiled at their first use.
func New(n Network, c Config, o Options) (*Learner, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if o.Backend == nil {
		return nil, errors.Errorf("a learner needs a backend; open one with backend.Open(backend.Auto)")
	}
	if o.MostUpdated < 0 {
		return nil, errors.Errorf("most updated is %d records; give at least 1, or 0 where it is not known", o.MostUpdated)
	}
	if c.Scope == phe.IncrementalColumn && (c.Incremental < 0 || c.Incremental >= n.NumColumns()) {
		return nil, errors.Errorf("the incremental column is number %d of %d; count from 0", c.Incremental, n.NumColumns())
	}
	if o.Updater == nil {
		o.Updater = Adam{c.onlineLearningRate()}
	}
	if err := o.Updater.Validate(c, n); err != nil {
		return nil, err
	}
	if len(o.Seeds) == 0 {
		o.Seeds = []int64{0}
	}
	prototype, err := phe.NewEncoder(c.Encoder)
	if err != nil {
		return nil, err
	}
	p := &programs{graph: graph{c, prototype, n, len(o.Seeds)}, updater: o.Updater}
	if err := p.build(o.Backend); err != nil {
		return nil, err
	}
	return p.learner(o.Seeds, o.MostUpdated)
}

// Fork returns another learner that knows nothing yet, of as many seeds, which shares l's compiled programs.
func (l *Learner) Fork(seeds []int64) (*Learner, error) {
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	if l.closed {
		return nil, errClosed
	}
	if len(seeds) != l.runs {
		return nil, errors.Errorf("%d seeds for a fork of a learner of %d", len(seeds), l.runs)
	}
	return l.learner(seeds, l.most)
}

// learner returns one that shares the programs.
func (m *programs) learner(seeds []int64, most int) (*Learner, error) {
	hasher, err := phe.NewEncoder(m.Encoder)
	if err != nil {
		return nil, err
	}
	m.mutex.Lock()
	m.users++
	m.mutex.Unlock()
	return &Learner{programs: m, seeds: slices.Clone(seeds), most: most, hasher: hasher}, nil
}

// draw draws the initial parameters at their first use: a learner that takes over a snapshot needs none.
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
		l.parameters, err = l.start.Call(l.keys("parameters", 0))
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

// NumColumns is how many items an event has.
func (l *Learner) NumColumns() int { return l.network.NumColumns() }

// CompileTime is how long compilation took so far, of all learners that are forks of each other.
func (l *Learner) CompileTime() time.Duration { return l.compileTime() }

// Close frees what the learner holds on the device, without waiting for the garbage collector, which does not see how large that
// is. It may not be used any more.
func (l *Learner) Close() {
	l.Settle()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	backend.Release(l.parameters)
	l.setPinned(pinned{})
	l.programs.release()
}
