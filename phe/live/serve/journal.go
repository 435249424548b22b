package serve

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/internal/journal"
	"gophe/phe/internal/text"
	"gophe/phe/remedy"
)

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
func (d *durable) loseJournal(why error) error {
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
	var err error
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
