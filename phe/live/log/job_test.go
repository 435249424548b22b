package log

import (
	"bytes"
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
	Every   time.Duration
	SkipBad bool
	Where   string // user to leave out
	Again   bool
	Silent  bool  // writes no forecasts
	Rows    int64 // the last one to learn
	Slow    bool  // learns on one thread, record by record

	disk      disk.FS   // the system's if it is nil
	pipe      io.Reader // the pipe that the input "-" reads
	stop      int64     // interrupts the program when it has learned or skipped this number of records; never if 0
	forecasts int64     // interrupts a pipeline when it has made this number of forecasts; never if 0
	progress  func(State)
	wrap      func(Log) Log

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
func pipe(r io.Reader) (*Source, error) {
	in, err := records.New(struct{ io.Reader }{r}, "standard input", form)
	return &Source{Reader: in, Path: "-", paths: []string{"-"}}, err
}

// open opens the input and makes the state go on with it.
func (j job) open(s *State) (in *Source, err error) {
	if j.Input == "-" {
		in, err = pipe(j.pipe)
	} else {
		files, none := Expand([]string{j.Input})
		if none != nil {
			return nil, none
		}
		in, err = Open(files[0], "", form, files[1:]...)
		if err == nil && len(files) > 1 && s.Input.Name == "" { // a new model's columns come from all files
			_, err = in.Infer(schema.Hints{Target: "label"})
		}
	}
	if err != nil {
		return nil, err
	}
	in.Path = j.Input
	if j.Where != "" {
		in.Keep = func(r []string) bool { return r[0] != j.Where }
	}
	return in, s.Choose(in, Options{Again: j.Again})
}

// options returns the options of the job's feed.
func (j job) options(in *Source) Options {
	o := Options{Keep: in.Keep, Delay: j.Delay, SkipBad: j.SkipBad, Every: j.Every, Rows: j.Rows, Output: j.output(), Progress: j.progress,
		Disk: j.disk}
	if o.Threads = 2; j.Slow || j.stop > 0 {
		o.Threads = 1
	}
	if j.Silent {
		o.Output = ""
	}
	return o
}

// run does the job. The feed is nil if the job fails before it begins.
func (j job) run() (*driver, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if j.canceling != nil {
		*j.canceling = cancel
	}
	if j.disk == nil {
		j.disk = disk.System
	}
	store, err := checkpoint.Open(j.disk, j.model())
	if err != nil {
		return nil, err
	}
	defer store.Close()
	l, state, err := j.load(store)
	if err != nil {
		return nil, err
	}
	in, err := j.open(&state)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	f := newDriver(l, state, store, in, j.options(in))
	f.log = &meddling{Log: in, at: -1}
	if j.wrap != nil {
		f.log = j.wrap(in)
	}
	if j.stop > 0 {
		f.log = &meddling{Log: f.log, at: -1, ends: func(records int64) {
			if records == j.stop {
				cancel()
			}
		}}
		keep := f.keep // a driver reads ahead, so that it is the learning of a record that is interrupted
		f.keep = func(r []string) bool {
			if f.State.Records() >= j.stop {
				cancel()
			}
			return keep == nil || keep(r)
		}
	}
	if keep, made := f.keep, (atomic.Int64{}); j.forecasts > 0 {
		f.keep = func(r []string) bool {
			if made.Add(1) == j.forecasts {
				cancel()
			}
			return keep(r)
		}
	}
	return f, f.run(ctx)
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
