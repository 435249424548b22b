package driver

import (
	"cmp"
	"context"
	"io"
	"time"

	"gophe/phe/disk"
	"gophe/phe/live/source"
	"gophe/phe/live/store"
	"gophe/phe/stream"
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
	described *schema.Schema // columns of a new model, by the settings' file; nil without that
	source    source.Source
	options   Options
	keep      func(record []string) bool // the source's condition
	learn     func(*stream.Learner, int64, schema.Record) (stream.Forecast, error)
	after     source.Place // behind the last entry that was passed since the last checkpoint; nil if there is none

	output *output          // nil without Options.Output
	saved  time.Time        // when the last checkpoint was saved
	took   [2]time.Duration // of the last two saves
	shown  time.Time        // when Options.Progress was last called
	alarms int              // number of reported alarms
	passed int64            // records up to the last one that Options.Rows lets pass

	ahead *ahead
	batches
}

// Run takes the learner along the source to its end. It goes on behind the last checkpoint.
//
// When the context ends, Run saves a checkpoint and returns the context's error. A record that cannot be learned also ends Run, with an
// error that names it, unless the settings leave such records out. The checkpoint then holds all records before it. ErrFenced says that
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
	learns, late := func(bool) {}, ctx
	if d.store != nil {
		learns = d.store.Learns
	}
	if d.source.Drains() {
		late = context.WithoutCancel(ctx)
	}
	if err := d.begin(ctx, late); err != nil {
		return err
	}
	for !d.enough() {
		learns(false)
		list, err := d.await(late)
		if err != nil {
			return err
		}
		learns(true)
		last := list[len(list)-1]
		ends := last.last() // asked now, since takeAll gives readings back
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

func (d *Driver) close() {
	if d.ahead != nil {
		d.ahead.stop()
		if d.source.Seekable() { // a pipe may be silent for ever
			<-d.ahead.ended
		}
	}
	d.output.close()
}
