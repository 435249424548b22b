package experiments

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	"gophe/data"
	"gophe/experiments/result"
)

// Options say where and how to run, never what: that is the spec's.
type Options struct {
	Backend compute.Backend
	// Another, if not nil, opens the backend once more: each job that runs beside others then has one of its own. Two
	// executions of one XLA client wait for each other's threads: on two cores it takes a fifth longer.
	Another      func() (compute.Backend, error)
	BackendName  string // resolved: go, xla:cpu or xla:cuda
	Out          string // folder of the result file
	Resume       bool   // go on from what is there, in place of starting anew; what is of another spec is an error
	Refresh      bool   // as Resume, but what is of another spec or other data is computed anew; what is finished stays where its data is not here
	AllowAltered bool   // accept a data file whose checksum is not the declared one
	// Progress, if not nil, is told how much of the work is done, in [0, 1], and what is being done. Calls come one at
	// a time.
	Progress func(done float64, doing string)
}

// Run runs a spec and writes <Out>/<spec name>.json. When ctx ends it stops at the next step, leaves a valid partial
// result and what Resume needs beside it, and returns ctx's error.
func Run(ctx context.Context, spec Spec, o Options) (*result.File, error) {
	if err := writable(o.Out); err != nil {
		return nil, err
	}
	resetPeakMemory()
	if spec.Protocol.Name == TwoItems {
		return runTwoItems(spec, o)
	}
	if o.Progress != nil && spec.Recommender != nil { // millions of ratings take their seconds; tables do not
		o.Progress(0, "reading "+spec.Dataset)
	}
	task, plan, err := newTask(spec, data.Options{AllowAltered: o.AllowAltered})
	if errors.Is(err, fs.ErrNotExist) && o.Refresh { // ratings are not in the checkout, results of theirs are
		if f, _ := readIfThere(o.Out, spec.Name); f != nil && f.Status == result.Complete && f.Manifest.SpecHash == spec.Hash() &&
			f.Manifest.Backend == o.BackendName && isFinished(f, spec.Seeds) {
			return f, nil
		}
	}
	if err != nil {
		return nil, err
	}
	r := &run{spec: spec, options: o, task: task, plan: plan, started: time.Now()}
	if err := r.layOut(); err != nil {
		return nil, err
	}
	if r.finished != nil {
		return r.finished, nil
	}
	runErr := r.all(ctx)
	if err := r.save(); err != nil {
		return nil, err
	}
	if runErr != nil {
		return nil, runErr
	}
	return r.file, os.RemoveAll(r.checkpointFolder())
}

// run is one call of Run under way.
type run struct {
	spec    Spec
	options Options
	task    task
	plan    *plan
	started time.Time

	mutex    sync.Mutex // guards the rest
	file     *result.File
	finished *result.File // what an earlier session left, if nothing is missing: it stays as it is
	before   float64      // seconds of the sessions that Resume goes on from
	peak     float64      // megabytes that they took
	jobs     []*job
	done     float64 // units of work
	total    float64
}

// layOut lays out the result file, takes over what Resume finds, and cuts what is left into jobs.
func (r *run) layOut() error {
	manifest, err := r.manifest()
	if err != nil {
		return err
	}
	r.file = &result.File{Name: r.spec.Name, Manifest: manifest, Stream: r.plan.describe()}
	families := r.families()
	for _, frozen := range []bool{false, true} {
		for _, f := range families {
			r.file.Methods = append(r.file.Methods, f.rows(r, frozen)...)
		}
	}
	rivals, err := r.task.rivals(r.spec, r.plan)
	if err != nil {
		return err
	}
	r.file.Methods = append(r.file.Methods, rivals...)
	if err := r.takeOver(); err != nil {
		return err
	}
	for _, f := range families {
		for _, seeds := range r.together(f) {
			j, err := r.newJob(f, seeds)
			if err != nil {
				return err
			}
			r.jobs = append(r.jobs, j)
			r.total += j.work()
			r.done += j.finished()
		}
	}
	return nil
}

// path of the result file.
func (r *run) path() string { return filepath.Join(r.options.Out, r.spec.Name+".json") }

// takeOver reads the runs that an earlier session completed, and refuses to mix them with another experiment's.
func (r *run) takeOver() error {
	if !r.options.Resume && !r.options.Refresh {
		return os.RemoveAll(r.checkpointFolder())
	}
	if _, err := os.Stat(r.path()); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	old, err := result.Read(r.path())
	if err != nil {
		return err
	}
	was, is := old.Manifest, r.file.Manifest
	sameData := was.DataSHA256 == is.DataSHA256 && was.Backend == is.Backend
	if !r.options.Refresh && (was.SpecHash != is.SpecHash || !sameData) {
		return errors.Errorf("%s is of another spec, dataset or backend (%s) and cannot be resumed; run without --resume to replace it, or choose another --out",
			r.path(), was.Backend)
	}
	same, kept := sameData && was.SpecHash == is.SpecHash, 0.0
	for i := range r.file.Methods {
		m := &r.file.Methods[i]
		before := old.Method(m.Name, m.Frozen)
		if before == nil || !sameData || m.Hash == "" {
			continue
		}
		if before.Hash != m.Hash && !(same && before.Hash == "") { // results from before methods had hashes: the spec's tells
			continue
		}
		for _, run := range before.Runs {
			if run.Status != result.Partial { // seeds that were not asked for again stay too
				m.Put(run)
				kept += run.Seconds.Total()
			}
		}
	}
	if !same && kept == 0 {
		return nil
	}
	r.before, r.peak = kept, was.PeakMemoryMB
	if same { // also the time of what was not finished counts: its checkpoint goes on
		r.before = was.Seconds
	}
	if !strings.HasSuffix(was.Commit, is.Commit) { // what is taken over was computed by other code
		r.file.Manifest.Commit = was.Commit + ", resumed by " + is.Commit
	} else {
		r.file.Manifest.Commit = was.Commit
	}
	if same && old.Status == result.Complete && isFinished(r.file, r.spec.Seeds) {
		r.finished = old
	}
	return nil
}

// all runs the jobs, workerCount at a time, and stops them all at the first error.
func (r *run) all(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan *job, len(r.jobs))
	for _, j := range r.jobs {
		queue <- j
	}
	close(queue)
	var workers sync.WaitGroup
	for i := range min(workerCount(r.options.BackendName), max(1, len(r.jobs))) {
		workers.Go(func() {
			if err := r.work(ctx, i, queue); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// work does jobs of the queue, as worker number i, until there are none, or the first error.
func (r *run) work(ctx context.Context, i int, queue <-chan *job) error {
	b := r.options.Backend
	if i > 0 && r.options.Another != nil {
		own, err := r.options.Another()
		if err != nil {
			return err
		}
		defer own.Finalize()
		b = own
	}
	for j := range queue {
		if ctx.Err() != nil {
			return nil // do would take a step before it noticed
		}
		j.backend = b
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
	m.PeakMemoryMB = max(r.peak, peakMemoryMB())
	r.file.Status = result.Partial
	if isFinished(r.file, r.spec.Seeds) {
		r.file.Status = result.Complete
	}
	return r.file.Write(r.path())
}

// isFinished tells whether every method has a finished run of every seed.
func isFinished(f *result.File, seeds []int64) bool {
	for i := range f.Methods {
		for _, seed := range seeds {
			if run := f.Methods[i].Run(seed); run == nil || run.Status == result.Partial {
				return false
			}
		}
	}
	return true
}

// advance reports work done.
func (r *run) advance(units float64, doing string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.done += units
	if r.options.Progress != nil {
		r.options.Progress(r.done/r.total, doing)
	}
}

// writable makes sure, before any work, that the folder can take the result.
func writable(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return errors.Wrap(err, "cannot make the output folder; choose another with --out")
	}
	probe, err := os.CreateTemp(folder, ".writable-*")
	if err != nil {
		return errors.Wrapf(err, "cannot write to the output folder %s; choose another with --out", folder)
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// manifest describes this run; times and memory are filled in by save.
func (r *run) manifest() (result.Manifest, error) {
	m, err := newManifest(r.spec, r.started)
	m.Backend, m.Device, m.Parallel = r.options.BackendName, device(r.options.Backend), parallel(r.options.BackendName)
	m.DataSHA256, m.DataVerified = r.task.file()
	return m, err
}

// newManifest is what is known before the data and the backend are.
func newManifest(spec Spec, started time.Time) (result.Manifest, error) {
	content, err := json.Marshal(spec)
	return result.Manifest{
		Spec: content, SpecHash: spec.Hash(), Commit: commit(), Versions: versions(), Dataset: spec.Dataset,
		Started: started.UTC().Format(time.RFC3339),
	}, errors.Wrap(err, "encoding the spec")
}
