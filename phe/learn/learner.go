// Package learn takes a model along a stream (Sec. 3.3): a fit learns the tables' posterior and the network's θ, then predictions
// and updates follow in turn, each update with the last posterior as its prior. It takes records with whatever items they hold.
// What a model computes is its [Network]'s: package tabular has the classifier's, dkf the deep Kalman filter's, ncf the
// recommender's.
package learn

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
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

// Fit passes epochs times over a batch, shuffled anew for each seed and epoch, and trains all parameters against the prior
// N(0, 1) (Eq. 2). It may be called again to go on.
func (l *Learner) Fit(b *Batch, epochs int) error {
	l.learned.Lock()
	defer l.learned.Unlock()
	if epochs < 1 {
		return errors.Errorf("fit: %d epochs; take at least 1", epochs)
	}
	x, err := l.whole(b)
	if err == nil {
		err = l.draw()
	}
	if err != nil {
		return errors.WithMessage(err, "fit")
	}
	for range epochs {
		order, masks, steps := l.minibatches(x.records, min(l.BatchSize, x.size), 1, 0, l.counts.Epochs, "initial order")
		if err := l.train(x, "initial noise", firstStep(l.counts.FitSteps, steps), steps, order, masks); err != nil {
			return errors.WithMessagef(err, "epoch %d", l.counts.Epochs)
		}
		l.mutex.Lock()
		l.counts.Epochs++
		l.counts.FitSteps = firstStep(l.counts.FitSteps, steps) + uint64(steps)
		l.mutex.Unlock()
	}
	return nil
}

// Replay goes on with the initial phase: minibatches drawn from b, all that was seen so far, move all parameters against the
// prior N(0, 1), with an optimiser that remembers. It is what online learning cannot do for lack of memory, and the yardstick
// of its regret. It counts as an update.
func (l *Learner) Replay(b *Batch, minibatches int) error {
	l.learned.Lock()
	defer l.learned.Unlock()
	if minibatches < 1 {
		return errors.Errorf("replay: %d minibatches; take at least 1", minibatches)
	}
	x, err := l.whole(b)
	if err == nil {
		err = l.draw()
	}
	if err != nil {
		return errors.WithMessage(err, "replay")
	}
	order, masks := l.drawn(x.records, l.BatchSize, minibatches, l.counts.Updates)
	if err := l.train(x, "replay noise", firstStep(l.counts.ReplaySteps, minibatches), minibatches, order, masks); err != nil {
		return errors.WithMessagef(err, "replay %d", l.counts.Updates)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.counts.Updates++
	l.counts.ReplaySteps = firstStep(l.counts.ReplaySteps, minibatches) + uint64(minibatches)
	return nil
}

// train takes steps of the initial phase's loop.
func (l *Learner) train(x excerpt, purpose string, first uint64, steps int, order, masks *tensors.Tensor) error {
	moments := l.moments
	if moments == nil {
		moments = zeros(2, l.parameters)
	}
	next, err := l.fit.Run(steps, slices.Concat(l.parameters, moments), l.loopData(x, purpose, first, order, masks, nil))
	if err != nil {
		return err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if _, err := l.hasher.Items(x.met); err != nil { // as planned
		return err
	}
	phe.Release(moments)
	phe.Release(l.parameters)
	l.counts.Adam += uint64(steps)
	l.parameters, l.moments = next[:l.numParameters():l.numParameters()], next[l.numParameters():]
	return nil
}

// Settle ends the initial phase: it drops the optimiser's memory and what Fit keeps of its batch. Updates need neither.
func (l *Learner) Settle() {
	l.learned.Lock()
	defer l.learned.Unlock()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	phe.Release(l.moments)
	l.moments, l.counts.Adam = nil, 0
	l.forgetFitted()
}

// Update is a step of online learning (Eq. 3): the posterior becomes the prior, the updater starts fresh, and epochs passes over
// b move what the update scope says. An error changes nothing.
func (l *Learner) Update(b *Batch, epochs int) error {
	l.learned.Lock()
	defer l.learned.Unlock()
	err := l.updateBy(b, epochs)
	return errors.WithMessagef(err, "update %d", l.counts.Updates)
}

func (l *Learner) updateBy(b *Batch, epochs int) error {
	if epochs < 1 {
		return errors.Errorf("%d epochs; take at least 1", epochs)
	}
	if l.most > 0 && b.Records > l.most {
		return errors.Errorf("%d records; this learner takes at most %d at a time", b.Records, l.most)
	}
	if err := hasTargets(b); err != nil {
		return err
	}
	if err := l.draw(); err != nil {
		return err
	}
	x, err := l.excerpt(b, true)
	if err != nil {
		return err
	}
	defer x.release()
	parameters, err := l.excerpted(x, l.parameters)
	if err != nil {
		return err
	}
	trained := l.numUpdated()
	size := min(x.size, l.BatchSize)
	if own := l.updater.Records(); own > 0 {
		size = own
	}
	first := firstStep(l.counts.UpdateSteps, max(epochs*((len(x.records)+size-1)/size), l.mostSteps(epochs)))
	room := epochs * ((x.size + size - 1) / size) // as if every update of this size were full: one shape
	if !x.lent {
		room = doubled(8, room) // updates that differ in epochs share programs
	}
	order, masks, steps := l.minibatches(x.records, size, epochs, room, l.counts.Updates, "update order")
	state := slices.Concat(parameters[:trained], l.zeros(l.updater.Arrays(), parameters[:trained]))
	keep := slices.Concat(parameters[trained:], parameters[:l.numEmbedding()])
	next, err := l.update.Run(steps, state, l.loopData(x, "update noise", first, order, masks, keep))
	l.releaseExcerpted(x, parameters)
	if err != nil {
		return err
	}
	phe.Release(next[trained:])
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if err := l.put(x, next[:trained:trained]); err != nil {
		return err
	}
	l.counts.Updates++
	l.counts.UpdateSteps = first + uint64(max(steps, l.mostSteps(epochs)))
	return nil
}

// mostSteps is the most steps that an update of so many epochs takes, where the number of its records is known: noise numbered by
// it is the same whatever the sizes of the updates before.
func (l *Learner) mostSteps(epochs int) int {
	if l.most == 0 {
		return 0
	}
	size := min(RoomFor(1), l.BatchSize) // the smallest batch of any room
	if l.pinned.batch != nil {
		size = min(l.most, l.BatchSize)
	}
	return epochs * ((l.most + size - 1) / size)
}

// Predict returns the likelihood's forecasts of a batch, whose targets it does not look at. It changes nothing, and asked twice
// it answers twice the same.
func (l *Learner) Predict(b *Batch) (Predictions, error) {
	if err := l.draw(); err != nil {
		return Predictions{}, err
	}
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	return l.predictions(b, l.counts.Updates)
}

// PredictDraw is Predict with the noise of update number draw: other draws from the same beliefs.
func (l *Learner) PredictDraw(b *Batch, draw uint64) (Predictions, error) {
	if err := l.draw(); err != nil {
		return Predictions{}, err
	}
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	return l.predictions(b, draw)
}

// Predictions are numbers that a model's Forecast reads.
type Predictions struct {
	Runs, Records, Width int
	Values               []float32 // [Runs, Records, Width]
}

// Of returns the numbers of one record, as one run has them.
func (p Predictions) Of(run, record int) []float32 {
	from := (run*p.Records + record) * p.Width
	return p.Values[from : from+p.Width]
}

// Forecasts reads a run's predictions, record by record, by a model's Forecast.
func Forecasts[F any](p Predictions, run int, read func(values []float32) F) []F {
	forecasts := make([]F, p.Records)
	for i := range forecasts {
		forecasts[i] = read(p.Of(run, i))
	}
	return forecasts
}

// predictions predicts block by block; no two blocks share noise.
func (l *Learner) predictions(b *Batch, draw uint64) (Predictions, error) {
	p := Predictions{Runs: l.runs, Records: b.Records}
	most := mostExcerpted
	if whole, _ := b.source(); l.pinned.batch == whole {
		most = l.predictedSize(b.Records)
	}
	all := numbers(b.Records)
	for start := 0; start < max(1, b.Records); start += most {
		block := b
		if b.Records > most {
			block = b.Take(all[start:min(start+most, b.Records)])
		}
		values, size, err := l.block(block, most, draw, uint64(start/most))
		if err != nil {
			return Predictions{}, errors.WithMessagef(err, "prediction %d", draw)
		}
		if p.Values == nil {
			p.Width = len(values) / (l.runs * size)
			p.Values = make([]float32, l.runs*b.Records*p.Width)
		}
		for r := range l.runs {
			copy(p.Values[(r*b.Records+start)*p.Width:], values[r*size*p.Width:(r*size+block.Records)*p.Width])
		}
	}
	return p, nil
}

// block predicts records, at most most, padded to a size: [runs, size, width].
func (l *Learner) block(b *Batch, most int, draw, block uint64) (values []float32, size int, err error) {
	x, err := l.excerpt(b, false)
	if err != nil {
		return nil, 0, err
	}
	defer x.release()
	if x.lent {
		x.size = most
	}
	records := make([]int32, x.size)
	for i := range records {
		records[i] = x.records[min(i, len(x.records)-1)]
	}
	parameters, err := l.excerpted(x, l.parameters)
	if err != nil {
		return nil, 0, err
	}
	const draws, blocks = 20, 12 // bits of a noise's number; the rest makes another key
	keys := l.keys("prediction", draw>>draws+block>>blocks<<(64-draws))
	step := uint32(draw&(1<<draws-1) + block&(1<<blocks-1)<<draws)
	args := slices.Concat(parameters, []*tensors.Tensor{keys, tensors.FromScalar(step),
		tensors.FromFlatDataAndDimensions(records, x.size)}, x.data)
	out, err := l.predict.Call(args...)
	l.releaseExcerpted(x, parameters)
	if err != nil {
		return nil, 0, err
	}
	defer phe.Release(out)
	values, err = tensors.CopyFlatData[float32](out[0])
	return values, x.size, err
}

func (l *Learner) loopData(x excerpt, purpose string, first uint64, order, masks *tensors.Tensor, keep []*tensors.Tensor) []*tensors.Tensor {
	call := []*tensors.Tensor{tensors.FromScalar(float32(len(x.records))), l.keys(purpose, first>>32), tensors.FromScalar(uint32(first)),
		tensors.FromScalar(int32(l.counts.Adam)), order, masks}
	return slices.Concat(call, keep, x.data)
}

// firstStep is the number of the next loop's first step, of so many, after others. A loop's steps have one key, and so numbers of one
// era.
func firstStep(after uint64, steps int) uint64 {
	const era = 1 << 32
	if after%era+uint64(steps) > era {
		return (after/era + 1) * era
	}
	return after
}

// keys are each seed's key of a purpose. A number of 32 bits tells steps apart, and an era begins when they are used up.
func (l *Learner) keys(purpose string, era uint64) *tensors.Tensor {
	if era > 0 {
		purpose = fmt.Sprintf("%s, era %d", purpose, era)
	}
	keys := make([]uint32, len(l.seeds))
	for i, seed := range l.seeds {
		keys[i] = phe.NoiseKey(seed, purpose)
	}
	return tensors.FromFlatDataAndDimensions(keys, len(keys))
}

func hasTargets(b *Batch) error {
	if whole, _ := b.source(); len(whole.Targets) == 0 {
		return errors.Errorf("the batch has no targets, and learning needs them; give each record its own")
	}
	return nil
}

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
	phe.Release(l.parameters)
	l.setPinned(pinned{})
	l.programs.release()
}
