package result_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gophe/experiments/result"
)

// synthetic is no measurement: every number is made up.
func synthetic() *result.File {
	return &result.File{
		Name: "synthetic", Status: result.Partial,
		Manifest: result.Manifest{
			Spec: json.RawMessage(`{"name": "synthetic"}`), SpecHash: "aa", Commit: "bb", Versions: map[string]string{"go": "go0"},
			Backend: "go", Device: "none", Dataset: "adult", DataSHA256: "cc", DataVerified: true,
			Started: "2001-02-03T04:05:06Z", Seconds: 1.5, PeakMemoryMB: 2.5, Parallel: "no",
		},
		Stream: result.Stream{Initial: 7, Steps: 2, Changes: []result.Change{{Step: 1, What: "item b"}}, Days: []string{"2001-02-03", "2001-02-04"}, Users: []int{3, 5}, Tests: []result.Test{{Name: "group 1", Items: []string{"a", "b c"}, Train: 7, Rows: 3}}},
		Methods: []result.Method{{
			Name: "PHE", Frozen: true, Dataset: "adult", Protocol: "online", Convention: "authors", Scheme: "local", Parameters: 346,
			Runs: []result.Run{
				{Seed: 3, Status: result.Complete, Rows: []int{2, 1}, Accuracy: []float64{0.1, 1. / 3}, LogLikelihood: []float64{-0.1, -1. / 7},
					InitialSteps: 5, UpdateSteps: 7, Seconds: result.Seconds{Initial: 1, Predict: 2, Update: 4, Compile: 8}},
				{Seed: 4, Status: result.Diverged, DivergedAt: 2},
				{Seed: 6, Status: result.Complete, Rows: []int{2, 1}, LogLikelihood: []float64{-3, -4}, Calibration: []float64{0, 2.5}, Scores: map[string][]float64{"absolute_error": {2.5, 1. / 3}},
					Tallies: map[string][]result.Tally{"user first": {{Rows: 2, Error: 0.25}, {}}}, Memory: []result.Memory{{Step: 1, Megabytes: 50}, {Step: 2, Megabytes: 51}},
					Tests: []result.Score{{After: 0, Set: 0, AbsoluteError: 2.5, LogLikelihood: -3}}},
				{Seed: 5, Status: result.Complete, Prediction: []float64{0.5, -1e-7}, Tests: []result.Score{
					{After: result.Untrained, Set: 0, Accuracy: 0.25, LogLikelihood: -2}, {After: 0, Set: 0, Accuracy: 1. / 3, LogLikelihood: -1.5e-7}}},
			},
		}},
	}
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "synthetic.json")
	want := synthetic()
	if err := want.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	// The spec inside is indented with the file; its content is what counts.
	var spec map[string]string
	if err := json.Unmarshal(got.Manifest.Spec, &spec); err != nil || spec["name"] != "synthetic" {
		t.Errorf("spec %s: %v", got.Manifest.Spec, err)
	}
	got.Manifest.Spec, want.Manifest.Spec = nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read\n%+v, wrote\n%+v", got, want)
	}
	if total := got.Methods[0].Runs[0].Seconds.Total(); total != 15 {
		t.Errorf("total %v s, want 1 + 2 + 4 + 8", total)
	}
}

// A list of numbers, a score, a tally and a measurement of memory take a line each; what has a text keeps its spaces.
func TestLayout(t *testing.T) {
	path := filepath.Join(t.TempDir(), "synthetic.json")
	if err := synthetic().Write(path); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\"rows\": [2,1],\n", "\"prediction\": [0.5,-1e-7],\n", " {\"after\":-1,\"set\":0,\"accuracy\":0.25,\"log_likelihood\":-2},\n", "\"b c\"\n",
		"\"absolute_error\": [2.5,0.3333333333333333]\n", "\"calibration\": [0,2.5],\n", "\"users\": [3,5],\n", "\"what\": \"item b\"\n",
		" {\"rows\":2,\"error\":0.25},\n", " {\"rows\":0,\"error\":0}\n", " {\"step\":1,\"megabytes\":50},\n", " {\"step\":2,\"megabytes\":51}\n",
		"{\"after\":0,\"set\":0,\"absolute_error\":2.5,\"log_likelihood\":-3}\n"} {
		if !strings.Contains(string(content), want) {
			t.Errorf("no %q in\n%s", want, content)
		}
	}
}

// A metric is found again by the name under which it was added, whether the file keeps it by itself or among the scores.
func TestSeries(t *testing.T) {
	var r result.Run
	for step := range 2 {
		for i, metric := range []string{"accuracy", "log_likelihood", "absolute_error", "whole_absolute_error"} {
			r.Append(metric, float64(10*step+i)+1./3)
		}
	}
	const third = 0.3333333 // digits beyond float32's are left out
	for metric, want := range map[string][]float64{"accuracy": {1. / 3, 10 + 1./3}, "log_likelihood": {1 + third, 11 + third}, "absolute_error": {2 + third, 12 + third},
		"whole_absolute_error": {3 + third, 13 + third}, "regret": nil} {
		if got := r.Series(metric); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", metric, got, want)
		}
	}
	if len(r.Accuracy) != 2 || len(r.LogLikelihood) != 2 || len(r.Scores) != 2 {
		t.Errorf("%+v", r)
	}
}

// Twenty cells, over which a count's interval is spread; one without length falls into the cell that it begins, or into the
// last.
func TestCalibrate(t *testing.T) {
	var r result.Run
	if r.Calibrate(nil); r.Calibration != nil {
		t.Errorf("of nothing %v", r.Calibration)
	}
	r.Calibrate([][2]float64{{0, 1}, {0, 0.05}, {0.01, 0.02}, {0.5, 0.5}})
	r.Calibrate([][2]float64{{0.975, 1}, {1, 1}, {0.925, 0.975}, {0.04, 0.12}})
	want := make([]float64, 20)
	for i := range want {
		want[i] = 1. / 20
	}
	for cell, n := range map[int]float64{0: 1 + 1 + 1./8, 1: 5. / 8, 2: 2. / 8, 10: 1, 18: 0.5, 19: 1 + 1 + 0.5} {
		want[cell] += n
	}
	for i, n := range want {
		if math.Abs(r.Calibration[i]-n) > 1e-9 {
			t.Fatalf("%v, want %v", r.Calibration, want)
		}
	}
	if len(r.Calibration) != 20 {
		t.Errorf("%d cells", len(r.Calibration))
	}
}

func TestReadErrors(t *testing.T) {
	folder := t.TempDir()
	_, err := result.Read(filepath.Join(folder, "absent.json"))
	wantError(t, err, "absent.json", "phe run")
	for name, content := range map[string]string{"empty": "", "text": "hello", "list": "[1]", "half": `{"name": "x"`} {
		path := filepath.Join(folder, name+".json")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := result.Read(path)
		wantError(t, err, path, "not a result file", "delete it")
	}
}

func TestWriteWholeReplaces(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.json")
	for _, content := range []string{"long, and the first", "short"} {
		if err := result.WriteWhole(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%q, %v; want %q", got, err, content)
		}
	}
	wantFiles(t, folder, "a.json")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v; others should be able to read a result", info.Mode(), err)
	}
}

// Failures are brought about in ways that stop root too.
func TestWriteWholeFails(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	taken := filepath.Join(folder, "taken.json")
	if err := os.MkdirAll(filepath.Join(taken, "inside"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"the folder is a file":        filepath.Join(file, "a.json"),
		"the folder does not exist":   filepath.Join(folder, "absent", "a.json"),
		"the path is itself a folder": taken,
	} {
		t.Run(name, func(t *testing.T) {
			wantError(t, result.WriteWhole(path, []byte("x")), "--out")
			wantFiles(t, folder, "file", "taken.json")
		})
	}
	if content, err := os.ReadFile(file); err != nil || string(content) != "kept" {
		t.Errorf("a failed write changed another file: %q, %v", content, err)
	}
}

func TestUnwritableFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root writes everywhere")
	}
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	wantError(t, result.WriteWhole(filepath.Join(folder, "a.json"), nil), "--out")
}

// A number that JSON cannot hold must not cost the file that is there.
func TestWriteKeepsOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	f := synthetic()
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	f.Methods[0].Runs[0].Accuracy[0] = math.NaN()
	wantError(t, f.Write(path), "synthetic")
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the old file is gone: %v", err)
	}
	wantFiles(t, filepath.Dir(path), "a.json")
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error lacks %q: %v", part, err)
		}
	}
}

func wantFiles(t *testing.T, folder string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !reflect.DeepEqual(got, names) {
		t.Errorf("files %q, want %q", got, names)
	}
}
