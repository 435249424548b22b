// Package driver takes a learner along a source into a store, so that a kill loses no record and learns no record twice.
//
// A program calls Open, which loads a model or begins one, Choose, which goes on in a source behind the rows that were learned, and Run.
// The same lines begin a model and resume it.
package driver

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/internal/text"
	"gophe/phe/live/source"
	"gophe/phe/live/store"
	"gophe/phe/remedy"
	"gophe/phe/stream"
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/schema"
)

// Driver takes a learner along a source. It is not safe for concurrent use.
type Driver struct {
	Learner  *stream.Learner // nil until a new model has begun
	State    State
	Saved    State  // in the last checkpoint
	Warning  string // fault of the checkpoint that was loaded; else empty
	Replaces *State // of the model whose place this one takes; nil if there is none

	store     store.Store    // nil: no checkpoints
	described *schema.Schema // columns of a new model, of the settings' file; nil without one
	source    source.Source
	options   Options
	keep      func(record []string) bool // the source's condition
	learn     func(*stream.Learner, int64, schema.Record) (stream.Forecast, error)
	after     source.Place // behind the last entry that was passed since the last checkpoint; nil if there is none

	output *output          // nil without Options.Output
	saved  time.Time        // when the last checkpoint was saved
	took   [2]time.Duration // of the last two saves
	shown  time.Time        // when Options.Progress was last called
	alarms int              // of the learner
	passed int64            // records up to the last one that Options.Rows lets pass

	ahead *ahead
	batches
}

// Run takes the learner along the source to its end. It goes on behind the last checkpoint.
//
// When the context ends, Run saves a checkpoint and returns the context's error. A record that cannot be learned also ends Run, unless the
// settings leave such records out. The checkpoint then holds all records before it, and the error names the record. ErrFenced says that
// another program holds the store: Open waits until this one may go on. A driver runs once.
func (d *Driver) Run(ctx context.Context, o Options) error {
	o.Every, o.Disk = cmp.Or(o.Every, defaultEvery), cmp.Or(o.Disk, disk.System)
	if o.Progress == nil {
		o.Progress = func(State) {}
	}
	if o.Alarm == nil {
		o.Alarm = func(int64, string) {}
	}
	d.options, d.alarms, d.passed = o, d.Learner.Report().Alarms, d.State.Records()
	defer d.close()
	late := ctx
	if d.source.Drains() {
		late = context.WithoutCancel(ctx)
	}
	if err := d.begin(ctx, late); err != nil {
		return err
	}
	for !d.enough() {
		d.learns(false)
		list, err := d.await(late)
		if err != nil {
			return err
		}
		d.learns(true)
		last := list[len(list)-1]
		ends := last.last() // a reading that is learned is read into again
		if ends {
			list = list[:len(list)-1]
		}
		if err := d.takeAll(late, d.upToRows(list)); err != nil {
			return d.stop(err)
		}
		if ends || d.enough() {
			return d.end(ctx, last)
		}
		if err := d.saveIfDue(); err != nil {
			return err
		}
	}
	return nil
}

// learns tells the store whether there are rows to learn.
func (d *Driver) learns(rows bool) {
	if d.store != nil {
		d.store.Learns(rows)
	}
}

// enough tells whether the log's last record to learn was read.
func (d *Driver) enough() bool { return d.options.Rows > 0 && d.passed >= d.options.Rows }

// upToRows returns the readings up to the log's last record to learn.
func (d *Driver) upToRows(list []*reading) []*reading {
	for i, r := range list {
		if !r.Label && (r.Bad != nil || len(r.Record) > 0) {
			d.passed++
		}
		if d.enough() {
			return list[:i+1]
		}
	}
	return list
}

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

// take learns an entry, or leaves it out.
func (d *Driver) take(r *reading) error {
	err := r.Bad
	switch {
	case err != nil:
	case len(r.Record) == 0:
		d.pass(r)
	case r.Label:
		err = d.label(r)
	case d.keep != nil && !d.keep(r.Record):
		d.leave(r)
	default:
		var forecast stream.Forecast
		if forecast, err = d.learn(d.Learner, d.State.Rows, r.Record); err == nil {
			return d.count(r, forecast)
		}
	}
	return d.forgive(err, r)
}

// leave passes a record that does not meet the condition.
func (d *Driver) leave(r *reading) {
	d.State.Left++
	d.pass(r)
}

// label learns the row of a label.
func (d *Driver) label(r *reading) error {
	l, again := &d.State.Labels, repeats.Fresh
	late, err := d.Learner.Bring(r.Record[0], r.Record[1])
	switch {
	case err == nil:
		l.Learned++
		d.tell(late)
	case errors.As(err, &again):
		l.Add(again)
	case errors.Is(err, stream.ErrUnknownID):
		l.Unmatched++
	default:
		return err
	}
	d.pass(r)
	return nil
}

// count counts a record that was learned, and writes its forecast. A record that came before has none.
func (d *Driver) count(r *reading, forecast stream.Forecast) error {
	s := &d.State
	defer d.pass(r)
	switch {
	case s.Settings.Labels != "" && forecast.Again == repeats.Reused: // of two rows with one id, the label is of the first
		s.Labels.Reused++
		return d.named()
	case !s.Add(forecast.Again):
		return nil
	}
	s.Rows++
	d.tell(forecast)
	if err := d.output.write(s.Records(), r.Record, forecast); err != nil {
		return err
	}
	return d.named()
}

// named returns an error if many of the first rows have the id of another one.
func (d *Driver) named() error {
	const first, most = 1000, 100
	s, as := &d.State, d.Learner.Schema
	reused := s.Reused + s.Labels.Reused
	if reused <= most || s.Rows > first || len(s.Earlier) > 0 {
		return nil
	}
	return remedy.Errorf("row name", "%s does not name rows: of the first %s, %d have the id of an earlier one, and other values; "+
		"name the column that does", as.Columns[as.PlaceOf(schema.ID)].Name, text.Counted(s.Rows, "row"), reused)
}

// tell reports a new alarm at the record that was taken last.
func (d *Driver) tell(forecast stream.Forecast) {
	if forecast.Alarms > d.alarms {
		d.alarms = forecast.Alarms
		d.options.Alarm(cmp.Or(forecast.Changed, d.State.Records()), forecast.Reason)
	}
}

// pass moves the position behind an entry that is counted.
func (d *Driver) pass(r *reading) {
	d.after, d.State.Ended = r.After, false
	d.State.Labels.See(r.Order, d.State.Records(), r.Label)
}

// forgive returns nil for a bad record that may be skipped, and passes it. It returns every other error.
func (d *Driver) forgive(err error, r *reading) error {
	if err == nil {
		return nil
	}
	switch field := new(*schema.FieldError); {
	case errors.As(err, field):
		err = errors.WithMessage(err, fmt.Sprint(r.After))
	case !source.IsBad(err):
		return err
	}
	if d.State.Settings.Bad != Skip {
		return err
	}
	bad := &d.State.Bad
	if r.Label {
		bad = &d.State.Labels.Bad
	}
	*bad, d.State.Why = *bad+1, text.String(err.Error())
	d.pass(r)
	return nil
}

// end ends the run. At the end of the input, as its last reading tells, it learns the records whose labels are late.
func (d *Driver) end(ctx context.Context, last *reading) error {
	if err := d.drain(); err != nil {
		return d.stop(err)
	}
	switch {
	case d.enough():
		return d.save(true)
	case ctx.Err() != nil: // Ctrl-C also stops the program that fills a pipe: this may not be the end of its records
		return d.stop(ctx.Err())
	case last.Bad != io.EOF:
		return d.stop(d.take(last))
	case last.AtEnd: // a program may still be writing the last record
		d.State.Ended = false
		return d.save(true)
	}
	if waiting, _ := d.Learner.Waiting(); d.State.Settings.Late() && d.State.Settings.Labels == "" && waiting > 0 {
		d.State.Ends++
		late, err := d.Learner.LearnWaiting(0)
		if err != nil {
			return d.stop(err)
		}
		d.tell(late)
	}
	d.State.Ended = true
	return d.save(true)
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

func (d *Driver) close() {
	if d.ahead != nil {
		d.ahead.stop()
		if d.source.Seekable() { // a pipe may be silent for ever
			<-d.ahead.ended
		}
	}
	d.output.close()
}
