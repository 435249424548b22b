package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gophe/experiments/fixture"
	"gophe/experiments/measure"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/phe"
	"gophe/phe/backend"
)

func TestMain(m *testing.M) { os.Exit(fixture.Main(m)) }

// tiny is adult-online's spec with little of everything: two epochs, three steps of 30 rows, two seeds.
func tiny(t *testing.T) spec.Spec {
	t.Helper()
	s, err := spec.Load("adult-online")
	if err != nil {
		t.Fatal(err)
	}
	s.Name, s.Title = "tiny", "for tests"
	s.Protocol = protocol.Spec{Name: "online", InitialFraction: 0.1, InitialEpochs: 2, ChunkRows: 30, MaxChunks: 3}
	s.Seeds = []int64{0, 1}
	s.Model.Encoder.EmbeddingDim, s.Model.TrainSamples, s.Model.TestSamples, s.Model.BatchSize = 3, 2, 5, 64
	s.Methods = []spec.Method{
		{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2},
		{Name: "SlowAda", Rows: phe.Hashed, Estimate: phe.Point, UpdateEpochs: 1},
		{Name: "FastAda", Rows: phe.Hashed, Estimate: phe.Point, UpdateEpochs: 3},
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s
}

// options runs on the pure-Go backend, whatever else is installed.
func options(t *testing.T, out string) Options {
	t.Helper()
	b, err := backend.Open(backend.Go)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Backend: b, BackendName: backend.Go, Out: out, AllowAltered: true}
}

func mustRun(t *testing.T, spec spec.Spec, o Options) *result.File {
	t.Helper()
	f, err := Execute(context.Background(), spec, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// mustExecute runs a spec and returns the result with all digits, for tests that compute a series by hand.
func mustExecute(t *testing.T, spec spec.Spec, o Options) *result.File {
	t.Helper()
	f, err := executeInFull(context.Background(), spec, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// committedResults are those that REPRODUCTION.md shows.
func committedResults() *result.Folder { return result.OpenFolder("../out") }

// readResult reads the result of tiny in a folder, which must be valid.
func readResult(t *testing.T, folder string) *result.File {
	t.Helper()
	f, err := result.Read(filepath.Join(folder, "tiny.json"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// timeless is the result as text, series and all, without what two runs of one spec may differ in: times, memory, the
// number of columns, and whether a checkout was changed meanwhile.
func timeless(t *testing.T, f *result.File) string {
	t.Helper()
	clone := *f
	clone.Manifest.Started, clone.Manifest.Seconds, clone.Manifest.PeakMemoryMB, clone.Manifest.Commit = "", 0, 0, ""
	clone.Manifest.Spec, clone.Manifest.Table = nil, nil // indented in a file
	clone.Methods = nil
	clone.Stream.Columns = nil
	for _, m := range f.Methods {
		runs := m.Runs
		m.Runs = nil
		for _, r := range runs {
			r.Seconds, r.Columns = result.Seconds{}, nil
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
