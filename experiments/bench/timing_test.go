package bench

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
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
	w := filetest.Must(New(Options{Task: "adult", Scheme: phe.Local, Backend: b, BackendName: "go", Seeds: 2, Steps: 4, Chunks: 3, AllowAltered: true}))(t)
	m := filetest.Must(w.Time(context.Background()))(t)
	spec := filetest.Must(spec.Load("adult-phe-local"))(t)
	spec = spec.WithSeeds(2)
	spec.Protocol.InitialEpochs, spec.Protocol.MaxChunks = 1, 3
	f := filetest.Must(run.Execute(context.Background(), spec, run.Options{Backend: b, BackendName: "go", Out: t.TempDir(), AllowAltered: true}))(t)
	for _, c := range report.Summary(f)[:2] { // PHE's
		scale := 1.0
		if c.Metric == measure.Accuracy {
			scale = 100 // cells are in percent
		}
		if mean, sd := m.Scores[c.Metric]*scale, m.Scores[c.Metric+"_sd"]*scale; math.Abs(mean-*c.Measured) > 1e-5 || math.Abs(sd-*c.MeasuredSD) > 1e-5 { // result files are rounded
			t.Errorf("%s is %.8f ± %.8f, and %.8f ± %.8f in a study", c.Metric, mean, sd, *c.Measured, *c.MeasuredSD)
		}
	}
	if m.Steps != 4 || m.Chunks != 3 || m.Seeds != 2 || m.Rows != 7 || m.Batch != 128 || m.Scheme != "local" {
		t.Errorf("the work is described as %+v", m)
	}
	if !(m.Seconds > 0 && m.StreamSeconds > 0 && m.CPUSeconds > 0 && m.PeakHostMB > 10) {
		t.Errorf("times and memory are %+v", m)
	}
}

// Steps are rounded up to whole epochs; fewer than an epoch take fewer rows.
func TestCut(t *testing.T) {
	const rows, perEpoch = 441, 4 // of the first rows of Adult, by 128 rows a step
	for _, c := range []struct{ steps, epochs, rows int }{{1, 1, 128}, {3, 1, 3 * 128}, {perEpoch, 1, rows}, {perEpoch + 1, 2, rows}, {100 * perEpoch, 100, rows}} {
		w := filetest.Must(New(Options{Task: "adult", Steps: c.steps, Chunks: 5, AllowAltered: true}))(t)
		epochs, err := w.cut()
		if err != nil || epochs != c.epochs || len(w.plan.Initial) != c.rows || len(w.plan.Steps) != 5 {
			t.Errorf("%d steps are %d epochs of %d rows, %v; want %d of %d", c.steps, epochs, len(w.plan.Initial), err, c.epochs, c.rows)
		}
	}
}

// A task takes another size of its tables, W's too where both have one size.
func TestWorkloadRows(t *testing.T) {
	for task, want := range map[string][2]int{"adult": {101, 11}, "dkf": {101, 101}} {
		w := filetest.Must(New(Options{Task: task, Rows: 101, Batch: 32, AllowAltered: true}))(t)
		if e := w.config.Encoder; e.NumBuckets != want[0] || e.NumWeights != want[1] || w.config.BatchSize != 32 {
			t.Errorf("%s: B = %d and P = %d, want %v", task, e.NumBuckets, e.NumWeights, want)
		}
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
	if !slices.Equal(read["labels"], table.Labels) || !slices.Equal(read["initial"], w.plan.Initial) || len(read["chunk_ends"]) != len(w.plan.Steps) ||
		!slices.Equal(read["chunk_rows"], slices.Concat(w.plan.Steps...)) || meta.Chunks != len(w.plan.Steps) || meta.Incremental != table.Incremental {
		t.Error("labels, rows or chunks differ from the plan's")
	}
	// The items of a row, hashed anew, have the exported rows of the tables.
	encoder := filetest.Must(phe.NewEncoder(meta.Config.Encoder))(t)
	const row = 432
	for c := range meta.Columns {
		item := int(read["index"][row*meta.Columns+c])
		rows := filetest.Must(encoder.Items([]string{table.Token(c, row)}))(t)
		if !slices.Equal(rows.Buckets, read["buckets"][item*3:item*3+3]) || rows.Weights[0] != read["weights"][item] || read["column"][item] != int32(c) {
			t.Errorf("column %d: item %d has other rows", c, item)
		}
	}
	for c, column := range table.Numeric {
		if got := math.Float32frombits(uint32(read["values"][row*meta.Numbers+c])); got != float32(column.Values[row]) {
			t.Errorf("%s is %g", fmt.Sprint(column), got)
		}
	}
}
