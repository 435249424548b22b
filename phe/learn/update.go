package learn

import (
	"cmp"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"
)

// Update is one step of online learning (Eq. 3). The posterior becomes the prior, the updater starts fresh, and epochs passes over
// b move the parameters in the update scope. After an error nothing has changed.
func (l *Learner) Update(b *Batch, epochs int) (err error) {
	l.learned.Lock()
	defer l.learned.Unlock()
	defer func() { err = errors.WithMessagef(err, "update %d", l.counts.Updates) }()
	if epochs < 1 {
		return errors.Errorf("%d epochs; take at least 1", epochs)
	}
	taken := make([]int, l.runs)
	for r, h := range l.each {
		taken[r] = cmp.Or(h.UpdateEpochs, epochs)
	}
	if most := slices.Max(taken); most != epochs {
		return errors.Errorf("%d epochs, and the runs take at most %d; give the most that any takes", epochs, most)
	}
	if l.most > 0 && b.Records > l.most {
		return errors.Errorf("the batch has %d records; this learner takes at most %d at a time", b.Records, l.most)
	}
	x, err := l.excerpt(b, update)
	if err != nil {
		return err
	}
	defer x.release()
	parameters, trained := x.with(l.parameters), l.numUpdated()
	size := min(x.size, l.BatchSize)
	first := firstStep(l.counts.UpdateSteps, max(epochs*((len(x.records)+size-1)/size), l.maxSteps(epochs)))
	perEpoch := (x.size + size - 1) / size        // with all records that there is room for
	counted := perEpoch == 1 && l.mostEpochs == 0 // else some updates have fewer steps, and would need another program
	room := max(epochs, l.mostEpochs) * perEpoch  // one shape serves all updates
	if !x.lent && !counted {
		room = doubled(8, room) // updates that differ in epochs share programs
	}
	drawn, steps := l.minibatches(x.records, size, epochs, room, l.counts.Updates, "update order")
	memory := l.fresh(parameters[:trained])
	if l.Convergence > 0 {
		memory = append(memory, newCourse(l.runs, steps/epochs))
	}
	data := l.loopData(x, drawn, true, "update noise", first, taken)
	data.Fixed, data.Prior = parameters[trained:], parameters[:l.numEmbedding()]
	next, err := l.taught(slices.Concat(parameters[:trained], memory), listed(&data), taken, steps/epochs, counted)
	if err != nil {
		return err
	}
	if l.Convergence > 0 {
		if taken, _, err = epochsTaken(next[len(next)-1]); err != nil {
			return err
		}
	}
	release(next[trained:])
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if err := l.put(x, next[:trained:trained]); err != nil {
		return err
	}
	l.counts.Updates++
	l.taken = taken
	l.counts.UpdateSteps = first + uint64(max(steps, l.maxSteps(epochs)))
	return nil
}

// taught runs the loop of an update, and returns the state in which each run is after its own number of epochs.
func (l *Learner) taught(state, data []*tensors.Tensor, epochs []int, perEpoch int, counted bool) ([]*tensors.Tensor, error) {
	ends := slices.Compact(slices.Sorted(slices.Values(epochs)))
	next, err := l.update.Run(0, ends[0]*perEpoch, counted && len(ends) == 1, state, data)
	for k, end := range ends[1:] {
		before := next
		if err == nil {
			next, err = l.update.Run(ends[k]*perEpoch, end*perEpoch, false, before, data)
		}
		for i := 0; i < len(next) && err == nil; i++ {
			next[i], err = held(before[i], next[i], epochs, end)
		}
		release(before)
	}
	return next, err
}

// held returns next with the numbers of before for the runs whose epochs end before end.
func held(before, next *tensors.Tensor, epochs []int, end int) (*tensors.Tensor, error) {
	flats, err := copied([]*tensors.Tensor{before, next})
	if err != nil {
		return next, err
	}
	was, is := flats[0], flats[1]
	size, dims := len(is)/len(epochs), next.Shape().Dimensions
	for r, n := range epochs {
		if n < end {
			copy(is[r*size:(r+1)*size], was[r*size:])
		}
	}
	release([]*tensors.Tensor{next})
	return tensors.FromFlatDataAndDimensions(is, dims...), nil
}

// maxSteps returns the largest number of steps that an update can take; 0 if MaxUpdated is unknown. Numbering noise by it makes
// the noise independent of the sizes of earlier updates.
func (l *Learner) maxSteps(epochs int) int {
	if l.most == 0 {
		return 0
	}
	size := min(roomFor(1), l.BatchSize) // the smallest batch of any room
	if l.pinned.batch != nil {
		size = min(l.most, l.BatchSize)
	}
	return epochs * ((l.most + size - 1) / size)
}
