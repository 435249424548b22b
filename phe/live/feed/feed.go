// Package feed learns a file or a pipe so that a kill loses no record and learns no record twice.
//
// Open opens a source. A new learner takes its schema from Source.Infer; an old one comes with its state from Load. State.Choose goes to
// the place in the source where learning continues. Run learns to the end of the source.
//
// One checkpoint holds the learner, the position in the input, and the length of the output. A program that starts again goes to
// that position and cuts the output to that length. It then writes the bytes that a program without a stop would have written.
//
// The end of an input brings all labels that are late. An input that grows after its end therefore gives other forecasts with
// Options.Delay than an input that was whole at first.
package feed

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pkg/errors"

	"gophe/data/records"
	"gophe/phe/disk"
	"gophe/phe/internal/text"
	"gophe/phe/live/checkpoint"
	"gophe/phe/remedy"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// reader is the part of a Source that a feed reads. A feed never calls two of its methods at once.
type reader interface {
	stream.Reader
	Position() records.Position
	Seek(records.Position) error
	Unfinished() int64           // the line that Read has left alone, from 1; 0 if there is none
	Watch(do func(bytes []byte)) // calls do with the bytes that Position passes
}

// feeding takes a learner along one input. It is not safe for concurrent use.
type feeding struct {
	Learner *stream.Learner
	State   State
	Saved   State // in the last checkpoint

	store   *checkpoint.Store // nil: no checkpoints
	source  reader
	options Options

	// plain says that the input is a file without compression, whose bytes Position counts. The feed then identifies the file by
	// the bytes that it has read. A user may correct the bytes after them, such as a bad record.
	plain bool
	// keep returns whether a record belongs to the stream; nil keeps all. With Options.Threads it is called by two goroutines.
	keep func(record []string) bool

	file   *os.File    // the input, for its identity; nil unless plain
	output *output     // nil without Options.Output
	saved  time.Time   // when the last checkpoint was saved
	shown  time.Time   // when Options.Progress was last called
	next   Fingerprint // of the bytes that the source has passed
	alarms int         // of the learner

	ahead *ahead
	spare sync.Pool  // of readings
	rest  []*reading // to be learned before the next list of ahead

	pipeline atomic.Pointer[stream.Pipeline] // nil while records are learned one by one
	under    []*reading                      // of the batch under way
	locked   time.Time                       // when the pipeline took the learner
}

// Load reads a checkpoint's learner and state. An older program may have saved a learner that cannot be read: the error then names the
// generation before it, if that one can.
func Load(c checkpoint.Loaded) (l *stream.Learner, s State, err error) {
	if l, err = stream.Read(c.Payload, &s); err == nil || remedy.Of(err) != "" {
		return l, s, err
	}
	how := "learn the rows again under another name"
	if older, none := checkpoint.Peek(checkpoint.Files(c.Path)[1]); none == nil {
		if _, _, none = Load(older); none == nil {
			how = fmt.Sprintf("rename %s, saved %s, to %s to go on from there, or %s", older.Path, older.Saved.Format(time.RFC3339),
				c.Path, how)
		}
	}
	return nil, s, remedy.With("other model", errors.Errorf("%s; %s", err, how))
}

// Run takes a learner along an input to its end. It goes on from a state, which is the state of the last checkpoint after State.Choose. With
// a nil store it saves no checkpoints. It returns the last state, and the state in the last checkpoint.
//
// When the context ends, Run saves a checkpoint and returns the context's error. A record that cannot be learned also ends Run,
// unless Options.SkipBad is set. The checkpoint then holds all records before it, and the error names the record.
//
// Run does not wait for a pipe after the context has ended. A call of the source's Read may then go on without end, so the source
// must not be used again. Give a pipe the same context in its options: Run then learns all records that came before its end.
func Run(ctx context.Context, l *stream.Learner, s State, store *checkpoint.Store, in *Source, o Options) (now, saved State, err error) {
	f := newFeed(l, s, store, in, o)
	err = f.run(ctx)
	return f.State, f.Saved, err
}

// newFeed returns a feed that has not begun, with its options completed.
func newFeed(l *stream.Learner, s State, store *checkpoint.Store, in *Source, o Options) *feeding {
	o.Every, o.Disk = cmp.Or(o.Every, defaultEvery), cmp.Or(o.Disk, disk.System)
	if o.Progress == nil {
		o.Progress = func(State) {}
	}
	if o.Alarm == nil {
		o.Alarm = func(int64, string) {}
	}
	return &feeding{Learner: l, State: s, store: store, source: in, keep: in.Keep, options: o, Saved: s, alarms: l.Report().Alarms,
		plain: store != nil && in.Plain()}
}

// run reads the input to its end. It can be called once.
func (f *feeding) run(ctx context.Context) error {
	defer f.close()
	late := ctx
	if in, ok := f.source.(*Source); ok && in.ends { // after the rows that came: a pipe's rows come once
		late = context.WithoutCancel(ctx)
	}
	if err := f.begin(ctx); err != nil {
		return err
	}
	for {
		list, err := f.await(late)
		if err != nil {
			return err
		}
		last := list[len(list)-1]
		ends := last.last() // a reading that is learned is read into again
		if ends {
			list = list[:len(list)-1]
		}
		if err := f.takeAll(late, list); err != nil {
			return f.stop(err)
		}
		if ends {
			return f.end(ctx, last)
		}
		if err := f.saveIfDue(); err != nil {
			return err
		}
	}
}

// saveIfDue saves a checkpoint if it is time and there is something new to save. It also reports the progress between two checkpoints.
func (f *feeding) saveIfDue() error {
	due, shown := time.Since(f.saved) >= f.options.Every, f.isShown() // Progress may look at the learner: drain first
	if due || shown || time.Since(f.locked) >= patience {
		if err := f.drain(); err != nil {
			return f.stop(err)
		}
	}
	if f.State.Position == f.Saved.Position {
		return nil
	}
	if due {
		return f.save(false)
	}
	if shown {
		f.show()
	}
	return nil
}

// isShown tells whether it is time to report the progress.
func (f *feeding) isShown() bool {
	const every = 200 * time.Millisecond
	return time.Since(f.shown) >= every
}

// show reports the progress.
func (f *feeding) show() {
	f.shown = time.Now()
	f.options.Progress(f.State)
}

// take learns one record, or leaves it out.
func (f *feeding) take(r *reading) error {
	err := r.err
	if err == nil {
		err = f.step(r)
	}
	return f.forgive(err, r)
}

// step learns a record that could be read.
func (f *feeding) step(r *reading) error {
	if f.keep != nil && !f.keep(r.record) {
		f.State.Left++
		f.pass(r)
		return nil
	}
	forecast, err := f.Learner.StepLate(f.State.Rows, r.record, f.options.Delay)
	if err != nil {
		return err
	}
	return f.count(r, forecast)
}

// count counts a record that was learned, and writes its forecast.
func (f *feeding) count(r *reading, forecast stream.Forecast) error {
	f.State.Rows++
	f.pass(r)
	f.tell(forecast)
	return f.output.write(f.State.Position.Record, r.record, forecast)
}

// tell reports a new alarm at the record that was taken last.
func (f *feeding) tell(forecast stream.Forecast) {
	if forecast.Alarms > f.alarms {
		f.alarms = forecast.Alarms
		f.options.Alarm(f.State.Position.Record, forecast.Jump)
	}
}

// pass moves the position behind a record.
func (f *feeding) pass(r *reading) {
	f.State.Position, f.State.Ended = r.after, false
	switch {
	case f.plain:
		f.State.Fingerprint = r.bytes
	case f.store != nil:
		f.State.Check = checkSum(f.State.Check, r.record)
	}
}

// forgive returns nil for a bad record that may be skipped, and passes it. It returns every other error.
func (f *feeding) forgive(err error, r *reading) error {
	var field *schema.FieldError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &field):
		err = errors.WithMessagef(err, "%s, record %d (line %d)", f.State.Input.Name, r.before.Record+1, r.before.Line+1)
	case !isBad(err):
		return err
	}
	if !f.options.SkipBad {
		return err
	}
	f.State.Bad, f.State.Why = f.State.Bad+1, text.String(err.Error())
	f.pass(r)
	return nil
}

func isBad(err error) bool { return errors.As(err, new(*records.RecordError)) }

// end ends an input by its last reading. It learns the records whose labels are late, and saves the last checkpoint.
func (f *feeding) end(ctx context.Context, last *reading) error {
	if err := f.drain(); err != nil {
		return f.stop(err)
	}
	switch {
	case ctx.Err() != nil: // Ctrl-C also stops the program that fills a pipe: this may not be the end of its records
		return f.stop(ctx.Err())
	case last.err != io.EOF:
		return f.stop(f.take(last))
	case f.source.Unfinished() > 0: // a program may still be writing the last record
		f.State.Ended = false
		return f.save(true)
	}
	if f.options.Delay > 0 {
		late, err := f.Learner.LearnWaiting(0)
		if err != nil {
			return f.stop(err)
		}
		f.tell(late)
	}
	f.State.Ended = true
	return f.save(true)
}

// stop saves a checkpoint and returns the reason for the stop. If the checkpoint cannot be saved, that is the error: a caller
// that takes the end of its context for a success must not miss it.
func (f *feeding) stop(reason error) error {
	if err := f.drain(); err != nil {
		reason = err
	}
	err := f.save(true)
	if err == nil || err == reason {
		return reason
	}
	return errors.WithMessagef(err, "%s; and no checkpoint could be saved", reason)
}

// save saves a checkpoint, perhaps the last one. It syncs the output first, since the checkpoint refers to the output's length.
func (f *feeding) save(last bool) (err error) {
	if f.output != nil {
		written, err := f.output.sync()
		if err != nil {
			return err
		}
		f.State.Output, f.State.OutputSHA256, f.State.OutputUnlike = written.Bytes, written.SHA256, last != f.State.Ended
	}
	if f.file != nil {
		if f.State.Input, err = f.State.Input.extend(f.file, f.State.Position.Offset); err != nil {
			return err
		}
	}
	if f.store != nil {
		if err := f.store.Save(func(w io.Writer) error { return f.Learner.Write(w, f.State) }); err != nil {
			return err
		}
	}
	f.saved, f.Saved = time.Now(), f.State
	f.options.Progress(f.State)
	return nil
}

func (f *feeding) close() {
	if f.ahead != nil {
		close(f.ahead.stop)
		if !f.isPipe() {
			<-f.ahead.ended
		}
	}
	f.output.close()
	if f.file != nil {
		f.file.Close() // it was only read
	}
}
