package serve

import (
	"cmp"
	"net/http"
	"sync"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/internal/journal"
	"gophe/phe/internal/text"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/driver"
	"gophe/phe/remedy"
	"gophe/phe/stream"
)

// durable is a model on the disk: a checkpoint, and a journal of the operations that come after it.
type durable struct {
	applier
	options Options
	state   driver.State // of the checkpoint
	store   *checkpoint.Store
	journal *journal.Journal
	room    int64 // memory of the records that wait for their labels: twice that of short ones

	order  sync.Mutex // held while an operation enters journal and queue, so that both have one order
	queue  chan *waiting
	closed bool

	saving sync.Mutex // held from a snapshot until it is saved, so that an older snapshot never replaces a newer one
	keptMu sync.Mutex // guards the field below
	kept   checkpoints

	ended sync.WaitGroup
}

// newDurable returns a durable model that is not loaded.
func newDurable(path string, o Options) *durable {
	return &durable{applier: applier{path: path, log: o.Log, keys: newKeys(o.Keys, maxKeyBytes)}, options: o,
		queue: make(chan *waiting, o.Queue)}
}

// openDurable opens the model at a path and its journal. Until close, the model takes operations and makes checkpoints.
func openDurable(path string, begin func() (*stream.Learner, error), o Options) (*durable, error) {
	d, err := newDurable(path, o), error(nil)
	if d.store, err = checkpoint.Open(disk.System, path); err != nil {
		return nil, remedy.With("read only", err)
	}
	if err := d.open(begin); err != nil {
		d.store.Close()
		return nil, err
	}
	d.ready.Store(true)
	d.ended.Go(d.applyAll)
	return d, nil
}

// open loads the model and replays the journal.
func (d *durable) open(begin func() (*stream.Learner, error)) error {
	if err := d.load(begin); err != nil {
		return err
	}
	d.adopt()
	if d.kept.Journal == "" {
		if err := d.nameJournal(); err != nil {
			return err
		}
	}
	if err := d.openJournal(); err != nil {
		return errors.WithMessagef(err, "the model %s", d.path)
	}
	err := d.replay()
	if err == nil {
		err = d.limitWaiting()
		d.room = max(minRoom, 2*int64(cmp.Or(d.options.Waiting, d.learner.Options().Waiting))*d.learner.WaitingSize())
	}
	if newest := d.journal.Stats().Newest; err == nil && (newest != d.kept.Newest || d.kept.Closed) {
		err = d.saveFirst(newest)
	}
	if err != nil {
		d.journal.Close()
	}
	return errors.WithMessagef(err, "the model %s", d.path)
}

// load loads the model, or begins one.
func (d *durable) load(begin func() (*stream.Learner, error)) error {
	loaded, err := checkpoint.Peek(d.path)
	switch {
	case errors.Is(err, checkpoint.ErrNone) && begin == nil:
		return remedy.Errorf("make or begin a model", "there is no model %s", d.path)
	case errors.Is(err, checkpoint.ErrNone):
		d.learner, err = begin()
		d.state.Settings = d.options.Settings
		return err
	case err != nil:
		return err
	}
	if loaded.Warning != "" {
		d.log("warning: " + loaded.Warning)
	}
	d.kept.at = loaded.Saved
	if err = d.decode(loaded); err == nil {
		err = errors.WithMessagef(d.state.Settings.Fits(d.options.Settings), "the model %s has other settings", d.path)
	}
	if err != nil || d.state.Served != nil {
		return err
	}
	if waiting, _ := d.learner.Waiting(); waiting > 0 {
		return errors.Errorf("%d records of %s wait for labels that come with its next rows; "+
			"let `phe stream` learn that input to its end first", waiting, d.state.Input.Name)
	}
	if d.learner.Rows() > 0 {
		d.kept.LearnedAt = loaded.Saved.UnixMilli()
	}
	return nil
}

// decode reads a checkpoint. The part of the server stays empty for a model that was never served.
func (d *durable) decode(loaded checkpoint.Loaded) (err error) {
	if d.learner, d.state, err = driver.Load(loaded); err != nil {
		return errors.WithMessagef(err, "the model %s", d.path)
	}
	if d.state.Served == nil {
		return nil
	}
	return errors.WithMessagef(text.Decode(d.state.Served, &d.kept.served), "the model %s was served by a newer program; use that program",
		d.path)
}

// adopt takes over the state of the checkpoint.
func (d *durable) adopt() {
	warnNames(d.learner.Schema, d.log)
	d.rows.Store(d.learner.Rows())
	d.learnedAt.Store(d.kept.LearnedAt)
	d.applied = d.kept.Applied
	for _, a := range d.kept.Keys {
		d.keys.add(a)
	}
	d.kept.Keys = nil
}

// limitWaiting gives the learner the limits of the options, if they are new. The change comes before the first request.
func (d *durable) limitWaiting() error {
	has, wanted := d.learner.Options(), limit{d.options.Waiting, d.options.WaitingRows}
	if cmp.Or(wanted.Waiting, has.Waiting) == has.Waiting && cmp.Or(wanted.WaitingRows, has.WaitingRows) == has.WaitingRows {
		return nil
	}
	if _, _, p := d.enqueue(operation{At: now(), Limit: &wanted}); p != nil {
		return p
	}
	return nil
}

// enqueue writes an operation into the journal and the queue. The answer comes after the operation is safe and applied. A retry writes
// nothing: again is true, and its answer is the answer of the first request, which may still be under way.
func (d *durable) enqueue(op operation) (w *waiting, again bool, p *problem) {
	record, err := encode(op)
	if err != nil {
		return nil, false, fault(err)
	}
	if len(record) > journal.MaxRecord {
		return nil, false, bodyTooLarge(d.options.MaxBody)
	}
	d.order.Lock()
	defer d.order.Unlock()
	if d.closed {
		return nil, false, refusing(http.StatusServiceUnavailable, "stopping", "the server stops; nothing of this request was done. "+
			"Send it again later").after(5)
	}
	if first := d.keys.find(op.Key); first != nil {
		if first.operation.Sum != op.Sum {
			return nil, false, invalid("key_reused", "another request had the key %q; "+
				"take a new key for each request, and the same one for its retries", op.Key)
		}
		return first, true, nil
	}
	if len(d.queue) == cap(d.queue) {
		return nil, false, busy()
	}
	number, err := d.journal.Write(record)
	if err != nil {
		d.fail(err)
		return nil, false, notSafe(err)
	}
	w = &waiting{number: number, operation: op, done: make(chan struct{})}
	d.keys.begin(w)
	d.queue <- w                                      // there is room: only this lock's holders send
	d.ended.Go(func() { _ = d.journal.Sync(number) }) // while earlier operations are applied; applyAll gets the error again
	return w, false, nil
}

// applyAll applies operations as soon as they are safe, and makes checkpoints.
func (d *durable) applyAll() {
	tick := time.NewTicker(d.options.Checkpoint)
	defer tick.Stop()
	for {
		select {
		case w, open := <-d.queue:
			if !open {
				return
			}
			if err := d.journal.Sync(w.number); err != nil {
				d.fail(err)
				d.keys.end(w, notSafe(err).answer(new(d.model(now()))))
				continue
			}
			d.keys.end(w, d.apply(w.number, w.operation))
			if d.journal.Stats().NewestBytes > maxSegment {
				d.keep()
			}
		case <-tick.C:
			d.keep()
		}
	}
}

// fail logs, once, that nothing can be learned any more.
func (d *durable) fail(err error) {
	if d.ready.Swap(false) {
		d.log("warning: nothing more can be learned, and forecasts go on: " + err.Error())
	}
}

// close applies the operations in the queue, saves a checkpoint and closes the model.
func (d *durable) close() error {
	d.order.Lock()
	d.closed = true
	d.ready.Store(false)
	close(d.queue)
	d.order.Unlock()
	d.ended.Wait()
	c, at := d.snapshot(), d.journal.Stats() // the journal may be missing after it, unless an operation was written and not applied
	c.served.Closed = at.Err == nil && at.Last == d.applied
	return cmp.Or(d.saveAndTrim(c), d.journal.Close(), d.store.Close())
}
