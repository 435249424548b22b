package bench

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/report"
	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

// A timed workload computes the same scores as its study, to the last bit.
func TestTimeTrainsAsRunDoes(t *testing.T) {
	b := filetest.Must(backend.Open(backend.Go))(t)
	w := filetest.Must(New(Options{Task: "adult", Scheme: phe.Local, Backend: b, BackendName: "go", Seeds: 2, Steps: 4, Chunks: 3,
		AllowAltered: true}))(t)
	m := filetest.Must(w.Time(context.Background()))(t)
	spec := filetest.Must(spec.Load("adult-phe-local"))(t)
	spec = spec.WithSeeds(2)
	spec.Protocol.InitialEpochs, spec.Protocol.MaxChunks = 1, 3
	o := run.Options{Backend: b, BackendName: "go", Out: t.TempDir(), AllowAltered: true}
	f := filetest.Must(run.Execute(context.Background(), spec, o))(t)
	for _, c := range report.Summary(f)[:2] { // PHE's
		scale := 1.0
		if c.Metric == measure.Accuracy {
			scale = 100 // cells are in percent
		}
		filetest.Near(t, m.Scores[c.Metric]*scale, *c.Measured, 1e-5, "%s", c.Metric) // result files are rounded
		filetest.Near(t, m.Scores[c.Metric+"_sd"]*scale, *c.MeasuredSD, 1e-5, "deviation of %s", c.Metric)
	}
	filetest.Want(t, []int{m.Steps, m.Chunks, m.Seeds, m.Rows, m.Batch}, []int{4, 3, 2, 7, 128}, "steps, chunks, seeds, rows and batch")
	filetest.Want(t, m.Scheme, "local", "scheme")
	filetest.True(t, m.Seconds > 0 && m.StreamSeconds > 0 && m.CPUSeconds > 0 && m.PeakHostMB > 10, "times and memory are %+v", m)
}

// Steps are rounded up to whole epochs; fewer than an epoch take fewer rows.
func TestCut(t *testing.T) {
	const rows, perEpoch = 441, 4 // of the first rows of Adult, by 128 rows a step
	for _, c := range []struct{ steps, epochs, rows int }{{1, 1, 128}, {3, 1, 3 * 128}, {perEpoch, 1, rows}, {perEpoch + 1, 2, rows},
		{100 * perEpoch, 100, rows}} {
		w := filetest.Must(New(Options{Task: "adult", Steps: c.steps, Chunks: 5, AllowAltered: true}))(t)
		filetest.Want(t, filetest.Must(w.cut())(t), c.epochs, "epochs of %d steps", c.steps)
		filetest.Want(t, len(w.plan.Initial), c.rows, "rows of %d steps", c.steps)
		filetest.Want(t, len(w.plan.Steps), 5, "chunks of %d steps", c.steps)
	}
}

// A task takes another size of its tables, W's too where both have one size.
func TestWorkloadRows(t *testing.T) {
	for task, want := range map[string][2]int{"adult": {101, 11}, "dkf": {101, 101}} {
		w := filetest.Must(New(Options{Task: task, Rows: 101, Batch: 32, AllowAltered: true}))(t)
		filetest.Want(t, [2]int{w.config.Encoder.NumBuckets, w.config.Encoder.NumWeights}, want, "B and P of %s", task)
		filetest.Want(t, w.config.BatchSize, 32, "rows of a step of %s", task)
	}
}

// An export has the arrays that meta.json describes, and they are the numbers that the model reads.
func TestExport(t *testing.T) {
	w := filetest.Must(New(Options{Task: "adult", AllowAltered: true}))(t)
	folder := t.TempDir()
	filetest.Check(t, w.Export(folder))
	content := filetest.Must(os.ReadFile(filepath.Join(folder, "meta.json")))(t)
	var meta struct {
		Chunks, Columns, Numbers, Classes, Incremental int
		Arrays                                         map[string]struct {
			DType string
			Shape []int
		}
		Config struct{ Encoder phe.Config }
	}
	filetest.Check(t, json.Unmarshal(content, &meta))
	read := map[string][]int32{}
	for name, a := range meta.Arrays {
		size := 1
		for _, d := range a.Shape {
			size *= d
		}
		content, err := os.ReadFile(filepath.Join(folder, name+".bin"))
		if err != nil || len(content) != 4*size {
			t.Fatalf("%s of shape %v has %d bytes: %v", name, a.Shape, len(content), err)
		}
		for i := range size {
			read[name] = append(read[name], int32(binary.LittleEndian.Uint32(content[4*i:])))
		}
	}
	table := w.plan.Table
	filetest.Want(t, read["labels"], table.Labels, "labels")
	filetest.Want(t, read["initial"], w.plan.Initial, "initial rows")
	filetest.Want(t, read["chunk_rows"], slices.Concat(w.plan.Steps...), "rows of the chunks")
	filetest.Want(t, []int{len(read["chunk_ends"]), meta.Chunks}, []int{len(w.plan.Steps), len(w.plan.Steps)}, "chunks")
	filetest.Want(t, meta.Incremental, table.Incremental, "incremental column")
	// The items of a row, hashed anew, have the exported rows of the tables.
	encoder := filetest.Must(phe.NewEncoder(meta.Config.Encoder))(t)
	const row = 432
	for c := range meta.Columns {
		item := int(read["index"][row*meta.Columns+c])
		rows := filetest.Must(encoder.Items([]string{table.Token(c, row)}))(t)
		filetest.Want(t, read["buckets"][item*3:item*3+3], rows.Buckets, "buckets of item %d of column %d", item, c)
		filetest.Want(t, read["weights"][item], rows.Weights[0], "weight of item %d of column %d", item, c)
		filetest.Want(t, read["column"][item], int32(c), "column of item %d", item)
	}
	for c, column := range table.Numeric {
		got := math.Float32frombits(uint32(read["values"][row*meta.Numbers+c]))
		filetest.Want(t, got, float32(column.Values[row]), "value of %v", column)
	}
}
