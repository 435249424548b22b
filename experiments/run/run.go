package run

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"sync"
	"time"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"
	"golang.org/x/sync/errgroup"

	"gophe/data/files"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/result/machine"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
	"gophe/experiments/task/ownmethod"
	"gophe/phe/usage"
)

// Options say where and how to run. The spec says what to run.
type Options struct {
	Backend compute.Backend
	// Another, if not nil, opens the backend once more: each concurrent job then has its own. Two
	// executions of one XLA client wait for each other's threads: on two cores it takes a fifth longer.
	Another      func() (compute.Backend, error)
	BackendName  string   // resolved: go, xla:cpu or xla:cuda
	Out          string   // folder of the result file
	Existing     Existing // action on an earlier result
	AllowAltered bool     // accept a data file whose checksum is not the declared one
	// Own lists methods of the caller's own, which run next to the spec's. They run again each time, whatever Existing says, because a
	// change of their code cannot be detected. Refresh and Resume drop a method of an earlier result that is not in the list.
	Own []ownmethod.Method
	// Say, if not nil, gets notes on how a user's file was read, a line a call, before the run begins.
	Say func(note string)
	// Progress, if not nil, gets the finished share of the work, in [0, 1], and the name of the current work. Calls come one at a time.
	Progress func(done float64, doing string)
	// Stacked lets models that differ only in hyperparameters train side by side, where it is faster. On XLA, the last digits of a run then
	// depend on the number of models beside it.
	Stacked  bool
	sizedFor int // number of items that sized the encoder of a user's file; 0 where the spec has an encoder
}

// Execute runs a spec and writes <Out>/<spec name>.json. When ctx ends it stops at the next step, leaves a valid partial result with the
// files that Resume needs, and returns ctx's error. Two calls with the same name and folder at the same time are an error.
//
// The result is rounded as in its file, whose series have fewer digits than were computed. So figures drawn now equal figures drawn later.
func Execute(ctx context.Context, spec spec.Spec, o Options) (*result.File, error) {
	if _, err := executeInFull(ctx, spec, o); err != nil {
		return nil, err
	}
	return result.Read(folder{o.Out, spec.Name}.path())
}

// executeInFull runs a spec. The result has all digits, or is the finished one that was there.
func executeInFull(ctx context.Context, spec spec.Spec, o Options) (*result.File, error) {
	if err := spec.Validate(); err != nil {
		return nil, errors.WithMessagef(err, "spec %s", spec.Name)
	}
	if err := o.checkOwn(spec); err != nil {
		return nil, err
	}
	o = o.complete(spec)
	place := folder{o.Out, spec.Name}
	release, err := place.lock()
	if err != nil {
		return nil, err
	}
	defer release()
	spec, o.sizedFor = Sized(spec, StoppedPath(o.Out, spec.Name), o.Existing)
	switch o.Existing {
	case Keep:
		f, err := place.keep(spec, o.BackendName)
		if f != nil && len(o.Own) > 0 {
			return nil, errors.Errorf("%s is finished, and nobody can tell whether it is of the same code as method %s; "+
				"choose Refresh, which keeps the other methods, or another folder",
				place.path(), o.Own[0].Name)
		}
		if f != nil || err != nil {
			return f, err
		}
	case Replace:
		if err := place.clear(); err != nil {
			return nil, err
		}
	}
	usage.ResetPeak()
	return runTask(ctx, spec, o)
}

// noBackend names the backend in a result of counts.
const noBackend = "none: float64 on the host"

// complete returns the options with functions that can be called. They lose the backend if nothing of the spec runs on one.
func (o Options) complete(s spec.Spec) Options {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	if o.Progress == nil {
		o.Progress = func(float64, string) {}
	}
	switch {
	case s.Protocol.Name == protocol.TwoItems:
		o.BackendName = "none: closed forms in float64"
	case s.OfCounts():
		o.BackendName = noBackend
	default:
		return o
	}
	o.Backend, o.Another = nil, nil
	return o
}

// runTask runs a spec that has data.
func runTask(ctx context.Context, spec spec.Spec, o Options) (*result.File, error) {
	place := folder{o.Out, spec.Name}
	if spec.Recommender != nil || spec.Source != nil { // millions of rows take their seconds; the paper's tables do not
		o.Progress(0, "reading "+spec.Dataset)
	}
	t, plan, err := task.Load(spec, files.Options{AllowAltered: o.AllowAltered})
	if errors.Is(err, fs.ErrNotExist) && o.Existing == Refresh { // a checkout may hold results of ratings that it lacks
		if f, _ := place.keep(spec, o.BackendName); f != nil {
			return f, nil
		}
	}
	if err != nil {
		return nil, err
	}
	notes, _ := task.Own(t)
	for _, note := range notes {
		o.Say(note)
	}
	r := &run{folder: place, spec: spec, options: o, task: t, plan: plan, started: time.Now()}
	r.size()
	if finished, err := r.layOut(ctx); finished != nil || err != nil {
		return finished, err
	}
	runErr := r.all(ctx)
	if err := r.save(); err != nil {
		return nil, err
	}
	if runErr != nil {
		return nil, runErr
	}
	return r.file, r.clear()
}

// run is the state of one call of Execute.
type run struct {
	folder
	spec    spec.Spec
	options Options
	task    task.Task
	plan    *protocol.Plan
	started time.Time
	guards  bool // a finished result of an earlier run is at path, and stays there until this one is complete

	mutex  sync.Mutex // guards the rest
	file   *result.File
	before float64 // seconds of the calls that Resume continues
	peak   float64 // megabytes that they took
	jobs   []*job  // not yet begun
	begun  []shape // of the jobs that have begun
	done   float64 // units of work
	total  float64
}

// layOut lays out the result file, keeps earlier results, and cuts the rest of the work into jobs. It returns an earlier result
// in which nothing is missing.
func (r *run) layOut(ctx context.Context) (finished *result.File, err error) {
	manifest, err := r.manifest()
	if err != nil {
		return nil, err
	}
	r.file = &result.File{Name: r.spec.Name, Manifest: manifest, Stream: r.plan.Describe()}
	models, err := r.models()
	if err != nil {
		return nil, err
	}
	for _, frozen := range []bool{false, true} {
		for _, m := range models {
			for _, own := range m.methods {
				if own.frozen == frozen {
					row := m.entry(r.spec, own)
					m.countNumbers(&row, own)
					r.file.Methods = append(r.file.Methods, row)
				}
			}
		}
	}
	if r.spec.Recommender != nil {
		r.prepare("running averages")
	}
	baselines, err := r.task.Baselines(r.spec, r.plan)
	if err != nil {
		return nil, err
	}
	if r.spec.Recommender != nil {
		r.prepare("averages done")
	}
	r.file.Methods = append(r.file.Methods, baselines...)
	if finished, err := r.meetExisting(); finished != nil || err != nil {
		return finished, err
	}
	if err := r.runOwn(ctx); err != nil {
		return nil, err
	}
	if err := r.fits(models); err != nil {
		return nil, err
	}
	for _, points := range r.stacks(models) {
		for _, seeds := range r.together(points[0]) {
			j, err := r.newJob(points, seeds)
			if err != nil {
				return nil, err
			}
			r.jobs = append(r.jobs, j)
			all, done := j.work()
			r.total, r.done = r.total+all, r.done+done
		}
	}
	return nil, nil
}

// meetExisting keeps earlier results, if the options say so, and notes a finished result that must not be lost.
func (r *run) meetExisting() (finished *result.File, err error) {
	if newest := StoppedPath(r.out, r.name); exists(newest) && (r.options.Existing == Resume || r.options.Existing == Refresh) {
		old, err := result.Read(newest)
		if err != nil {
			return nil, err
		}
		if finished, err := r.takeOver(old); finished != nil || err != nil {
			return finished, err
		}
		r.sayDropped(old)
	}
	if exists(r.path()) {
		old, err := result.ReadSummary(r.path())
		r.guards = err == nil && old.Status == result.Complete
	}
	return nil, nil
}

// all runs the jobs, workerCount at a time, and stops them all at the first error.
func (r *run) all(ctx context.Context) error {
	workers, working := errgroup.WithContext(ctx)
	for i := range min(workerCount(r.options.BackendName), max(1, len(r.jobs))) {
		workers.Go(func() error { return r.work(working, i) })
	}
	return cmp.Or(workers.Wait(), context.Cause(ctx))
}

// work does jobs, as worker number i, until none waits, or the first error.
func (r *run) work(ctx context.Context, i int) error {
	w := &worker{backend: r.options.Backend}
	if i > 0 && r.options.Another != nil {
		var err error
		if w.backend, err = r.options.Another(); err != nil {
			return err
		}
	}
	defer w.forget()
	for ctx.Err() == nil { // do would take a step before it noticed
		j := r.take(w)
		if j == nil {
			break
		}
		j.worker = w
		if err := j.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// save writes the result file as far as it is.
func (r *run) save() error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	m := &r.file.Manifest
	m.Seconds = r.before + time.Since(r.started).Seconds()
	m.PeakMemoryMB = max(r.peak, usage.Peak()/(1<<20))
	r.file.Status = result.Partial
	if isFinished(r.file, r.spec.Seeds) {
		r.file.Status = result.Complete
	}
	measure.Summarise(r.file)
	if r.guards && r.file.Status != result.Complete {
		return r.file.Write(r.draft())
	}
	return r.file.Write(r.path())
}

// prepare reports the preparations before the counted work.
func (r *run) prepare(doing string) { r.options.Progress(0, doing) }

// advance reports work done.
func (r *run) advance(units float64, doing string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.done += units
	r.options.Progress(r.done/r.total, doing)
}

// manifest describes this run; times and memory are filled in by save.
func (r *run) manifest() (result.Manifest, error) {
	content, err := json.Marshal(r.spec)
	m := result.Manifest{
		Spec: content, SpecHash: r.spec.Fingerprint(), Commit: machine.Commit(), Versions: machine.Versions(),
		Processor: machine.Processor(), Backend: r.options.BackendName,
		Dataset: r.spec.Dataset, SizedFor: r.options.sizedFor, Started: r.started.UTC().Format(time.RFC3339Nano),
	}
	if r.options.Backend != nil {
		m.Device, m.Parallel = machine.Device(r.options.Backend), parallel(r.options.BackendName)
	}
	about := r.task.About()
	m.DataSHA256, m.DataVerified = about.SHA256, about.Verified
	_, m.Table = task.Own(r.task)
	return m, errors.Wrap(err, "encoding the spec")
}
