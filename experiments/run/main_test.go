package run

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/data/files"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/result/resulttest"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

func TestMain(m *testing.M) { os.Exit(resulttest.Main(m)) }

// tiny is adult-online's spec with little of everything: two epochs, three steps of 30 rows, two seeds.
func tiny(t *testing.T) spec.Spec {
	t.Helper()
	s := filetest.Must(spec.Load("adult-online"))(t)
	s.Name, s.Title = "tiny", "for tests"
	s.Protocol = protocol.Spec{Name: "online", InitialFraction: 0.1, InitialEpochs: 2, ChunkRows: 30, MaxChunks: 3}
	s.Seeds = []int64{0, 1}
	s.Model.Encoder.EmbeddingDim, s.Model.TrainSamples, s.Model.TestSamples, s.Model.BatchSize = 3, 2, 5, 64
	s.Methods = []spec.Method{
		{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2},
		{Name: "SlowAda", Rows: phe.Hashed, Estimate: phe.Point, UpdateEpochs: 1},
		{Name: "FastAda", Rows: phe.Hashed, Estimate: phe.Point, UpdateEpochs: 3},
	}
	filetest.Check(t, s.Validate())
	return s
}

// options runs on the pure-Go backend, whatever else is installed.
func options(t *testing.T, out string) Options {
	t.Helper()
	b := filetest.Must(backend.Open(backend.Go))(t)
	return Options{Backend: b, BackendName: backend.Go, Out: out, AllowAltered: true}
}

// meeting are options of a run that does something about an earlier result in its folder.
func meeting(t *testing.T, out string, existing Existing) Options {
	t.Helper()
	o := options(t, out)
	o.Existing = existing
	return o
}

// counted counts the calls of Progress.
func counted(o *Options) *int {
	calls := 0
	o.Progress = func(float64, string) { calls++ }
	return &calls
}

// idle demands that a run computes nothing. It may read its data.
func idle(t *testing.T, o Options, name string) Options {
	o.Progress = func(_ float64, doing string) {
		filetest.True(t, strings.HasPrefix(doing, "reading "), "%s: repeated work: %s", name, doing)
	}
	return o
}

func mustRun(t *testing.T, spec spec.Spec, o Options) *result.File {
	t.Helper()
	return filetest.Must(Execute(context.Background(), spec, o))(t)
}

// wantRunError checks that a run ends with an error that has all words.
func wantRunError(t *testing.T, spec spec.Spec, o Options, words ...string) {
	t.Helper()
	filetest.WantError(t, filetest.Failure(Execute(context.Background(), spec, o)), words...)
}

// finishedRun is a run of a spec named tiny.
type finishedRun struct {
	files [2]string    // that it leaves in its folder
	full  *result.File // with all digits; do not alter it
	calls int          // of Progress
}

var finishedRuns = map[string]finishedRun{} // by backend, data and spec

// finished leaves in a folder what a run of a spec leaves there, and returns the result. Equal specs run once for all tests.
func finished(t *testing.T, s spec.Spec, o Options) *result.File {
	t.Helper()
	done := onlyOnce(t, s, o)
	for i, name := range fileNames {
		filetest.Check(t, os.WriteFile(filepath.Join(o.Out, name), []byte(done.files[i]), 0o644))
	}
	return readResult(t, o.Out)
}

// resultOf returns the result of a spec, which runs once for all tests.
func resultOf(t *testing.T, s spec.Spec) *result.File {
	t.Helper()
	return finished(t, s, options(t, t.TempDir()))
}

// inFull returns the result of a spec with all digits, for tests that compute a series by hand.
func inFull(t *testing.T, s spec.Spec) *result.File {
	t.Helper()
	return onlyOnce(t, s, options(t, "")).full
}

// onlyOnce runs a spec, unless an earlier test has run it. Methods of the caller's own are told apart by their names.
func onlyOnce(t *testing.T, s spec.Spec, o Options) finishedRun {
	t.Helper()
	content := filetest.Must(json.Marshal(s))(t)
	key := o.BackendName + os.Getenv(files.PathVariable) + string(content)
	for _, own := range o.Own {
		key += own.Name
	}
	done, ok := finishedRuns[key]
	if !ok {
		o.Out, o.Existing = t.TempDir(), Keep
		o.Progress = func(float64, string) { done.calls++ }
		done.full = filetest.Must(executeInFull(context.Background(), s, o))(t)
		done.files = pair(t, o.Out)
		finishedRuns[key] = done
	}
	return done
}

// loaded returns the task and the plan of a spec.
func loaded(t *testing.T, s spec.Spec) (task.Task, *protocol.Plan) {
	t.Helper()
	made, p, err := task.Load(s, files.Options{AllowAltered: true})
	filetest.Check(t, err)
	return made, p
}

// readResult reads the result of tiny in a folder, which must be valid.
func readResult(t *testing.T, folder string) *result.File {
	t.Helper()
	return filetest.Must(result.Read(filepath.Join(folder, "tiny.json")))(t)
}

// timeless is the result as text, series and all, without what two runs of one spec may differ in: times, memory, the
// number of columns, and whether a checkout was changed meanwhile.
func timeless(t *testing.T, f *result.File) string {
	t.Helper()
	clone := *f
	m := &clone.Manifest
	m.Started, m.Seconds, m.PeakMemoryMB, m.Commit = "", 0, 0, ""
	m.Spec, m.Table = nil, nil // indented in a file
	clone.Methods = slices.Clone(f.Methods)
	for i := range clone.Methods {
		runs := slices.Clone(clone.Methods[i].Runs)
		clone.Methods[i].Runs = runs
		for k := range runs {
			runs[k].Seconds, runs[k].Memory = result.Seconds{}, slices.Clone(runs[k].Memory)
			for j := range runs[k].Memory {
				runs[k].Memory[j].Megabytes = 0
			}
		}
	}
	return fmt.Sprintf("%s %s %+v %+v\n%+v", clone.Name, clone.Status, clone.Manifest, clone.Stream, clone.Methods)
}

// wantSame checks that two runs of a spec have the same result.
func wantSame(t *testing.T, got, want *result.File, format string, name ...any) {
	t.Helper()
	filetest.Want(t, timeless(t, got), timeless(t, want), format+": the result", name...)
}

// labelsOf lists the methods of a result.
func labelsOf(f *result.File) (labels []string) {
	for i := range f.Methods {
		labels = append(labels, f.Methods[i].Label())
	}
	return labels
}

func methodOf(t *testing.T, f *result.File, name string, frozen bool) result.Method {
	t.Helper()
	for _, m := range f.Methods {
		if m.Name == name && m.Frozen == frozen {
			return m
		}
	}
	t.Fatalf("no method %s, frozen %v", name, frozen)
	return result.Method{}
}

// store writes a result made up by a test, with the summaries that a run would write.
func store(f *result.File, path string) error {
	measure.Summarise(f)
	return f.Write(path)
}
