package learn

import (
	"slices"

	"github.com/pkg/errors"
)

// Update is one step of online learning (Eq. 3). The posterior becomes the prior, the updater starts fresh, and epochs passes over
// b move the parameters in the update scope. After an error nothing has changed.
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
		return errors.Errorf("the batch has %d records; this learner takes at most %d at a time", b.Records, l.most)
	}
	x, err := l.toLearn(b, false)
	if err != nil {
		return err
	}
	defer x.release()
	parameters, trained := x.with(l.parameters), l.numUpdated()
	size := min(x.size, l.BatchSize)
	first := firstStep(l.counts.UpdateSteps, max(epochs*((len(x.records)+size-1)/size), l.maxSteps(epochs)))
	room := epochs * ((x.size + size - 1) / size) // room for a full update: one shape serves all
	if !x.lent {
		room = doubled(8, room) // updates that differ in epochs share programs
	}
	order, masks, steps := l.minibatches(x.records, size, epochs, room, l.counts.Updates, "update order")
	memory := zeros(l.updater.Arrays, parameters[:trained])
	if l.Convergence > 0 {
		memory = append(memory, newCourse(len(l.seeds), steps/epochs))
	}
	keep := slices.Concat(parameters[trained:], parameters[:l.numEmbedding()])
	next, err := l.update.Run(steps, slices.Concat(parameters[:trained], memory), l.loopData(x, "update noise", first, order, masks, keep))
	release(memory)
	if err != nil {
		return err
	}
	taken := slices.Repeat([]int{epochs}, len(l.seeds))
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
