package serve

import (
	"fmt"
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

// Peek reads a model and changes no file. If a server was killed, Peek learns the requests of its journal, in memory. Beside a running
// server the learner is the last checkpoint. If the journal is damaged, the learner has the requests before the damage. If the system fails
// to read the journal, that is an error. say gets sentences for people: where the learner comes from if it is not the newest checkpoint
// alone, and what it lacks.
func Peek(path string, say func(line string)) (*stream.Learner, driver.State, error) {
	d, loaded, err := restored(path)
	if errors.Is(err, checkpoint.ErrNone) {
		err = remedy.Errorf("make a model", "there is no model %s", path)
	}
	if err != nil {
		return nil, driver.State{}, err
	}
	rows, broken := d.learner.Rows(), error(nil)
	if d.state.Served != nil {
		broken = d.readJournal()
	}
	if broken != nil { // a server may have saved a newer checkpoint meanwhile, and trimmed the journal
		if now, err := checkpoint.Peek(path); err == nil && now.Generation != loaded.Generation {
			return Peek(path, say)
		}
	}
	switch {
	case loaded.Held && errors.Is(broken, journal.ErrTorn): // the server is writing it
		broken = nil
	case !loaded.Held && disk.Failed(broken):
		return nil, driver.State{}, errors.WithMessagef(broken, "the model %s", path)
	}
	if loaded.Warning != "" {
		say("warning: " + loaded.Warning)
	}
	rows = d.learner.Rows() - rows
	switch {
	case loaded.Held && d.applied > d.kept.Applied:
		d.learner, d.state, err = driver.Load(loaded)
		if rows > 0 {
			say(fmt.Sprintf("note: a server is learning %s; this is its checkpoint of %s, which lacks %s that it has learned since",
				path, loaded.Saved.Format(time.RFC3339), text.Counted(rows, "row")))
		}
	case rows > 0:
		say(fmt.Sprintf("note: the server of %s was killed; its journal adds %s, and no file is changed", path, text.Counted(rows, "row")))
	}
	if broken != nil {
		say(fmt.Sprintf("warning: %s; the model lacks the requests that cannot be read", broken))
	}
	return d.learner, d.state, errors.WithMessagef(err, "the model %s", path)
}

// restored returns a model with the state of its checkpoint and without its files.
func restored(path string) (d *durable, loaded checkpoint.Loaded, err error) {
	d = newDurable(path, Options{}.withDefaults())
	if loaded, err = checkpoint.Peek(path); err == nil {
		err = d.decode(loaded)
	}
	if err == nil {
		d.adopt()
	}
	return d, loaded, err
}

// Settle prepares a model for a program that learns without a server. If a server was killed, Settle learns the requests of its journal
// and saves the model. It is an error if a server holds the model. say is called with lines for people.
func Settle(path string, say func(line string)) error {
	d, loaded, err := restored(path)
	switch {
	case errors.Is(err, checkpoint.ErrNone):
		return nil
	case err != nil || d.state.Served == nil:
		return err
	}
	if d.kept.Closed && loaded.Warning == "" && d.readJournal() == nil && d.applied == d.kept.Applied {
		return nil // the journal has nothing to add
	}
	if d, err = openDurable(path, nil, Options{Log: say}.withDefaults()); err != nil {
		return err
	}
	return d.close()
}
