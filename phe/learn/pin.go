package learn

import (
	"slices"

	"github.com/pkg/errors"

	"gophe/phe"
)

// Pin keeps a batch on the device until unpin is called: calls on parts of it send only the records' numbers, and train whole
// tables. It pays where tables are small and the same records come again, as in the paper's experiments. A vocabulary gives
// all items of the batch their rows.
func (l *Learner) Pin(b *Batch) (unpin func(), err error) {
	l.learned.Lock()
	defer l.learned.Unlock()
	if b.whole != nil {
		return nil, errors.Errorf("a part of a batch cannot be pinned; pin the batch that it was taken from")
	}
	slots, err := l.slots(b, true, false)
	if err != nil {
		return nil, errors.WithMessage(err, "pinning a batch")
	}
	data := l.upload(b, slots, layout{b.Records, b.numEvents(l.network.NumColumns()), len(b.Items)})
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.unpin(b)
	l.pinned[b] = data
	return func() {
		l.learned.Lock()
		defer l.learned.Unlock()
		l.mutex.Lock()
		defer l.mutex.Unlock()
		l.unpin(b)
	}, nil
}

func (l *Learner) unpin(b *Batch) {
	phe.Release(l.pinned[b])
	delete(l.pinned, b)
}

// pinnedSize is to how many records a call on n of a pinned batch is padded.
func (l *Learner) pinnedSize(n int) int {
	size := l.most
	if size == 0 {
		size = RoomFor(n)
	}
	return size
}

// predictedSize is to how many records a prediction of n of a pinned batch is padded: to an update's, or to a second size for
// tests, which are longer.
func (l *Learner) predictedSize(n int) int {
	if size := l.pinnedSize(n); size < mostPinned && n <= size {
		return size
	}
	return mostPinned
}

// whole is what the initial phase needs of a batch: its prior pulls at every row of the tables, so that it takes them whole. The
// last batch is kept.
func (l *Learner) whole(b *Batch) (excerpt, error) {
	if err := hasTargets(b); err != nil {
		return excerpt{}, err
	}
	of, records := b.source()
	if err := checkRecords(records, of.Records); err != nil {
		return excerpt{}, err
	}
	if data := l.pinned[of]; data != nil {
		return excerpt{data: data, records: records, lent: true}, nil
	}
	if f := l.fitted; f.batch != nil && (f.batch == b || b.whole != nil && f.batch.whole == b.whole && slices.Equal(f.batch.part, b.part)) {
		return f.x, nil
	}
	slots, err := l.slots(of, true, of != b)
	if err != nil {
		return excerpt{}, err
	}
	own, items := of.compact(l.network.NumColumns(), l.network.Inputs(), records)
	slots = takenSlots(slots, items, l.Encoder.RowsPerItem())
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.forgetFitted()
	l.fitted = fitted{b, excerpt{data: l.upload(own, slots, layout{own.Records, own.numEvents(l.network.NumColumns()), len(items)}),
		records: numbers(own.Records), lent: true}}
	return l.fitted.x, nil
}

func (l *Learner) forgetFitted() {
	phe.Release(l.fitted.x.data)
	l.fitted = fitted{}
}

// slots are the rows of a batch's items. Where items have rows of their own, learning gives new ones theirs. What is found of a
// batch that parts are taken of is kept, as its parts come one after the other.
func (l *Learner) slots(b *Batch, learning, keep bool) (phe.ItemRows, error) {
	l.known.Lock()
	defer l.known.Unlock()
	if l.known.batch == b {
		return l.known.slots, nil
	}
	if err := b.check(l.network); err != nil {
		return phe.ItemRows{}, err
	}
	find := l.hasher.Items
	if !learning {
		find = l.hasher.Peek
	}
	slots, err := find(b.Items)
	if err == nil && keep && (learning || l.Encoder.Rows == phe.Hash) {
		l.known.batch, l.known.slots = b, slots
	}
	return slots, err
}
