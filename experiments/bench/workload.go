package bench

import (
	"cmp"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
	"gophe/phe"
)

// Workload is a task whose training is timed. Other programs can train on it too: see [Workload.Export].
type Workload struct {
	name   string
	spec   spec.Spec
	method spec.Method
	config spec.Config
	task   task.Task
	plan   *protocol.Plan
}

// Shape change the spec of a workload. Zero values change nothing.
type Shape struct {
	Scheme phe.Scheme
	Batch  int // rows a step
	Rows   int // of the tables: B, and P where the spec has as many weights as buckets

	AllowAltered bool // accept a data file whose checksum is not the declared one
}

// workloads names the spec of each workload. Its first method is trained.
var workloads = map[string]string{"adult": "adult-phe-moments", "dkf": "retail-phe", "ncf": "movielens-generated-3m"}

// New loads the workload called adult (a classifier of tables), dkf (a deep Kalman filter of sales) or ncf (a
// recommender, on generated ratings).
func New(name string, o Shape) (*Workload, error) {
	specName, ok := workloads[name]
	if !ok {
		return nil, errors.Errorf("there is no task %q; choose adult, dkf or ncf", name)
	}
	s, err := spec.Load(specName)
	if err != nil {
		return nil, err
	}
	if encoder := &s.Model.Encoder; o.Rows > 0 {
		if encoder.NumWeights == encoder.NumBuckets {
			encoder.NumWeights = o.Rows
		}
		encoder.NumBuckets = o.Rows
	}
	s.Model.Scheme, s.Model.BatchSize = cmp.Or(o.Scheme, s.Model.Scheme), cmp.Or(o.Batch, s.Model.BatchSize)
	if err := s.Validate(); err != nil {
		return nil, errors.WithMessagef(err, "task %s", name)
	}
	w := &Workload{name: name, spec: s, method: s.Methods[0]}
	if w.task, w.plan, err = task.Load(s, files.Options{AllowAltered: o.AllowAltered}); err != nil {
		return nil, err
	}
	w.config = s.Config(w.method, w.task.About().NumItems)
	return w, nil
}

// cut shortens the initial phase to steps, and the stream to chunks. An initial phase of one epoch or more has whole
// epochs: their number is returned. A shorter one has fewer rows.
func (w *Workload) cut(steps, chunks int) (epochs int, err error) {
	if steps < 1 || chunks < 0 {
		return 0, errors.Errorf("%d steps and %d chunks; take at least 1 step and no fewer than 0 chunks", steps, chunks)
	}
	if chunks > len(w.plan.Steps) {
		return 0, errors.Errorf("%d chunks; the stream of task %s has %d", chunks, w.name, len(w.plan.Steps))
	}
	plan, stream := *w.plan, *w.plan.Stream
	w.plan, plan.Stream = &plan, &stream
	w.plan.Steps = w.plan.Steps[:chunks]
	perEpoch := run.Batches(len(w.plan.Initial), w.config.BatchSize)
	if steps < perEpoch {
		w.plan.Initial = w.plan.Initial[:steps*w.config.BatchSize]
		return 1, nil
	}
	return run.Batches(steps, perEpoch), nil
}

// learner compiles nothing yet.
func (w *Workload) learner(b compute.Backend, seeds int) (run.Device, error) {
	l, err := run.NewDevice(w.task, b, w.config, w.spec.WithSeeds(seeds).Seeds, max(1, w.plan.LargestStep()), true)
	return l.WithMethod(w.method), err
}
