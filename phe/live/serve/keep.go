package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/live/driver"
)

// served is the part of a checkpoint that belongs to the server.
type served struct {
	Journal   string `json:"journal"`              // identity of the journal
	Applied   uint64 `json:"applied"`              // number of the last operation that the model has learned
	LearnedAt int64  `json:"learned_at,omitempty"` // when the newest row came, in milliseconds since 1970
	Newest    uint64 `json:"newest,omitempty"`     // number with which the journal's newest file began; 0: unknown
	Closed    bool   `json:"closed,omitempty"`     // the server stopped, and no operation came after Applied
	Keys      []kept `json:"keys,omitempty"`       // answers for retries, oldest first
}

// maxSegment is the size of the journal's newest file at which a checkpoint is due.
const maxSegment = 16 << 20

// checkpoints are the two generations on the disk.
type checkpoints struct {
	served           // part of the newest, without its keys
	at     time.Time // when the newest was saved
	older  uint64    // number of the last operation in the one before
	failed error     // of the last attempt to save
}

// snapshot is a copy of everything that a checkpoint holds.
type snapshot struct {
	learner bytes.Buffer
	served  served
	state   driver.State
	err     error // the copy failed
}

// snapshot copies the model between two operations. The copy takes as many bytes as the file, and some milliseconds. The disk then
// does not delay the operations.
func (d *durable) snapshot() *snapshot {
	c := &snapshot{state: d.state, served: served{Journal: d.lastKept().Journal, Applied: d.applied, LearnedAt: d.learnedAt.Load()}}
	for _, a := range d.keys.list {
		c.served.Keys = append(c.served.Keys, *a)
	}
	c.err = d.learner.Write(&c.learner)
	return c
}

// save saves a snapshot. The caller ensures that no other snapshot is being saved.
func (d *durable) save(c *snapshot) (err error) {
	if c.state.Served, err = json.Marshal(c.served); err == nil {
		err = c.err
	}
	if err == nil {
		err = d.store.Save(func(w io.Writer) error {
			err := json.NewEncoder(w).Encode(c.state) // as stream.Learner.Write writes its caller's values
			if err == nil {
				_, err = w.Write(c.learner.Bytes())
			}
			return errors.Wrap(err, "writing the learner")
		})
	}
	d.keptMu.Lock()
	defer d.keptMu.Unlock()
	if d.kept.failed = err; err == nil {
		d.kept = checkpoints{served: c.served, at: time.Now(), older: d.kept.Applied}
		d.kept.Keys = nil // they take memory
	}
	return err
}

// keep begins to save a checkpoint if something has changed and the last one is saved. It does not wait for the disk.
func (d *durable) keep() {
	if !d.saving.TryLock() {
		return
	}
	if d.lastKept().Applied == d.applied {
		d.saving.Unlock()
		return
	}
	c := d.snapshot()
	d.ended.Go(func() {
		defer d.saving.Unlock()
		if err := d.saveAndTrim(c); err != nil {
			d.log("warning: " + err.Error())
		}
	})
}

// saveAndTrim saves a snapshot. It then removes from the journal the operations that the older generation holds too. If the newest
// generation is damaged, the older generation and the journal still make the whole model.
//
// The snapshot names the journal's newest file, so the file is made first. A start without this file then notices the loss. Only a
// kill before the snapshot is saved leaves a newest file that no checkpoint names.
func (d *durable) saveAndTrim(c *snapshot) error {
	var broken error
	if d.journal.Stats().Err == nil { // an error of the journal was logged before
		broken = d.journal.Rotate()
	}
	c.served.Newest = d.journal.Stats().Newest
	if err := d.save(c); err != nil {
		return errors.WithMessage(err, "nothing is lost, since the journal has it")
	}
	if broken != nil || d.journal.Stats().Err != nil {
		return broken
	}
	return d.journal.Trim(d.lastKept().older)
}

// saveFirst saves a checkpoint before the first request. It names the newest file of the journal.
func (d *durable) saveFirst(newest uint64) error {
	c := d.snapshot()
	c.served.Newest = newest
	return d.save(c)
}

// lastKept returns the checkpoints on the disk.
func (d *durable) lastKept() checkpoints {
	d.keptMu.Lock()
	defer d.keptMu.Unlock()
	return d.kept
}
