package result_test

import (
	"encoding/json"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/phe/disk/filetest"
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
		Stream: result.Stream{Initial: 7, Steps: 2, Changes: []result.Change{{Step: 1, What: "item b"}},
			Days: []string{"2001-02-03", "2001-02-04"}, Users: []int{3, 5},
			Tests: []result.Test{{Name: "group 1", Items: []string{"a", "b c"}, Train: 7, Rows: 3}}},
		Methods: []result.Method{{
			Name: "PHE", Frozen: true, Dataset: "adult", Protocol: "online", Convention: "authors", Scheme: "local", Parameters: 346,
			Runs: []result.Run{
				{Seed: 3, Status: result.Complete, Rows: []int{2, 3}, Accuracy: []float64{1, 1. / 3},
					LogLikelihood: []float64{-0.1, -1.429}, Summary: map[string]float64{"accuracy": 21.5}, InitialSteps: 5, UpdateSteps: 7,
					Seconds: result.Seconds{Initial: 1, Predict: 2, Update: 4, Compile: 8}},
				{Seed: 4, Status: result.Diverged, DivergedAt: 2, Rows: []int{}},
				{Seed: 6, Status: result.Complete, Rows: []int{2, 1}, LogLikelihood: []float64{-3, -4}, Calibration: []float64{0, 2.5},
					Scores:  map[string][]float64{"absolute_error": {2.5, 0.3333}},
					Tallies: map[string][]result.Tally{"user first": {{Rows: 2, Error: 0.25}, {}}},
					Memory:  []result.Memory{{Step: 1, Megabytes: 50}, {Step: 2, Megabytes: 51}},
					Tests:   []result.Score{{After: 0, Set: 0, AbsoluteError: 2.5, LogLikelihood: -3}}},
				{Seed: 5, Status: result.Complete, Rows: []int{}, Prediction: []float64{0.5, 1. / 7}, Tests: []result.Score{
					{After: result.Untrained, Set: 0, Accuracy: 2. / 3, LogLikelihood: -2},
					{After: 0, Set: 0, Accuracy: 1. / 3, LogLikelihood: -2e-7}}},
			},
		}},
	}
}

// What was written is read again. A table needs no series: they come when they are asked for, and a result without them is not written.
func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "synthetic.json")
	want := synthetic()
	filetest.Check(t, want.Write(path))
	got := filetest.Must(result.ReadSummary(path))(t)
	run := got.Methods[0].Runs[0]
	if run.Rows != nil || run.Accuracy != nil || run.Scored != 2 || run.Summary["accuracy"] != 21.5 {
		t.Errorf("%+v", run)
	}
	filetest.WantError(t, got.Write(path), "synthetic", "LoadSeries")
	for range 2 {
		filetest.Check(t, got.LoadSeries())
	}
	// The spec inside is laid out with the file; its content is what counts.
	var spec map[string]string
	if err := json.Unmarshal(got.Manifest.Spec, &spec); err != nil || spec["name"] != "synthetic" {
		t.Errorf("spec %s: %v", got.Manifest.Spec, err)
	}
	got.Manifest.Spec, want.Manifest.Spec = nil, nil
	parts := func(f *result.File) []any { return []any{f.Manifest, f.Stream, f.Series, f.Name, f.Status, f.Methods} }
	if !reflect.DeepEqual(parts(got), parts(want)) || got.Schema != 2 {
		t.Errorf("read\n%+v, wrote\n%+v", got, want)
	}
	if total := got.Methods[0].Runs[0].Seconds.Total(); total != 15 {
		t.Errorf("total %v s, want 1 + 2 + 4 + 8", total)
	}
}

// What was read can be written again without a change, however often: a series loses its last digits once.
func TestWriteAgain(t *testing.T) {
	folder := t.TempDir()
	first, second := filepath.Join(folder, "first.json"), filepath.Join(folder, "second.json")
	f := synthetic()
	f.Methods[0].Runs[0].LogLikelihood = []float64{-0.123456789, -1e-9}
	f.Methods[0].Runs[2].Scores["absolute_error"] = []float64{0.123456789, 1e300}
	filetest.Check(t, f.Write(first))
	read := filetest.Must(result.Read(first))(t)
	if got := read.Methods[0].Runs[0].LogLikelihood; !reflect.DeepEqual(got, []float64{-0.123, 0}) {
		t.Errorf("log-likelihoods %v", got)
	}
	// The second error is too large for a fixed point, and is kept as it is.
	if got := read.Methods[0].Runs[2].Scores["absolute_error"]; !reflect.DeepEqual(got, []float64{0.123456789, 1e300}) {
		t.Errorf("errors %v", got)
	}
	filetest.Check(t, read.Write(second))
	for _, extension := range []string{".json", ".series"} {
		a, errA := os.ReadFile(strings.TrimSuffix(first, ".json") + extension)
		b, errB := os.ReadFile(strings.TrimSuffix(second, ".json") + extension)
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Errorf("%s changes when it is written again", extension)
		}
	}
}

// Series that are missing, damaged or of another run are an error, never numbers.
func TestSeriesIntegrity(t *testing.T) {
	folder := t.TempDir()
	path, series := filepath.Join(folder, "synthetic.json"), filepath.Join(folder, "synthetic.series")
	filetest.Check(t, synthetic().Write(path))
	whole := filetest.Must(os.ReadFile(series))(t)
	for at := range whole {
		damaged := append([]byte{}, whole...)
		damaged[at] ^= 1 << (at % 8)
		filetest.Check(t, os.WriteFile(series, damaged, 0o644))
		_, err := result.Read(path)
		filetest.WantError(t, err, series, "damaged", "--force")
	}
	filetest.Check(t, os.WriteFile(series, whole[:len(whole)/2], 0o644))
	_, err := result.Read(path)
	filetest.WantError(t, err, series, "damaged")
	filetest.Check(t, os.Remove(series))
	_, err = result.Read(path)
	filetest.WantError(t, err, series, "no such file", "--force")
}

// A crash between the steps of a write leaves the old result or the new one.
func TestCrashWhileWriting(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "synthetic.json")
	older := synthetic()
	filetest.Check(t, older.Write(path))
	elsewhere := filepath.Join(t.TempDir(), "synthetic.json")
	newer := synthetic()
	newer.Methods[0].Runs[0].Accuracy[0] = 0.5
	filetest.Check(t, newer.Write(elsewhere))
	filetest.Check(t, os.Rename(strings.TrimSuffix(elsewhere, ".json")+".series", filepath.Join(folder, "synthetic.series.new")))
	if f, err := result.Read(path); err != nil || f.Methods[0].Runs[0].Accuracy[0] != 1 {
		t.Errorf("after the first step: %v", err)
	}
	filetest.Check(t, os.Rename(elsewhere, path))
	f, err := result.Read(path)
	if err != nil || f.Methods[0].Runs[0].Accuracy[0] != 0.5 {
		t.Fatalf("after the second step: %v", err)
	}
	filetest.Check(t, f.Write(path))
	filetest.WantFiles(t, folder, "synthetic.json", "synthetic.series")
	filetest.Check(t, result.Remove(path))
	filetest.WantFiles(t, folder)
	if err := result.Remove(path); err != nil {
		t.Errorf("a missing result: %v", err)
	}
}

// Lists that are alike are stored once: five seeds of a trivial rival take hardly more room than one.
func TestColumnsOnce(t *testing.T) {
	size := func(seeds int) (bytes int64, columns int) {
		f := synthetic()
		rng := rand.New(rand.NewPCG(1, 2))
		run := result.Run{Status: result.Complete}
		for range 1000 {
			run.Rows, run.LogLikelihood = append(run.Rows, 80), append(run.LogLikelihood, -rng.Float64())
		}
		f.Methods[0].Runs = nil
		for seed := range seeds {
			run.Seed = int64(seed)
			f.Methods[0].Put(run)
		}
		path := filepath.Join(t.TempDir(), "synthetic.json")
		filetest.Check(t, f.Write(path))
		info := filetest.Must(os.Stat(strings.TrimSuffix(path, ".json") + ".series"))(t)
		return info.Size(), f.Series.Columns
	}
	one, columns := size(1)
	five, same := size(5)
	if five > one+100 || columns != same || columns != 4 { // days, users, rows, log-likelihoods
		t.Errorf("%d bytes in %d columns for one seed, %d in %d for five", one, columns, five, same)
	}
}

// A value that is short stands on one line, a longer one on several, and texts keep their spaces.
func TestLayout(t *testing.T) {
	path := filepath.Join(t.TempDir(), "synthetic.json")
	filetest.Check(t, synthetic().Write(path))
	content := string(filetest.Must(os.ReadFile(path))(t))
	filetest.WantWords(t, content, "{\n \"schema\": 2,\n", "\n \"methods\": [\n", "\n   \"frozen\": true,\n",
		`"tests":[{"name":"group 1","items":["a","b c"],"train":7,"rows":3}]`,
		`"initial_steps":5,"update_steps":7,"seconds":{"initial":1,"predict":2,"update":4,"compile":8}},`+"\n",
		"\n    {\"seed\":4,\"status\":\"diverged\",\"diverged_at\":2,")
}

// A file that is no result, or of another format, is refused, with the way out.
func TestReadRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "synthetic.json")
	for content, want := range map[string][]string{
		`{"name": "x", "seeds": [0]}`: {"is not a result file", "phe run " + path}, `{"schema": 3}`: {"format 3", "update the program"},
		`{"schema": 1, "status": "finished"}`: {"format 1", "run the spec again"}, `{"status": "finished"}`: {"format 0"},
		"": {"not a result file", "move it away"}, "hello": {"not a result file"}, "[1]": {"not a result file"},
		`{"name": "x"`: {"not a result file"},
	} {
		filetest.Check(t, os.WriteFile(path, []byte(content), 0o644))
		_, err := result.Read(path)
		filetest.WantError(t, err, append(want, path)...)
	}
	_, err := result.Read(filepath.Join(t.TempDir(), "absent.json"))
	filetest.WantError(t, err, "absent.json", "phe run")
}

// A folder reads a file once. Its error for a missing file names the command that makes the file.
func TestFolder(t *testing.T) {
	path := t.TempDir()
	folder := result.OpenFolder(path)
	if f, err := folder.Find("synthetic"); f != nil || err != nil {
		t.Errorf("%v, %v of nothing", f, err)
	}
	_, err := folder.Get("synthetic")
	filetest.WantError(t, err, path+" holds no result of synthetic", "phe run synthetic --out "+path)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error("a result that is not there is not fs.ErrNotExist")
	}
	folder = result.OpenFolder(path)
	filetest.Check(t, synthetic().Write(filepath.Join(path, "synthetic.json")))
	first := filetest.Must(folder.Get("synthetic"))(t)
	if loaded, err := folder.Load("synthetic"); err != nil || loaded != first || first.Methods[0].Runs[0].Rows == nil {
		t.Errorf("read again, or without series: %v", err)
	}
	filetest.Check(t, os.WriteFile(filepath.Join(path, "damaged.json"), []byte("{"), 0o644))
	if _, err := folder.Find("damaged"); err == nil {
		t.Error("a damaged file is read")
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
	for metric, want := range map[string][]float64{"accuracy": {1. / 3, 10 + 1./3}, "log_likelihood": {1 + third, 11 + third},
		"absolute_error": {2 + third, 12 + third}, "whole_absolute_error": {3 + third, 13 + third}, "regret": nil} {
		if got := r.Series(metric); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", metric, got, want)
		}
	}
	if len(r.Accuracy) != 2 || len(r.LogLikelihood) != 2 || len(r.Scores) != 2 {
		t.Errorf("%+v", r)
	}
}

// Twenty cells, over which a count's interval is spread; one without length falls into the cell that it begins, or into the last.
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

// A number that JSON cannot hold must not cost the result that is there; a series holds any.
func TestWriteKeepsOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	f := synthetic()
	f.Methods[0].Runs[0].LogLikelihood[0] = math.Inf(-1)
	filetest.Check(t, f.Write(path))
	f.Methods[0].Runs[0].Summary["accuracy"] = math.NaN()
	filetest.WantError(t, f.Write(path), "synthetic")
	filetest.WantError(t, synthetic().Write(filepath.Join(path, "a.json")), "--out")
	if after, err := result.Read(path); err != nil || !math.IsInf(after.Methods[0].Runs[0].LogLikelihood[0], -1) {
		t.Errorf("the old file is gone: %v", err)
	}
	filetest.WantFiles(t, filepath.Dir(path), "a.json", "a.series")
	other := &result.File{Name: "other", Status: result.Complete}
	filetest.WantError(t, other.Write(path), "something other than the result of other")
}

// TestSparse: the files of a result are made larger than any, without a byte on the disk. That takes no memory.
func TestSparse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	for _, end := range []string{".series", ".json"} {
		f := &result.File{Name: "a", Status: "complete"}
		filetest.Check(t, f.Write(path))
		filetest.Check(t, os.Truncate(strings.TrimSuffix(path, ".json")+end, 1<<31))
		_, err := result.Read(path)
		filetest.WantError(t, err, "a"+end+" has more than 268435456 bytes, and at most as many are read")
	}
}

// Runs stand in the order of their seeds, in whatever order they end; a seed's new run takes the place of its old one.
func TestPut(t *testing.T) {
	for _, seeds := range [][]int64{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2, 1, 3}} {
		var m result.Method
		last := map[int64]int{}
		for i, seed := range seeds {
			m.Put(result.Run{Seed: seed, UpdateSteps: i})
			last[seed] = i
		}
		var got []int64
		for _, run := range m.Runs {
			got = append(got, run.Seed)
			if run.UpdateSteps != last[run.Seed] {
				t.Errorf("put in the order %v, seed %d has run number %d", seeds, run.Seed, run.UpdateSteps)
			}
		}
		if !slices.Equal(got, []int64{0, 1, 2, 3}) {
			t.Errorf("put in the order %v, they stand as %v", seeds, got)
		}
	}
}

// Tallies add up, each under its name and in its cell.
func TestTally(t *testing.T) {
	var r result.Run
	if r.Tally(nil); r.Tallies != nil {
		t.Errorf("of nothing %v", r.Tallies)
	}
	first := map[string][]result.Tally{"user first": {{Rows: 1, Error: 0.5}, {Rows: 2, Error: 0.25}}}
	r.Tally(first)
	r.Tally(map[string][]result.Tally{"user first": {{Rows: 4, Error: 1}, {}}, "film first": {{Rows: 8, Error: 2}}})
	want := map[string][]result.Tally{"user first": {{Rows: 5, Error: 1.5}, {Rows: 2, Error: 0.25}}, "film first": {{Rows: 8, Error: 2}}}
	if !reflect.DeepEqual(r.Tallies, want) {
		t.Errorf("%v, want %v", r.Tallies, want)
	}
	if first["user first"][0].Rows != 1 {
		t.Error("adding changed what was added")
	}
}
