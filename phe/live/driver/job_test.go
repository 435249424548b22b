package driver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/source"
	"gophe/phe/live/store"
	"gophe/phe/records"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// job is one start of a program that feeds a learner. A child process gets it as JSON.
type job struct {
	Input   string // the file, or "-" for a pipe
	Folder  string // of the checkpoint and the output
	Output  string // another file for the forecasts
	Target  string
	Delay   int
	Labels  string // file of labels that come later
	Every   time.Duration
	SkipBad bool
	Where   string // user to leave out
	Again   bool
	Silent  bool  // writes no forecasts
	Rows    int64 // the last one to learn
	Follow  bool  // the input, which rotates
	Slow    bool  // learns on one thread, record by record

	disk      disk.FS   // the system's if it is nil
	pipe      io.Reader // the pipe that the input "-" reads
	stop      int64     // interrupts the program when it has learned or skipped this number of records; never if 0
	forecasts int64     // interrupts a pipeline when it has made this number of forecasts; never if 0
	progress  func(State)
	wrap      func(source.Source) source.Source

	canceling *context.CancelFunc // gets what interrupts the program; may be nil
}

func (j job) model() string { return filepath.Join(j.Folder, "model") }

func (j job) output() string {
	if j.Output != "" {
		return j.Output
	}
	return filepath.Join(j.Folder, "forecasts.csv")
}

// load returns the learner and the state to go on from.
func (j job) load(store *checkpoint.Store) (*stream.Learner, State, error) {
	loaded, err := checkpoint.Peek(store.Path)
	if errors.Is(err, checkpoint.ErrNone) {
		l, err := learner(j.Target)
		if j.Labels != "" {
			l, err = stream.New(labelledOf(j.Target), stream.Options{Memory: 8 << 10, IDs: 500})
		}
		return l, State{}, err
	}
	if err != nil {
		return nil, State{}, err
	}
	return Load(loaded)
}

// form is the form of the tests' tables.
var form = records.Options{Format: records.CSV, Header: records.HeaderYes, Comma: ',', Growing: true}

// pipe returns a source that cannot seek.
func pipe(ctx context.Context, r io.Reader) (*source.Files, error) {
	o := form
	o.Input = r
	return source.Open(ctx, source.Options{Options: o}, "-")
}

// newDriver returns a driver in the middle of a source.
func newDriver(l *stream.Learner, s State, to store.Store, in source.Source) *Driver {
	return &Driver{Learner: l, State: s, Saved: s, store: to, source: in, keep: in.Condition()}
}

// open opens the input and makes the driver go on with it.
func (j job) open(ctx context.Context, d *Driver) (source.Source, error) {
	if j.Labels != "" {
		of := source.Options{Options: form, Schema: &d.Learner.Schema, Follow: j.Follow}
		rows, err := source.Open(ctx, of, j.Input)
		labels, other := source.Open(ctx, source.Options{Options: form, Follow: j.Follow}, j.Labels)
		if err = cmp.Or(err, other); err != nil {
			return nil, err
		}
		in, err := source.NewLabelled(ctx, rows, labels, of, 0, func(string) {})
		if err != nil {
			return nil, err
		}
		return in, d.Choose(ctx, in, source.Choice{})
	}
	o := source.Options{Options: form, Follow: j.Follow}
	if o.Input = j.pipe; j.Follow {
		o.Schema = &d.Learner.Schema
	}
	in, err := source.Open(ctx, o, j.Input)
	if err == nil && len(in.Paths()) > 1 && d.State.Input.Name == "" { // a new model's columns come from all files
		_, err = in.Infer(schema.Hints{Target: "label"})
	}
	if err != nil {
		return nil, err
	}
	err = d.Choose(ctx, in, source.Choice{Again: j.Again})
	if j.Where != "" {
		d.keep = func(r []string) bool { return r[0] != j.Where }
	}
	return in, err
}

// options returns the options of the job.
func (j job) options() Options {
	o := Options{Every: j.Every, Rows: j.Rows, Output: j.output(), Progress: j.progress, Disk: j.disk}
	if o.Threads = 2; j.Slow || j.stop > 0 {
		o.Threads = 1
	}
	if j.Silent {
		o.Output = ""
	}
	return o
}

// run does the job. The driver is nil if the job fails before it begins.
func (j job) run() (*Driver, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if j.canceling != nil {
		*j.canceling = cancel
	}
	if j.disk == nil {
		j.disk = disk.System
	}
	file, err := checkpoint.Open(j.disk, j.model())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	d := &Driver{store: store.File{Store: file}}
	if d.Learner, d.State, err = j.load(file); err != nil {
		return nil, err
	}
	d.State.Settings = Settings{Delay: j.Delay, Labels: j.Labels, Bad: map[bool]string{true: Skip}[j.SkipBad]}
	in, err := j.open(ctx, d)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	d.source = &meddling{Source: in, at: -1}
	if j.wrap != nil {
		d.source = j.wrap(in)
	}
	if j.stop > 0 {
		d.source = &meddling{Source: d.source, at: -1, ends: func(records int64) {
			if records == j.stop {
				cancel()
			}
		}}
		keep := d.keep // a driver reads ahead, so that it is the learning of a record that is interrupted
		d.keep = func(r []string) bool {
			if d.State.Records() >= j.stop {
				cancel()
			}
			return keep == nil || keep(r)
		}
	}
	if keep, made := d.keep, (atomic.Int64{}); j.forecasts > 0 {
		d.keep = func(r []string) bool {
			if made.Add(1) == j.forecasts {
				cancel()
			}
			return keep(r)
		}
	}
	return d, d.Run(ctx, j.options())
}

// result holds a job's checkpoint and forecasts.
type result struct{ payload, output []byte }

// result reads the checkpoint and the forecasts of a job.
func (j job) result() (result, error) {
	loaded, err := checkpoint.Peek(j.model())
	if err != nil || j.Silent {
		return result{payload: loaded.Payload}, err
	}
	output, err := os.ReadFile(j.output())
	return result{loaded.Payload, output}, err
}

// state returns the state in the job's checkpoint, without the learner, which takes long to load.
func (j job) state(t *testing.T) (s State) {
	t.Helper()
	loaded, err := checkpoint.Peek(j.model())
	if err == nil {
		first, _, _ := bytes.Cut(loaded.Payload, []byte("\n"))
		err = json.Unmarshal(first, &s)
	}
	filetest.Check(t, err)
	return s
}
