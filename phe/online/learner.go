package online

import (
	"math"
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
	x, err := l.model.whole(rows)
	if err != nil {
		return errors.WithMessage(err, "initial phase")
	}
	order, masks, steps := l.minibatches(x.rows, l.model.BatchSize, 1, 0, epoch, "initial order")
	err = l.train(steps, l.loopData(x, "initial noise", epoch*steps, order, masks, nil))
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
	x, err := l.model.whole(past)
	if err != nil {
		return errors.WithMessage(err, "replay")
	}
	order, masks := l.drawn(x.rows, l.model.BatchSize, steps, step)
	err = l.train(steps, l.loopData(x, "replay noise", step*steps, order, masks, nil))
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

// Predict returns the network's predictions, width numbers a row: for run r and row i those from entry
// (r·len(rows)+i)·width on. step numbers the prediction along the stream and picks its noise.
func (l *Learner) Predict(rows []int32, step int) ([]float32, error) {
	if err := l.check(rows, math.MaxInt); err != nil {
		return nil, errors.WithMessage(err, "prediction")
	}
	most := l.model.mostPredicted(len(rows))
	runs, width := len(l.seeds), 0
	var predictions []float32
	for start := 0; start < len(rows); start += most {
		block := rows[start:min(start+most, len(rows))]
		p, size, err := l.predictBlock(block, most, uint32(step)+uint32(start/most)<<20) // blocks share no noise
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

// predictBlock predicts rows padded to a size, at most most: [runs, size, width].
func (l *Learner) predictBlock(rows []int32, most int, step uint32) (predictions []float32, size int, err error) {
	x, err := l.model.excerpt(rows, most)
	if err != nil {
		return nil, 0, err
	}
	defer x.release()
	padded := make([]int32, x.size)
	for i := range padded {
		padded[i] = x.rows[min(i, len(rows)-1)]
	}
	parameters, err := l.excerpted(x)
	if err != nil {
		return nil, 0, err
	}
	args := slices.Concat(parameters, []*tensors.Tensor{l.keys("prediction"), tensors.FromScalar(step),
		tensors.FromFlatDataAndDimensions(padded, x.size)}, x.Data)
	out, err := l.model.predict.Call(args...)
	l.releaseExcerpted(x, parameters)
	if err != nil {
		return nil, 0, err
	}
	defer phe.Release(out)
	predictions, err = tensors.CopyFlatData[float32](out[0])
	return predictions, x.size, err
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
	x, err := m.excerpt(rows, m.rows)
	if err != nil {
		return errors.WithMessagef(err, "update %d", step)
	}
	defer x.release()
	parameters, err := l.excerpted(x)
	if err != nil {
		return errors.WithMessagef(err, "update %d", step)
	}
	trained := m.numUpdated()
	size := min(x.size, m.BatchSize)
	room := m.stepRoom(epochs*((x.size+size-1)/size), x) // as if every update of this size were full: one shape
	order, masks, steps := l.minibatches(x.rows, size, epochs, room, step, "update order")
	state := slices.Concat(parameters[:trained], m.zeroMoments(parameters[:trained]))
	keep := slices.Concat(parameters[trained:], parameters[:m.numEmbedding()])
	next, err := m.update.Run(steps, state, l.loopData(x, "update noise", step*m.mostSteps(epochs), order, masks, keep))
	l.releaseExcerpted(x, parameters)
	if err != nil {
		return errors.WithMessagef(err, "update %d", step)
	}
	phe.Release(next[trained:])
	return errors.WithMessagef(l.put(x, next[:trained:trained]), "update %d", step)
}

// check refuses rows that are none, too many, or not in the data: an accelerator would clamp or drop indices in silence.
func (l *Learner) check(rows []int32, most int) error {
	if l.parameters == nil {
		return errors.Errorf("the learner has no parameters yet; call Initialise or Restore first")
	}
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

func (l *Learner) loopData(x excerpt, purpose string, firstStep int, order, masks *tensors.Tensor, keep []*tensors.Tensor) []*tensors.Tensor {
	call := []*tensors.Tensor{tensors.FromScalar(float32(len(x.rows))), l.keys(purpose), tensors.FromScalar(uint32(firstStep)), order, masks}
	return slices.Concat(call, keep, x.Data)
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

// EndInitialPhase drops the optimiser's memory: each update starts a fresh one.
func (l *Learner) EndInitialPhase() {
	phe.Release(l.moments)
	l.moments = nil
	l.model.forgetWhole()
}

// Finalize frees the parameters on the device. The learner may not be used any more.
func (l *Learner) Finalize() {
	phe.Release(l.parameters)
	phe.Release(l.moments)
}

// zeros are Adam's moments of parameters when it is fresh.
func zeros(like []*tensors.Tensor) []*tensors.Tensor {
	var z []*tensors.Tensor
	for range 2 {
		for _, t := range like {
			z = append(z, tensors.FromShape(t.Shape()))
		}
	}
	return z
}
