package driver

import (
	"context"
	"io"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/live/store"
)

// saveIfDue saves a checkpoint if it is time and there is something new to save. It also reports the progress between two checkpoints.
func (d *Driver) saveIfDue() error {
	due, shown := time.Since(d.saved) >= d.period(), time.Since(d.shown) >= showEvery // Progress may look at the learner: drain first
	if due || shown || time.Since(d.locked) >= patience {
		if err := d.drain(); err != nil {
			return d.stop(err)
		}
	}
	switch {
	case d.after == nil:
	case due:
		return d.save(false)
	case shown:
		d.show()
	}
	return nil
}

// period is the time between two checkpoints. A save takes at most a twentieth of it; one of the last two may have waited for servers.
func (d *Driver) period() time.Duration { return max(d.options.Every, 19*min(d.took[0], d.took[1])) }

const showEvery = 200 * time.Millisecond

// show reports the progress.
func (d *Driver) show() {
	d.shown = time.Now()
	d.options.Progress(d.State)
}

// stop saves a checkpoint and returns the reason for the stop. If the save fails, the error is not a context's, which a caller may hide.
func (d *Driver) stop(reason error) error {
	if errors.Is(reason, store.ErrFenced) {
		return reason
	}
	if err := d.drain(); err != nil {
		reason = err
	}
	err := d.save(true)
	if err == nil || err == reason {
		return reason
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New(err.Error()) // the context's end is no success here
	}
	return errors.WithMessagef(err, "%s; and no checkpoint could be saved", reason)
}

// save saves a checkpoint, perhaps the last one. It syncs the output first, since the checkpoint refers to the output's length.
func (d *Driver) save(last bool) (err error) {
	if d.output != nil {
		written, err := d.output.sync()
		if err != nil {
			return err
		}
		d.State.Output, d.State.OutputSHA256, d.State.OutputUnlike = written.Bytes, written.SHA256, last != d.State.Ended
	}
	if d.after != nil {
		if d.State.Input, err = d.after.Identify(d.State.Input); err != nil {
			return err
		}
		d.State.Position = d.after.Position()
	}
	if d.store != nil {
		began := time.Now()
		if err := d.store.Save(func(w io.Writer) error { return d.Learner.Write(w, d.State) }); err != nil {
			return err
		}
		d.took = [2]time.Duration{d.took[1], time.Since(began)}
	}
	d.saved, d.Saved, d.after = time.Now(), d.State, nil
	d.options.Progress(d.State)
	return nil
}
