package task

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gophe/data/column"
	"gophe/data/files"
	"gophe/data/labelled"
	"gophe/data/uci"
	"gophe/experiments/spec"
	"gophe/phe/disk/filetest"
)

var update = flag.Bool("update", false, "write the inputs of testdata/paper, and the forecasts of its second implementation")

// paperFolder has two tables, each learned by two implementations of preset Paper. Its README describes the files.
const paperFolder = "testdata/paper"

// paperRows is the number of rows of each table.
const paperRows = 2000

// paperTables holds the tables of the folder, by the beginning of their files' names, and the specs whose sizes they have.
var paperTables = map[string]string{"adult": "adult-online-one-pass", "covertype": "covertype-online-one-pass"}

// paperInput is all that the second implementation reads: rows, sizes and initial means.
type paperInput struct {
	Columns []string             `json:"columns"`
	Numbers []string             `json:"numbers"`
	Maxima  []float64            `json:"maxima"`
	Classes int                  `json:"classes"`
	Sizes   map[string]int       `json:"sizes"`
	Means   map[string][]float64 `json:"means"`
	Items   [][]string           `json:"items"`
	Values  [][]float64          `json:"values"`
	Labels  []int32              `json:"labels"`
}

// readPaperInput takes rows from all over a data set, as the data set's file has them.
func readPaperInput(t *testing.T, name string) (in paperInput) {
	t.Helper()
	s := filetest.Must(spec.Load(name))(t)
	all := uci.Tables()
	d := all[slices.IndexFunc(all, func(d uci.Declaration) bool { return d.Name == s.Dataset })]
	in.Classes = len(d.Classes)
	read := filetest.Must(d.Load(files.Options{}))(t)
	for _, c := range read.Items {
		in.Columns = append(in.Columns, c.Name)
	}
	for _, c := range read.Numbers {
		in.Numbers = append(in.Numbers, c.Name)
		in.Maxima = append(in.Maxima, max(0, slices.Max(c.Values)))
	}
	for i := range paperRows {
		row := i * (d.CompleteRows / paperRows)
		var items []string
		for _, c := range read.Items {
			items = append(items, c.Values[row])
		}
		var values []float64
		for _, c := range read.Numbers {
			values = append(values, c.Values[row])
		}
		in.Items, in.Values, in.Labels = append(in.Items, items), append(in.Values, values), append(in.Labels, read.Labels[row])
	}
	l := in.learner(t, name)
	c, beliefs := l.Model.Config(), l.Model.Beliefs()
	in.Sizes = map[string]int{"buckets": c.Buckets, "hashes": c.Hashes, "weight_rows": c.WeightRows, "dim": c.Dim}
	in.Means = map[string][]float64{}
	for _, table := range []string{"E", "W", "theta"} {
		in.Means[table] = beliefs.Tables[table].Mean
	}
	return in
}

// learner returns the learner of a spec's first method, with seed 0. It learns the rows of the input as it learns a stream of the study.
func (in paperInput) learner(t *testing.T, name string) *onePass {
	t.Helper()
	table := &labelled.Table{Labels: in.Labels, Classes: make([]string, in.Classes)}
	for c, name := range in.Columns {
		own := column.Categorical{Name: name}
		for _, items := range in.Items {
			own.Values = append(own.Values, items[c])
		}
		table.Categorical = append(table.Categorical, own)
	}
	for i, name := range in.Numbers {
		own := column.Numeric{Name: name}
		for _, values := range in.Values {
			own.Values = append(own.Values, values[i]/in.Maxima[i])
		}
		table.Numeric = append(table.Numeric, own)
	}
	s := filetest.Must(spec.Load(name))(t)
	return filetest.Must(newOnePass(NewClassification(table), s.Config(s.Methods[0], 0), s.Methods[0].Start, Beginning{}))(t)
}

// pack compresses content, to the same bytes each time.
func pack(t *testing.T, content []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := filetest.Must(gzip.NewWriterLevel(&packed, gzip.BestCompression))(t)
	filetest.Must(w.Write(content))(t)
	filetest.Check(t, w.Close())
	return packed.Bytes()
}

func openPaperInput(t *testing.T, name string) (in paperInput) {
	t.Helper()
	filetest.Check(t, json.Unmarshal(filetest.Unzip(t, filepath.Join(paperFolder, name+".json.gz")), &in))
	return in
}

// The inputs of the second implementation are the data set's rows and the means that seed 0 draws.
func TestPaperInputs(t *testing.T) {
	for name, spec := range paperTables {
		in := readPaperInput(t, spec)
		if *update {
			filetest.Check(t, os.WriteFile(filepath.Join(paperFolder, name+".json.gz"), pack(t, filetest.Must(json.Marshal(in))(t)), 0o644))
		}
		if !reflect.DeepEqual(openPaperInput(t, name), in) {
			t.Errorf("%s.json.gz differs from the data set; run `go test ./experiments/task -run TestPaperInputs -update`", name)
		}
		limit := 1 / math.Sqrt(float64(len(in.Columns)*in.Sizes["dim"]+len(in.Numbers)))
		if most := slices.Max(in.Means["theta"]); len(in.Items) != paperRows || !(most < limit && most > 0.9*limit) {
			t.Errorf("%s has %d rows, and a mean of θ of %g; means are drawn up to %g", name, len(in.Items), most, limit)
		}
		for class := range int32(in.Classes) {
			if !slices.Contains(in.Labels, class) {
				t.Errorf("%s has no row of class %d", name, class)
			}
		}
	}
}

// python names a Python with numpy, by which TestPaperForecasts runs the second implementation again.
var python = os.Getenv("GOPHE_TEST_PYTHON")

// runPaper returns what the second implementation prints about an input.
func runPaper(t *testing.T, name string) []byte {
	t.Helper()
	c := exec.Command(python, "paper.py", name+".json.gz")
	c.Dir, c.Stderr = paperFolder, os.Stderr
	return filetest.Must(c.Output())(t)
}

// Two implementations of preset Paper forecast 2,000 rows alike. testdata/paper/paper.py is the other one, in numpy, written from
// docs/one-pass.md alone. With GOPHE_TEST_PYTHON the test runs it again.
func TestPaperForecasts(t *testing.T) {
	for name, spec := range paperTables {
		path := name + ".forecasts.gz"
		if *update {
			filetest.Check(t, os.WriteFile(filepath.Join(paperFolder, path), pack(t, runPaper(t, name)), 0o644))
		}
		forecasts := map[string][]byte{path: filetest.Unzip(t, filepath.Join(paperFolder, path))}
		if python != "" {
			forecasts["paper.py"] = runPaper(t, name)
		}
		for from, content := range forecasts {
			comparePaper(t, name+", "+from, spec, openPaperInput(t, name), content)
		}
	}
}

// comparePaper learns an input's rows, and compares the forecast of each row with the second implementation's.
func comparePaper(t *testing.T, what, spec string, in paperInput, forecasts []byte) {
	t.Helper()
	lines := strings.Split(string(bytes.TrimSpace(forecasts)), "\n")
	if len(lines) != len(in.Labels) {
		t.Fatalf("%s: %d forecasts of %d rows", what, len(lines), len(in.Labels))
	}
	l := in.learner(t, spec)
	for i, line := range lines {
		want := strings.Fields(line)
		got := l.Model.Predict(l.Read(int32(i))).Classes
		if len(want) != len(got) {
			t.Fatalf("%s, row %d: %d probabilities of %d classes", what, i, len(want), len(got))
		}
		for class, p := range got {
			if other := filetest.Must(strconv.ParseFloat(want[class], 64))(t); !(math.Abs(p-other) <= 1e-9) {
				t.Fatalf("%s, row %d: class %d has %.11f, and %.11f by the second implementation", what, i, class, p, other)
			}
		}
		filetest.Check(t, l.Learn([]int32{int32(i)}))
	}
}
