package task

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

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
		got := l.Model.Predict(l.read(int32(i))).Classes
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
