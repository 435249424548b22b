package online

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
)

// Learner is a model with parameters, one set a seed: Initialise, then TrainEpoch until the initial phase is done, then
// Predict and Update along the stream (Sec. 3.3).
type Learner struct {
	model      *Model
	seeds      []int64
	parameters []*tensors.Tensor
	moments    []*tensors.Tensor // of the initial phase's Adam; nil when it is over
}

// NewLearner makes a learner with one seed for each run of the model.
func (m *Model) NewLearner(seeds []int64) (*Learner, error) {
	if len(seeds) != m.runs {
		return nil, errors.Errorf("%d seeds for a model of %d runs", len(seeds), m.runs)
	}
	return &Learner{model: m, seeds: seeds}, nil
}

// Initialise draws every run's parameters from its seed.
func (l *Learner) Initialise() error {
	parameters, err := l.model.start.Call(l.keys("parameters"))
	if err != nil {
		return errors.WithMessage(err, "drawing initial parameters")
	}
	l.set(parameters)
	l.moments = zeros(parameters)
	return nil
}

// TrainEpoch passes once over rows, shuffled anew for each run and epoch: epoch number epoch of the initial phase,
// which trains all parameters against the prior N(0, 1) (Eq. 2). Epochs come in order from 0.
func (l *Learner) TrainEpoch(rows []int32, epoch int) error {
	if err := l.check(rows, l.model.examples); err != nil {
		return errors.WithMessage(err, "initial phase")
	}
	order, masks, steps := l.minibatches(rows, l.model.BatchSize, 1, 0, epoch, "initial order")
	err := l.train(steps, l.loopData(len(rows), "initial noise", epoch*steps, order, masks, nil))
	return errors.WithMessagef(err, "epoch %d", epoch)
}

// Replay goes on with the initial phase on everything seen so far: steps minibatches drawn from past move all parameters
// against the prior N(0, 1), with an optimiser that remembers. It is what online learning cannot do for lack of
// memory, and the yardstick of its regret. step numbers the replay along the stream.
func (l *Learner) Replay(past []int32, steps, step int) error {
	if err := l.check(past, math.MaxInt); err != nil {
		return errors.WithMessage(err, "replay")
	}
	if l.moments == nil {
		l.moments = zeros(l.parameters)
	}
	order, masks := l.drawn(past, l.model.BatchSize, steps, step)
	err := l.train(steps, l.loopData(len(past), "replay noise", step*steps, order, masks, nil))
	return errors.WithMessagef(err, "replay %d", step)
}

// train takes steps of the initial phase's loop.
func (l *Learner) train(steps int, data []*tensors.Tensor) error {
	next, err := l.model.initial.Run(steps, slices.Concat(l.parameters, l.moments), data)
	if err != nil {
		return err
	}
	phe.Release(l.moments)
	l.set(next[:l.model.numParameters()])
	l.moments = next[l.model.numParameters():]
	return nil
}

// mostPredicted is the most rows that one call of the prediction program takes: it bounds the memory of the samples.
const mostPredicted = 512

// Predict returns the network's predictions, width numbers a row: for run r and row i those from entry
// (r·len(rows)+i)·width on. step numbers the prediction along the stream and picks its noise.
func (l *Learner) Predict(rows []int32, step int) ([]float32, error) {
	if err := l.check(rows, math.MaxInt); err != nil {
		return nil, errors.WithMessage(err, "prediction")
	}
	size := min(l.model.rows, mostPredicted)
	if len(rows) > size {
		size = mostPredicted // a second size beside the stream's, for tests
	}
	runs, width := len(l.seeds), 0
	var predictions []float32
	for start := 0; start < len(rows); start += size {
		block := rows[start:min(start+size, len(rows))]
		p, err := l.predictBlock(block, size, uint32(step)+uint32(start/size)<<20) // blocks share no noise
		if err != nil {
			return nil, errors.WithMessagef(err, "prediction %d", step)
		}
		if predictions == nil {
			width = len(p) / (runs * size)
			predictions = make([]float32, runs*len(rows)*width)
		}
		for r := range runs {
			copy(predictions[(r*len(rows)+start)*width:], p[r*size*width:(r*size+len(block))*width])
		}
	}
	return predictions, nil
}

// predictBlock predicts rows padded to size: [runs, size, width].
func (l *Learner) predictBlock(rows []int32, size int, step uint32) ([]float32, error) {
	padded := make([]int32, size)
	for i := range padded {
		padded[i] = rows[min(i, len(rows)-1)]
	}
	args := slices.Concat(l.parameters, []*tensors.Tensor{l.keys("prediction"), tensors.FromScalar(step),
		tensors.FromFlatDataAndDimensions(padded, size)}, l.model.data)
	out, err := l.model.predict.Call(args...)
	if err != nil {
		return nil, err
	}
	defer phe.Release(out)
	return tensors.CopyFlatData[float32](out[0])
}

// Update is one step of online learning (Eq. 3): the posterior becomes the prior, Adam starts fresh, and epochs passes
// over rows move what the update scope says. step numbers the update along the stream.
func (l *Learner) Update(rows []int32, epochs, step int) error {
	if err := l.check(rows, l.model.rows); err != nil {
		return errors.WithMessage(err, "update")
	}
	if epochs < 1 {
		return nil
	}
	m := l.model
	trained := m.numUpdated()
	size := min(m.rows, m.BatchSize)
	mostSteps := epochs * ((m.rows + size - 1) / size) // as if every update brought as many rows: one shape, and none shares noise
	order, masks, steps := l.minibatches(rows, size, epochs, mostSteps, step, "update order")
	firstStep := step * mostSteps
	moments := zeros(l.parameters[:trained])
	defer phe.Release(moments)
	state := slices.Concat(l.parameters[:trained], moments)
	keep := slices.Concat(l.parameters[trained:], l.parameters[:m.numEmbedding()])
	next, err := l.model.update.Run(steps, state, l.loopData(len(rows), "update noise", firstStep, order, masks, keep))
	if err != nil {
		return errors.WithMessagef(err, "update %d", step)
	}
	phe.Release(next[trained:])
	phe.Release(l.parameters[:trained])
	l.parameters = append(next[:trained:trained], l.parameters[trained:]...)
	return nil
}

// check refuses rows that are none, too many, or not in the data: an accelerator would clamp or drop indices in silence.
func (l *Learner) check(rows []int32, most int) error {
	if len(rows) == 0 {
		return errors.Errorf("no rows; give at least 1")
	}
	if len(rows) > most {
		return errors.Errorf("%d rows; this learner takes at most %d at a time", len(rows), most)
	}
	for _, row := range rows {
		if row < 0 || int(row) >= l.model.examples {
			return errors.Errorf("row %d; the data has %d", row, l.model.examples)
		}
	}
	return nil
}

func (l *Learner) loopData(numRows int, purpose string, firstStep int, order, masks *tensors.Tensor, keep []*tensors.Tensor) []*tensors.Tensor {
	call := []*tensors.Tensor{tensors.FromScalar(float32(numRows)), l.keys(purpose), tensors.FromScalar(uint32(firstStep)), order, masks}
	return slices.Concat(call, keep, l.model.data)
}

// minibatches cuts epochs shuffles of rows, one of its own for each run, into batches of one size: order is
// [steps, runs, size] int32 and masks [steps, size] float32, 0 where the last batch of an epoch is padded. Both have
// room for at least room steps, the rest unused. part numbers the call.
func (l *Learner) minibatches(rows []int32, size, epochs, room, part int, purpose string) (order, masks *tensors.Tensor, steps int) {
	perEpoch := (len(rows) + size - 1) / size
	steps = epochs * perEpoch
	room = max(room, steps)
	runs := len(l.seeds)
	flat, mask := make([]int32, room*runs*size), make([]float32, room*size)
	for r, seed := range l.seeds {
		rng := rand.New(rand.NewPCG(uint64(phe.NoiseKey(seed, purpose)), uint64(part)))
		for e := range epochs {
			permutation := rng.Perm(len(rows))
			for i := range perEpoch * size {
				step, at := e*perEpoch+i/size, i%size
				row := rows[permutation[min(i, len(rows)-1)]]
				flat[(step*runs+r)*size+at] = row
				if i < len(rows) {
					mask[step*size+at] = 1
				}
			}
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, room, runs, size), tensors.FromFlatDataAndDimensions(mask, room, size), steps
}

// drawn draws steps batches of the given size from rows, with replacement, each run its own: shaped as minibatches'.
func (l *Learner) drawn(rows []int32, size, steps, part int) (order, masks *tensors.Tensor) {
	runs := len(l.seeds)
	flat, mask := make([]int32, steps*runs*size), make([]float32, steps*size)
	for i := range mask {
		mask[i] = 1
	}
	for r, seed := range l.seeds {
		rng := rand.New(rand.NewPCG(uint64(phe.NoiseKey(seed, "replay order")), uint64(part)))
		for i := range steps * size {
			flat[(i/size*runs+r)*size+i%size] = rows[rng.IntN(len(rows))]
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, steps, runs, size), tensors.FromFlatDataAndDimensions(mask, steps, size)
}

func (l *Learner) keys(purpose string) *tensors.Tensor {
	keys := make([]uint32, len(l.seeds))
	for i, seed := range l.seeds {
		keys[i] = phe.NoiseKey(seed, purpose)
	}
	return tensors.FromFlatDataAndDimensions(keys, len(keys))
}

func (l *Learner) set(parameters []*tensors.Tensor) {
	phe.Release(l.parameters)
	l.parameters = parameters
}

// Snapshot is a learner's state on the host. Moments is Adam's, empty once the initial phase is over.
type Snapshot struct {
	Parameters, Moments [][]float32
}

// Snapshot copies the state to the host, so that several methods can start from one initial model, or a stopped run
// can go on.
func (l *Learner) Snapshot() (Snapshot, error) {
	copyAll := func(ts []*tensors.Tensor) ([][]float32, error) {
		var all [][]float32
		for _, t := range ts {
			flat, err := tensors.CopyFlatData[float32](t)
			if err != nil {
				return nil, errors.WithMessage(err, "copying parameters from the device")
			}
			all = append(all, flat)
		}
		return all, nil
	}
	parameters, err := copyAll(l.parameters)
	if err != nil {
		return Snapshot{}, err
	}
	moments, err := copyAll(l.moments)
	return Snapshot{parameters, moments}, err
}

// Restore puts a snapshot back. One that does not fit the model is an error.
func (l *Learner) Restore(s Snapshot) error {
	shapes := l.model.shapes()
	parameters, err := upload(s.Parameters, shapes)
	if err != nil {
		return err
	}
	var moments []*tensors.Tensor
	if len(s.Moments) > 0 {
		if moments, err = upload(s.Moments, append(shapes, shapes...)); err != nil {
			return err
		}
	}
	l.set(parameters)
	phe.Release(l.moments)
	l.moments = moments
	return nil
}

func upload(flat [][]float32, shapes [][]int) ([]*tensors.Tensor, error) {
	if len(flat) != len(shapes) {
		return nil, errors.Errorf("a snapshot of %d parameters does not fit a model of %d", len(flat), len(shapes))
	}
	ts := make([]*tensors.Tensor, len(shapes))
	for i, dims := range shapes {
		size := 1
		for _, d := range dims {
			size *= d
		}
		if len(flat[i]) != size {
			return nil, errors.Errorf("a snapshot's parameter %d has %d numbers; the model's has %d", i, len(flat[i]), size)
		}
		ts[i] = tensors.FromFlatDataAndDimensions(append([]float32{}, flat[i]...), dims...)
	}
	return ts, nil
}

// EndInitialPhase drops the optimiser's memory: each update starts a fresh one.
func (l *Learner) EndInitialPhase() {
	phe.Release(l.moments)
	l.moments = nil
}

// Finalize frees the parameters on the device. The learner may not be used any more.
func (l *Learner) Finalize() {
	phe.Release(l.parameters)
	phe.Release(l.moments)
}

func zeros(like []*tensors.Tensor) []*tensors.Tensor {
	var z []*tensors.Tensor
	for range 2 {
		for _, t := range like {
			z = append(z, tensors.FromShape(t.Shape()))
		}
	}
	return z
}
