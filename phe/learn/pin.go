package learn

import (
	"cmp"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
)

// pinned is a batch whose arrays stay on the device.
type pinned struct {
	batch *Batch
	data  arrays[*tensors.Tensor]
}

// Pin keeps a batch on the device until another batch is pinned or the learner is closed. Calls on parts of a pinned batch send only
// the numbers of the records, and train whole tables. Pin a batch if tables are small and the same records come again, as in the
// paper's experiments. With a vocabulary, all items of the batch get rows.
func (l *Learner) Pin(b *Batch) error {
	l.learned.Lock()
	defer l.learned.Unlock()
	p, err := l.pin(b, l.hasher)
	if err != nil {
		return errors.WithMessage(err, "pinning a batch")
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.rehash(l.hasher, p)
	return nil
}

// pin sends a batch, if there is one, to the device, with the rows of items that hasher finds.
func (l *Learner) pin(b *Batch, hasher *phe.Encoder) (pinned, error) {
	if b == nil {
		return pinned{}, nil
	}
	if b.whole != nil {
		return pinned{}, errors.Errorf("a part of a batch cannot be pinned; pin the batch that it was taken from")
	}
	if err := b.check(l.network); err != nil {
		return pinned{}, err
	}
	slots, err := hasher.Items(b.Items)
	if err != nil {
		return pinned{}, err
	}
	return pinned{b, l.upload(b, slots, layout{b.Records, b.numEvents(l.network.cells()), len(b.Items)})}, nil
}

// rehash takes over an encoder, and the pinned batch with its rows. It frees the data that another found the rows for.
func (l *Learner) rehash(hasher *phe.Encoder, p pinned) {
	release(listed(&l.pinned.data))
	l.hasher, l.pinned = hasher, p
	l.forget()
}

// Meet gives the batch's items rows of their own, in order, if the configuration has a vocabulary. Learning does so for the items
// that it sees. Meet does so for further items, such as all items of a data set.
func (l *Learner) Meet(b *Batch) error {
	l.learned.Lock()
	defer l.learned.Unlock()
	_, err := l.hasher.Items(b.Items)
	return errors.WithMessage(err, "meeting items")
}

// pinnedSize returns the number of records after padding, for a call on n records of a pinned batch.
func (l *Learner) pinnedSize(n int) int { return cmp.Or(l.most, roomFor(n)) }
