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
		o := meeting(t, out, Refresh)
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
			after := mustRun(t, spec, meeting(t, out, Refresh))
			wantSame(t, after, resultOf(t, spec), "refreshed")
			wantSame(t, readResult(t, out), after, "read from the file")
			filetest.WantEqual(t, after.Status, result.Complete, "status")
			filetest.WantFiles(t, out, fileNames[:]...)
			for i := range after.Methods {
				m := &after.Methods[i]
				old := before.Method(m.Name, m.Frozen)
				edited := slices.Contains(c.edited, m.Label())
				filetest.WantEqual(t, old != nil && old.Hash == m.Hash, !edited, "%s counts as unchanged", m.Label())
				if edited || m.Hash == "" || !slices.Contains(c.kept, m.Label()) && c.name != "a seed added" {
					continue
				}
				kept := result.Method{Runs: m.Runs[:len(old.Runs)]}
				filetest.Want(t, sameMethod(kept, result.Method{Runs: old.Runs}), "%s was computed again", m.Label())
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
		o := meeting(t, out, Refresh)
		calls, after := counted(&o), mustRun(t, spec, o)
		filetest.Want(t, *calls > 0, "other %s: nothing was done", name)
		for _, m := range after.Methods {
			for _, run := range m.Runs {
				filetest.Want(t, run.Seconds.Initial != -1, "other %s: %s, seed %d, was kept", name, m.Label(), run.Seed)
			}
		}
	}
}

// The two-item stream takes no time, but a finished result of it stays as it is too.
func TestRefreshTwoItems(t *testing.T) {
	spec, out := twoItemsSpec(t), t.TempDir()
	mustRun(t, spec, Options{Out: out})
	path := filepath.Join(out, "two-items.json")
	before := filetest.Must(os.Stat(path))(t)
	f := mustRun(t, spec, Options{Out: out, Existing: Refresh})
	filetest.WantEqual(t, f.Status, result.Complete, "status")
	filetest.WantEqual(t, len(f.Methods), 4, "number of methods")
	filetest.Want(t, os.SameFile(before, filetest.Must(os.Stat(path))(t)), "the finished result was written again")
	spec.Protocol.ChunkRows = 10
	f = mustRun(t, spec, Options{Out: out, Existing: Refresh})
	filetest.WantEqual(t, f.Stream.Steps, 50, "steps of the edited spec")
}
