package bench

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/experiments/result"
	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/disk/outfile"
)

// Workload is a task whose training is timed. Other programs can train on it too: see [Workload.Export].
type Workload struct {
	Options
	spec   spec.Spec
	method spec.Method
	config spec.Config
	task   task.Task
	plan   *protocol.Plan
}

// Options choose a workload and its timed part. Scheme, Batch and Rows change the spec of the workload unless they are zero.
type Options struct {
	Task   string // adult (a classifier of tables), dkf (a deep Kalman filter of sales) or ncf (a recommender, on generated ratings)
	Scheme phe.Scheme
	Batch  int // rows a step
	Rows   int // of the tables: B, and P where the spec has as many weights as buckets

	Backend     compute.Backend
	BackendName string
	Seeds       int // 0 … Seeds−1, side by side in one program
	Steps       int // of the initial phase, rounded up to whole epochs
	Repeat      int // times that these steps are taken; 0 is once
	Chunks      int // of the stream

	AllowAltered bool // accept a data file whose checksum is not the declared one
}

// workloads names the spec of each workload. Its first method is trained.
var workloads = map[string]string{"adult": "adult-phe-moments", "dkf": "retail-phe", "ncf": "movielens-generated-3m"}

// New loads a workload.
func New(o Options) (*Workload, error) {
	specName, ok := workloads[o.Task]
	if !ok {
		return nil, errors.Errorf("there is no task %q; choose adult, dkf or ncf", o.Task)
	}
	s, err := spec.Load(specName)
	if err != nil {
		return nil, err
	}
	if encoder := &s.Model.Encoder; o.Rows != 0 {
		if encoder.NumWeights == encoder.NumBuckets {
			encoder.NumWeights = o.Rows
		}
		encoder.NumBuckets = o.Rows
	}
	s.Model.Scheme, s.Model.BatchSize = cmp.Or(o.Scheme, s.Model.Scheme), cmp.Or(o.Batch, s.Model.BatchSize)
	if err := s.Validate(); err != nil {
		return nil, errors.WithMessagef(err, "task %s", o.Task)
	}
	w := &Workload{Options: o, spec: s, method: s.Methods[0]}
	if w.task, w.plan, err = task.Load(s, files.Options{AllowAltered: o.AllowAltered}); err != nil {
		return nil, err
	}
	w.config = s.Config(w.method, w.task.About().NumItems)
	return w, nil
}

// cut shortens the initial phase to the steps, and the stream to the chunks. An initial phase of one epoch or more has whole
// epochs: their number is returned. A shorter one has fewer rows.
func (w *Workload) cut() (epochs int, err error) {
	steps, chunks := w.Steps, w.Chunks
	if steps < 1 || steps > 1e9 || chunks < 0 {
		return 0, errors.Errorf("%d steps and %d chunks; take 1 to 1,000,000,000 steps and no fewer than 0 chunks", steps, chunks)
	}
	if chunks > len(w.plan.Steps) {
		return 0, errors.Errorf("%d chunks; the stream of task %s has %d", chunks, w.Task, len(w.plan.Steps))
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

// Export writes the workload into a folder, for programs in other languages: an array a file, and meta.json with their
// shapes and the model's configuration. Items are exported as rows of the tables, so that other programs need not hash.
func (w *Workload) Export(folder string) error {
	e := w.task.Export()
	encoder, err := phe.NewEncoder(w.config.Encoder)
	if err != nil {
		return err
	}
	rows, err := encoder.Items(e.Items)
	if err != nil {
		return err
	}
	var chunkEnds []int32
	end := 0
	for _, step := range w.plan.Steps {
		end += len(step)
		chunkEnds = append(chunkEnds, int32(end))
	}
	e.Arrays["buckets"] = task.Array{Values: rows.Buckets, Shape: []int{len(e.Items), w.config.Encoder.RowsPerItem()}}
	lists := map[string]any{"weights": rows.Weights, "initial": w.plan.Initial,
		"chunk_rows": slices.Concat(w.plan.Steps...), "chunk_ends": chunkEnds}
	for name, values := range lists {
		e.Arrays[name] = task.Array{Values: values, Shape: []int{reflect.ValueOf(values).Len()}}
	}
	shapes := map[string]any{}
	for name, a := range e.Arrays {
		var content bytes.Buffer
		if err := binary.Write(&content, binary.LittleEndian, a.Values); err != nil {
			return errors.Wrapf(err, "encoding array %s", name)
		}
		if err := result.WriteWhole(filepath.Join(folder, name+".bin"), outfile.Numbers, content.Bytes()); err != nil {
			return err
		}
		number := reflect.TypeOf(a.Values).Elem().String() // int32, uint32 or float32, as numpy says
		shapes[name] = map[string]any{"dtype": number, "shape": a.Shape}
	}
	meta := e.Meta
	meta["task"], meta["dataset"], meta["arrays"] = w.Task, w.spec.Dataset, shapes
	meta["filter"], meta["recommender"] = w.spec.Filter, w.spec.Recommender
	meta["config"], meta["update_epochs"], meta["chunks"] = w.config.Config, w.method.UpdateEpochs, len(chunkEnds)
	content, err := json.MarshalIndent(meta, "", "  ")
	if err != nil {
		return errors.Wrap(err, "encoding meta.json")
	}
	own := outfile.Kind{Name: "an exported task", Begins: `\{\s*"arrays":`}
	return result.WriteWhole(filepath.Join(folder, "meta.json"), own, append(content, '\n'))
}
