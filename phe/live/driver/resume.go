package driver

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/pkg/errors"

	outputs "gophe/phe/disk/outfile"
	"gophe/phe/internal/text"
	"gophe/phe/remedy"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
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
	// After a kill, the next program must find the schema, and the new input if the forecasts of the last one were cut.
	if err := d.save(false); err != nil {
		return err
	}
	if err := d.output.cut(); err != nil {
		return err
	}
	d.readAhead(late)
	return nil
}

// check returns an error if the settings would lose a record, or learn one that was left out.
func (d *Driver) check(ctx context.Context) error {
	names, s := d.Learner.Schema.Names(), d.State.Settings
	columns, err := d.source.Columns(ctx)
	if err != nil {
		return err
	}
	waiting, _ := d.Learner.Waiting()
	delay := s.Delay
	if s.After > 0 || s.Labels != "" { // they wait as long as they have to
		delay = waiting
	}
	if d.learn, err = s.Stepper(d.Learner.Schema); err != nil {
		return err
	}
	if s.Labels != "" {
		d.learn = func(l *stream.Learner, _ int64, r schema.Record) (stream.Forecast, error) { return l.Await(r) }
	}
	switch {
	case !slices.Equal(columns, names):
		return errors.Errorf("%s has the columns %q, and the model learns the columns %q; give an input with the same columns in the same "+
			"order", d.State.Input.Name, columns, names)
	case delay < 0:
		return errors.Errorf("the delay is %d rows; give 0 or more", delay)
	case waiting > delay && d.State.Served != nil:
		return errors.Errorf("a server keeps %s without a label; serve the model until the labels are there, or let the server learn "+
			"these rows too (/v1/learn)", text.Counted(waiting, "record"))
	case waiting > delay && d.State.Records() > 0:
		return errors.Errorf("%d records of %s wait for their labels, and the delay is %d rows; give the same delay as before",
			waiting, d.State.Input.Name, delay)
	case d.State.Left > 0 && d.keep == nil:
		return errors.Errorf("%d records of %s were left out, and now all records are kept; give the same condition as before",
			d.State.Left, d.State.Input.Name)
	}
	return nil
}

// find waits until the log has found the position in it.
func (d *Driver) find(ctx, late context.Context) error {
	d.readAhead(late)
	for tick := time.Tick(showEvery); ; {
		select {
		case <-d.ahead.begun:
			return d.ahead.failed
		case <-tick:
			d.show()
		case <-ctx.Done():
			return d.stop(ctx.Err())
		}
	}
}
