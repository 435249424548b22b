package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gophe/data/files"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

func TestMain(m *testing.M) { os.Exit(fixture.Main(m)) }

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

func mustRun(t *testing.T, spec spec.Spec, o Options) *result.File {
	t.Helper()
	return filetest.Must(Execute(context.Background(), spec, o))(t)
}

// finishedRun is what a run of tiny leaves in its folder.
type finishedRun struct {
	files [2]string
	calls int // of Progress
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
		mustRun(t, s, o)
		done.files = pair(t, o.Out)
		finishedRuns[key] = done
	}
	return done
}

// mustExecute runs a spec and returns the result with all digits, for tests that compute a series by hand.
func mustExecute(t *testing.T, spec spec.Spec, o Options) *result.File {
	t.Helper()
	return filetest.Must(executeInFull(context.Background(), spec, o))(t)
}

// committedResults are those that REPRODUCTION.md shows.
func committedResults() *result.Folder { return result.OpenFolder("../out") }

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
	clone.Manifest.Started, clone.Manifest.Seconds, clone.Manifest.PeakMemoryMB, clone.Manifest.Commit = "", 0, 0, ""
	clone.Manifest.Spec, clone.Manifest.Table = nil, nil // indented in a file
	clone.Methods = nil
	for _, m := range f.Methods {
		runs := m.Runs
		m.Runs = nil
		for _, r := range runs {
			r.Seconds = result.Seconds{}
			r.Memory = slices.Clone(r.Memory)
			for i := range r.Memory {
				r.Memory[i].Megabytes = 0
			}
			m.Runs = append(m.Runs, r)
		}
		clone.Methods = append(clone.Methods, m)
	}
	return fmt.Sprintf("%s %s %+v %+v\n%+v", clone.Name, clone.Status, clone.Manifest, clone.Stream, clone.Methods)
}

// wantNoNull checks that no list is null in the file of a result.
func wantNoNull(t *testing.T, folder string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, "tiny.json"))
	if err != nil || bytes.Contains(content, []byte("null")) {
		t.Errorf("a list is null in the file, or %v", err)
	}
}

// wantSameAgain checks that another run of a spec's last seed alone has the same result.
func wantSameAgain(t *testing.T, s spec.Spec, want *result.File) {
	t.Helper()
	last := *want
	last.Methods = slices.Clone(want.Methods)
	for i, m := range last.Methods {
		last.Methods[i].Runs = m.Runs[len(m.Runs)-1:]
	}
	s.Seeds = s.Seeds[len(s.Seeds)-1:]
	if again := finished(t, s, options(t, t.TempDir())); timeless(t, again) != timeless(t, &last) {
		t.Error("the second run differs")
	}
}

// wantSameFirstDay checks that a method and its frozen model score alike on the first day, when nothing has been learned.
func wantSameFirstDay(t *testing.T, f *result.File, name string, metrics []string) {
	t.Helper()
	for k, run := range methodOf(t, f, name, false).Runs {
		frozen := methodOf(t, f, name, true).Runs[k]
		for _, metric := range metrics {
			if run.Series(metric)[0] != frozen.Series(metric)[0] {
				t.Errorf("%s of %s, seed %d, is %v on the first day, frozen %v", metric, name, k, run.Series(metric)[0], frozen.Series(metric)[0])
			}
		}
	}
}

// wantLearned checks that a method has another series than its frozen model after the first day.
func wantLearned(t *testing.T, f *result.File, name string, metrics ...string) {
	t.Helper()
	for k, run := range methodOf(t, f, name, false).Runs {
		frozen := methodOf(t, f, name, true).Runs[k]
		for _, metric := range metrics {
			if slices.Equal(run.Series(metric)[1:], frozen.Series(metric)[1:]) {
				t.Errorf("%s of %s, seed %d: nothing was learned", metric, name, k)
			}
		}
	}
}

// wantOwnModels checks that each method starts from a frozen model of its own.
func wantOwnModels(t *testing.T, f *result.File, methods []spec.Method) {
	t.Helper()
	first := map[float64]string{}
	for _, m := range methods {
		l := methodOf(t, f, m.Name, false).Runs[0].LogLikelihood[0]
		if l != methodOf(t, f, m.Name, true).Runs[0].LogLikelihood[0] {
			t.Errorf("%s does not start from its frozen model", m.Name)
		}
		if other, same := first[l]; same {
			t.Errorf("%s starts as %s does", m.Name, other)
		}
		first[l] = m.Name
	}
}

// wantOtherSeeds checks that two seeds of a method score otherwise.
func wantOtherSeeds(t *testing.T, m result.Method) {
	t.Helper()
	if a, b := m.Runs[0], m.Runs[1]; a.LogLikelihood[0] == b.LogLikelihood[0] {
		t.Error("seeds 0 and 1 score alike")
	}
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
