package run

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gophe/data/files"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/phe"
	"gophe/phe/disk/filetest"
)

// refresh runs a spec as `phe reproduce` does, and tells whether there was anything to do.
func refresh(t *testing.T, spec spec.Spec, out string) (f *result.File, worked bool) {
	t.Helper()
	o := options(t, out)
	o.Existing = Refresh
	o.Progress = func(float64, string) { worked = true }
	return mustRun(t, spec, o), worked
}

// MovieLens is not in the checkout, results of it are: a finished one stays, any other needs the data.
func TestRefreshDataNotHere(t *testing.T) {
	spec := filetest.Must(spec.Load("movielens-50k"))(t)
	out, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv(files.PathVariable, elsewhere)
	t.Chdir(elsewhere) // out of the checkout, which may have it
	runs := make([]result.Run, len(spec.Seeds))
	for i, seed := range spec.Seeds {
		runs[i] = result.Run{Seed: seed, Status: result.Complete}
	}
	for name, c := range map[string]struct {
		change func(*result.File, *Options)
		stays  bool
	}{
		"finished":        {func(*result.File, *Options) {}, true},
		"stopped":         {func(f *result.File, _ *Options) { f.Status = result.Partial }, false},
		"a seed missing":  {func(f *result.File, _ *Options) { f.Methods[0].Runs = runs[1:] }, false},
		"another spec":    {func(f *result.File, _ *Options) { f.Manifest.SpecHash = "other" }, false},
		"another backend": {func(f *result.File, _ *Options) { f.Manifest.Backend = "xla:cpu" }, false},
		"no refresh":      {func(_ *result.File, o *Options) { o.Existing = Resume }, false},
	} {
		o := options(t, out)
		o.Existing = Refresh
		f := &result.File{Name: spec.Name, Status: result.Complete, Methods: []result.Method{{Name: "PHE", Runs: runs}},
			Manifest: result.Manifest{Spec: json.RawMessage("{}"), SpecHash: spec.Fingerprint(), Backend: o.BackendName}}
		c.change(f, &o)
		filetest.Check(t, store(f, filepath.Join(out, spec.Name+".json")))
		got, err := Execute(context.Background(), spec, o)
		if c.stays && (err != nil || len(got.Methods) != 1) {
			t.Errorf("%s: %v", name, err)
		} else if !c.stays {
			filetest.WantError(t, err, "movielens-50k", "found none of", files.PathVariable)
		}
	}
}

// An edited method is computed anew; the runs of other models are kept, times and all.
func TestRefreshMethods(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*spec.Spec)
		kept   []string // rows that must not change by a bit, times included
		edited []string
	}{
		{"a method edited", func(s *spec.Spec) { s.Methods[0].UpdateEpochs = 3 }, []string{"SlowAda", "FastAda", "Ada (frozen)"}, []string{"PHE"}},
		{"a method of a family edited", func(s *spec.Spec) { s.Methods[2].UpdateEpochs = 2 }, []string{"PHE", "PHE (frozen)"}, []string{"FastAda"}},
		{"a method added", func(s *spec.Spec) {
			s.Methods = append(s.Methods, spec.Method{Name: "EE", Rows: phe.Vocabulary, Estimate: phe.Point, UpdateEpochs: 1})
		}, []string{"PHE", "PHE (frozen)", "SlowAda", "FastAda", "Ada (frozen)"}, []string{"EE", "EE (frozen)"}},
		{"a method removed", func(s *spec.Spec) { s.Methods = s.Methods[1:] }, []string{"SlowAda", "FastAda", "Ada (frozen)"}, nil},
		{"methods in another order", func(s *spec.Spec) { slices.Reverse(s.Methods) }, []string{"PHE", "PHE (frozen)"}, nil},
		{"a seed added", func(s *spec.Spec) { s.Seeds = []int64{0, 1} }, nil, nil},
		{"the protocol", func(s *spec.Spec) { s.Protocol.MaxChunks = 2 }, nil, []string{"PHE", "PHE (frozen)", "SlowAda", "FastAda", "Ada (frozen)"}},
		{"the model", func(s *spec.Spec) { s.Model.LearningRate = 0.02 }, nil, []string{"PHE", "PHE (frozen)", "SlowAda", "FastAda", "Ada (frozen)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec, out := tiny(t), t.TempDir()
			spec.Seeds = spec.Seeds[:1]
			before := finished(t, spec, options(t, out))
			c.change(&spec)
			filetest.Check(t, spec.Validate())
			after, _ := refresh(t, spec, out)
			if want := finished(t, spec, options(t, t.TempDir())); timeless(t, after) != timeless(t, want) {
				t.Error("refreshed, the result differs from one computed at once")
			}
			if got := readResult(t, out); timeless(t, got) != timeless(t, after) || got.Status != result.Complete {
				t.Error("the file is not what Run returned")
			}
			filetest.WantFiles(t, out, fileNames[:]...)
			for i := range after.Methods {
				m := &after.Methods[i]
				old := before.Method(m.Name, m.Frozen)
				edited := slices.Contains(c.edited, m.Label())
				if same := old != nil && old.Hash == m.Hash; same == edited {
					t.Errorf("%s counts as unchanged: %v", m.Label(), same)
				}
				if edited || m.Hash == "" || !slices.Contains(c.kept, m.Label()) && c.name != "a seed added" {
					continue
				}
				if kept := m.Runs[:len(old.Runs)]; !sameMethod(result.Method{Runs: kept}, result.Method{Runs: old.Runs}) {
					t.Errorf("%s was computed again", m.Label())
				}
			}
		})
	}
}

// Other data, or another backend: nothing is kept.
func TestRefreshOtherData(t *testing.T) {
	spec, out := tiny(t), t.TempDir()
	spec.Seeds = spec.Seeds[:1]
	finished(t, spec, options(t, out))
	for name, change := range map[string]func(*result.File){
		"data":    func(f *result.File) { f.Manifest.DataSHA256 = "other" },
		"backend": func(f *result.File) { f.Manifest.Backend = "xla:cpu" },
	} {
		f := readResult(t, out)
		change(f)
		for i := range f.Methods {
			for k := range f.Methods[i].Runs {
				f.Methods[i].Runs[k].Seconds.Initial = -1 // to know them again
			}
		}
		filetest.Check(t, store(f, filepath.Join(out, "tiny.json")))
		after, worked := refresh(t, spec, out)
		if !worked {
			t.Errorf("other %s: nothing was done", name)
		}
		for _, m := range after.Methods {
			for _, run := range m.Runs {
				if run.Seconds.Initial == -1 {
					t.Errorf("other %s: %s, seed %d, was kept", name, m.Label(), run.Seed)
				}
			}
		}
	}
}

// A stopped refresh resumes. A refresh that finds a half-done run of another spec starts anew.
func TestRefreshInterrupted(t *testing.T) {
	spec := tiny(t)
	want := finished(t, spec, options(t, t.TempDir()))
	out := t.TempDir()
	stopAt(t, spec, options(t, out), steps/3)
	f, worked := refresh(t, spec, out)
	if !worked || timeless(t, f) != timeless(t, want) {
		t.Error("gone on from a stopped run, the result differs")
	}
	filetest.WantFiles(t, out, fileNames[:]...)

	other := spec
	other.Model.KLWeight = 2
	out = t.TempDir()
	stopAt(t, other, options(t, out), steps/3)
	if f, _ = refresh(t, spec, out); timeless(t, f) != timeless(t, want) {
		t.Error("something of another spec's half-done run was kept")
	}
	filetest.WantFiles(t, out, fileNames[:]...)
}

// The two-item stream takes no time, but a finished result of it stays as it is too.
func TestRefreshTwoItems(t *testing.T) {
	spec, out := twoItemsSpec(t), t.TempDir()
	mustRun(t, spec, Options{Out: out})
	path := filepath.Join(out, "two-items.json")
	before := filetest.Must(os.Stat(path))(t)
	if f := mustRun(t, spec, Options{Out: out, Existing: Refresh}); f.Status != result.Complete || len(f.Methods) != 4 {
		t.Errorf("%s, %d methods", f.Status, len(f.Methods))
	}
	if !os.SameFile(before, filetest.Must(os.Stat(path))(t)) {
		t.Error("the finished result was written again")
	}
	spec.Protocol.ChunkRows = 10
	if f := mustRun(t, spec, Options{Out: out, Existing: Refresh}); f.Stream.Steps != 50 {
		t.Errorf("%d steps of the edited spec, want 50", f.Stream.Steps)
	}
}
