package serve

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/internal/journal"
	"gophe/phe/internal/text"
	"gophe/phe/live/driver"
	"gophe/phe/remedy"
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

// nameJournal gives the model the name by which its journal is recognised. It saves the name in both generations of the checkpoint. If one
// is damaged, the other must still find the journal.
func (d *durable) nameJournal() error {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // it never fails
	d.kept.Journal = hex.EncodeToString(b)
	return cmp.Or(d.saveFirst(0), d.saveFirst(0))
}

// openJournal opens the journal. A fault of the disk is no damage.
func (d *durable) openJournal() (err error) {
	d.journal, err = journal.Open(journalOf(d.path), d.journalOptions())
	switch {
	case err == nil || disk.Failed(err):
		return err
	case !d.options.LoseJournal:
		return remedy.With("lose journal", err)
	}
	return d.loseJournal(err)
}

// journalOf returns the folder of a model's journal.
func journalOf(path string) string { return path + ".journal" }

// journalOptions returns the options that find a damaged journal. A server that has stopped needs nothing of its journal. Only
// saveAndTrim begins new files, so that a checkpoint knows each.
func (d *durable) journalOptions() journal.Options {
	o := journal.Options{Identity: d.kept.Journal, First: d.applied + 1, Newest: d.kept.Newest, Last: d.applied}
	if d.kept.Closed {
		o.Newest = 0
	}
	return o
}

// loseJournal begins a new journal in place of a damaged or missing one. The model first learns what can be read of the old one. The old
// one gets another name, and the new one another identity, so that they cannot be mixed.
func (d *durable) loseJournal(why error) (err error) {
	folder := journalOf(d.path)
	if err := d.readJournal(); disk.Failed(err) { // it is read up to the damage
		return err
	}
	lost := folder + ".lost-" + d.kept.Journal
	if err := d.nameJournal(); err != nil {
		return err
	}
	if err := os.Rename(folder, lost); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Wrapf(err, "cannot give the damaged journal the name %s; give it another name yourself", lost)
	}
	d.log(fmt.Sprintf("warning: %s. The model goes on without the requests after number %d; what is left of them is in %s",
		why, d.applied, lost))
	d.journal, err = journal.Open(folder, d.journalOptions())
	return err
}

// replay applies the operations that came after the checkpoint.
func (d *durable) replay() error {
	if w := d.journal.Stats().Warning; w != "" {
		d.log("warning: " + w)
	}
	start, before := time.Now(), d.applied
	err := d.readJournal()
	if n := d.applied - before; err == nil && n > 0 {
		d.log(fmt.Sprintf("%s: replayed %s of the journal in %.1f s; %s learned",
			d.path, text.Counted(n, "request"), time.Since(start).Seconds(), text.Counted(d.rows.Load(), "row")))
	}
	return err
}

// readJournal applies the records of the journal that the model lacks, up to the first fault.
func (d *durable) readJournal() error {
	return journal.Read(journalOf(d.path), d.journalOptions(), d.applied, func(number uint64, record []byte) error {
		var op operation
		err := text.Decode(record, &op)
		if err == nil {
			d.apply(number, op)
		}
		return errors.WithMessage(err, "reading the journal, which a newer program may have written; use that program")
	})
}
