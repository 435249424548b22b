package learn

import (
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"
)

// Fit trains all parameters on a batch against the prior N(0, 1) (Eq. 2). It takes epochs passes, and each seed shuffles each pass
// anew. A further call continues the training.
func (l *Learner) Fit(b *Batch, epochs int) error {
	l.learned.Lock()
	defer l.learned.Unlock()
	if epochs < 1 {
		return errors.Errorf("fit: %d epochs; take at least 1", epochs)
	}
	x, err := l.whole(b)
	if err != nil {
		return errors.WithMessage(err, "fit")
	}
	defer x.release()
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

// Replay continues the initial phase on minibatches drawn from b, which holds all records so far. It moves all parameters against
// the prior N(0, 1), and the optimiser keeps its state. Online learning has no memory for that; Replay is the reference that its
// regret is measured against. A replay counts as an update.
func (l *Learner) Replay(b *Batch, minibatches int) error {
	l.learned.Lock()
	defer l.learned.Unlock()
	if minibatches < 1 {
		return errors.Errorf("replay: %d minibatches; take at least 1", minibatches)
	}
	x, err := l.whole(b)
	if err != nil {
		return errors.WithMessage(err, "replay")
	}
	defer x.release()
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
	if len(moments) == 0 {
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
	release(moments)
	release(l.parameters)
	l.counts.Adam += uint64(steps)
	l.parameters, l.moments = next[:l.numParameters():l.numParameters()], next[l.numParameters():]
	return nil
}

// Settle ends the initial phase. It frees the optimiser's state, which updates do not need.
func (l *Learner) Settle() {
	l.learned.Lock()
	defer l.learned.Unlock()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	release(l.moments)
	l.moments, l.counts.Adam = nil, 0
}
