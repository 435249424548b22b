package driver

import (
	"context"
	"path/filepath"
	"time"

	outputs "gophe/phe/disk/output"
	"gophe/phe/internal/text"
	"gophe/phe/remedy"
)

// begin goes to where the last checkpoint was saved. It changes no file before it has checked input and output.
func (d *Driver) begin(ctx, late context.Context) (err error) {
	if err := d.check(ctx); err != nil {
		return err
	}
	if d.State.Records() > 0 {
		err = d.find(ctx, late)
	} else { // the last input was left before its end: the numbers of its rows would mix with those of the new rows
		_, err = d.Learner.LearnWaiting(0)
	}
	if err != nil {
		return err
	}
	if d.options.Output != "" {
		others := append(d.options.Others, string(d.State.Input.Name))
		if d.store != nil {
			others = append(others, d.store.Paths()...)
		}
		if err := (outputs.Place{Path: d.options.Output, Others: others, Overwrite: true}).Check(); err != nil {
			return remedy.With("other output", err)
		}
		if d.output, err = openOutput(&d.State, d.Learner.Schema, d.options, d.keep != nil || d.State.Settings.Bad == Skip ||
			d.State.Bad > 0 || d.Learner.Options().IDs > 0); err != nil {
			return err
		}
		d.State.OutputName = text.String(filepath.Base(d.options.Output))
	}
	// A program that is killed before its next checkpoint must find the learner's schema. And a new input must be in the
	// checkpoint before the forecasts of the last input are cut.
	if err := d.save(false); err != nil {
		return err
	}
	if err := d.output.cut(); err != nil {
		return err
	}
	d.readAhead(late)
	return nil
}

// find waits until the log has found the position in it.
func (d *Driver) find(ctx, late context.Context) error {
	d.readAhead(late)
	tick := time.NewTicker(showEvery)
	defer tick.Stop()
	for {
		select {
		case <-d.ahead.begun:
			return d.ahead.failed
		case <-tick.C:
			d.show()
		case <-ctx.Done():
			return d.stop(ctx.Err())
		}
	}
}
