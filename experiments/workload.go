package experiments

import (
	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	"gophe/data"
	"gophe/phe"
)

// Workload is a task whose training is timed. Other programs can train on it too: see [Workload.Export].
type Workload struct {
	name   string
	spec   Spec
	method Method
	config config
	task   task
	plan   *plan
}

// WorkloadOptions change the spec of a workload. Zero values change nothing.
type WorkloadOptions struct {
	Scheme phe.Scheme
	Batch  int // rows a step
	Rows   int // of the tables: B, and P where the spec has as many weights as buckets

	AllowAltered bool // accept a data file whose checksum is not the declared one
}

// workloads names the spec of each workload. Its first method is trained.
var workloads = map[string]string{"adult": "adult-phe-moments", "dkf": "retail-phe", "ncf": "movielens-generated-3m"}

// NewWorkload loads the workload called adult (a classifier of tables), dkf (a deep Kalman filter of sales) or ncf (a
// recommender, on generated ratings).
func NewWorkload(name string, o WorkloadOptions) (*Workload, error) {
	specName, ok := workloads[name]
	if !ok {
		return nil, errors.Errorf("there is no task %q; choose adult, dkf or ncf", name)
	}
	spec, err := LoadSpec(specName)
	if err != nil {
		return nil, err
	}
	if encoder := &spec.Model.Encoder; o.Rows > 0 {
		if encoder.NumWeights == encoder.NumBuckets {
			encoder.NumWeights = o.Rows
		}
		encoder.NumBuckets = o.Rows
	}
	override(&spec.Model.Scheme, o.Scheme)
	override(&spec.Model.BatchSize, o.Batch)
	if err := spec.Validate(); err != nil {
		return nil, errors.WithMessagef(err, "task %s", name)
	}
	w := &Workload{name: name, spec: spec, method: spec.Methods[0]}
	if w.task, w.plan, err = newTask(spec, data.Options{AllowAltered: o.AllowAltered}); err != nil {
		return nil, err
	}
	w.config = spec.config(w.method, w.task.numItems())
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
	w.plan.Steps = w.plan.Steps[:chunks]
	perEpoch := batches(len(w.plan.Initial), w.config.BatchSize)
	if steps < perEpoch {
		w.plan.Initial = w.plan.Initial[:steps*w.config.BatchSize]
		return 1, nil
	}
	return batches(steps, perEpoch), nil
}

// learner compiles nothing yet.
func (w *Workload) learner(b compute.Backend, seeds int) (deviceLearner, error) {
	l, err := newDevice(w.task, b, w.config, w.spec.WithSeeds(seeds).Seeds, max(1, w.plan.largestStep()), true)
	return l.along(w.method), err
}
