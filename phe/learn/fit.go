package learn

import (
	"cmp"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"
)

// Fit trains all parameters on a batch against the prior N(0, 1) (Eq. 2). It takes epochs passes, and each seed shuffles each pass
// anew. A further call continues the training. On the same records it finds their data on the device, so leave the batch as it is.
func (l *Learner) Fit(b *Batch, epochs int) error {
	return l.trained(b, "fit", epochs, "epochs", func(x excerpt) error {
		size := l.BatchSize
		if !x.lent {
			size = min(size, x.size)
		}
		for range epochs {
			b, steps := l.shuffled(x.records, size, l.counts.Epochs)
			err := l.train(x, b, "initial noise", &l.counts.Epochs, &l.counts.FitSteps, steps)
			release(listed(&b))
			if err != nil {
				return errors.WithMessagef(err, "epoch %d", l.counts.Epochs)
			}
		}
		return nil
	})
}

// Replay continues the initial phase on minibatches drawn from b, which holds all records so far. It moves all parameters against
// the prior N(0, 1), and the optimiser keeps its state. Online learning has no memory for that; Replay is the reference that its
// regret is measured against. A replay counts as an update.
func (l *Learner) Replay(b *Batch, minibatches int) error {
	if l.InitialConvergence > 0 {
		return errors.New("a replay takes all its minibatches, whatever the ELBO does; give the configuration InitialConvergence 0")
	}
	return l.trained(b, "replay", minibatches, "minibatches", func(x excerpt) error {
		drawn := l.drawn(x.records, l.BatchSize, minibatches, l.counts.Updates)
		return l.train(x, drawn, "replay noise", &l.counts.Updates, &l.counts.ReplaySteps, minibatches)
	})
}

// trained calls learn with the data of a batch for the initial phase, in which n passes of some kind are to be learned.
func (l *Learner) trained(b *Batch, call string, n int, passes string, learn func(x excerpt) error) error {
	l.learned.Lock()
	defer l.learned.Unlock()
	if n < 1 {
		return errors.Errorf("%s: %d %s; take at least 1", call, n, passes)
	}
	if err := l.choose(b); err != nil {
		return errors.WithMessage(err, call)
	}
	x, err := l.excerpt(b, fit)
	if err == nil {
		err = learn(x)
		l.fitted.learned = err == nil && !x.lent
	}
	return errors.WithMessage(err, call)
}

// choose chooses among the draws of the hash functions by the first records that are learned. Later records come from the stream.
func (l *Learner) choose(b *Batch) error {
	if l.Encoder.HashDraws == 0 || l.counts != (Counts{}) {
		return nil
	}
	whole, records := b.source()
	if err := cmp.Or(checkRecords(records, whole.Records), whole.check(l.network)); err != nil {
		return err
	}
	chosen, err := l.Encoder.Chosen(whole.Known(records, l.network.cells(), l.Encoder.Hash))
	if err != nil {
		return err
	}
	s, err := l.Snapshot()
	if err != nil {
		return err
	}
	s.HashSeed = chosen.HashSeed
	return l.restore(s)
}

// train takes steps of the initial phase's loop. It counts them, and one pass.
func (l *Learner) train(x excerpt, b minibatches[*tensors.Tensor], purpose string, passes, counted *uint64, steps int) error {
	moments, first := l.moments, firstStep(*counted, steps)
	if len(moments) == 0 {
		for _, p := range slices.Concat(l.parameters, l.parameters) {
			moments = append(moments, tensors.FromShape(p.Shape()))
		}
		if l.InitialConvergence > 0 {
			moments = append(moments, newCourse(l.runs, steps))
		}
	}
	data := l.loopData(x, b, false, purpose, first, slices.Repeat([]int{1}, l.runs))
	next, err := l.fit.Run(0, steps, true, slices.Concat(l.parameters, moments), listed(&data))
	if err != nil {
		return err
	}
	var taken []int
	if l.InitialConvergence > 0 {
		if taken, _, err = epochsTaken(next[len(next)-1]); err != nil {
			return err
		}
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if _, err := l.hasher.Items(x.met); err != nil { // as planned
		return err
	}
	l.taken = taken
	release(moments)
	release(l.parameters)
	l.parameters, l.moments = next[:l.numParameters():l.numParameters()], next[l.numParameters():]
	l.counts.Adam += uint64(steps)
	*counted = first + uint64(steps)
	*passes++
	return nil
}

// ELBO returns the ELBO of a batch against the prior before any data for each run, in nats: what Fit maximises (Eq. 2). It changes nothing
// and its noise is always the same.
func (l *Learner) ELBO(b *Batch) ([]float64, error) {
	l.learned.Lock()
	defer l.learned.Unlock()
	x, err := l.excerpt(b, fit)
	if err != nil {
		return nil, errors.WithMessage(err, "ELBO")
	}
	sums, size := make([]float64, l.runs), min(l.BatchSize, len(x.records))
	for step, start := 0, 0; start < len(x.records); step, start = step+1, start+size {
		mask := padded(slices.Repeat([]float32{1}, min(size, len(x.records)-start)), size)
		q := l.asked(x, start, size, l.keys("ELBO", 0), uint32(step))
		q.Mask = []*tensors.Tensor{tensors.FromFlatDataAndDimensions(mask, size)}
		out, err := l.bound.Call(listed(&q)...)
		if err != nil {
			return nil, errors.WithMessage(err, "ELBO")
		}
		parts, err := copied(out)
		if release(out); err != nil {
			return nil, err
		}
		for r := range sums {
			sums[r] += float64(parts[0][r])
			if step == 0 {
				sums[r] -= float64(parts[1][r] * float32(l.each[r].KLWeight))
			}
		}
	}
	return sums, nil
}

// Settle ends the initial phase. It frees the optimiser's state, which updates do not need.
func (l *Learner) Settle() {
	l.learned.Lock()
	defer l.learned.Unlock()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	release(l.moments)
	l.moments, l.counts.Adam = nil, 0
	l.ahead = shuffles{}
	l.forget()
}
