package run

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gophe/data/files"
	"gophe/experiments/result"
	"gophe/experiments/result/resulttest"
	"gophe/experiments/spec"
	"gophe/phe"
	"gophe/phe/disk/filetest"
)

// fileNames are the files of tiny's result.
var fileNames = [2]string{"tiny.json", "tiny.series"}

// pair reads both files of tiny's result.
func pair(t *testing.T, folder string) [2]string {
	t.Helper()
	var contents [2]string
	for i, name := range fileNames {
		content := filetest.Must(os.ReadFile(filepath.Join(folder, name)))(t)
		contents[i] = string(content)
	}
	return contents
}

// A finished result stays as it is, to the bit, and nothing is computed, whether it is shown, resumed or refreshed.
func TestFinishedStays(t *testing.T) {
	for kind, s := range map[string]spec.Spec{"counts": tinyCounts(), "two items": twoItemsSpec(t)} {
		s.Name = "tiny"
		o := options(t, t.TempDir())
		want := finished(t, s, o)
		for _, existing := range []Existing{Keep, Resume, Refresh} {
			wantSame(t, mustRun(t, s, idle(t, meeting(t, o.Out, existing), kind)), want, "%s, existing %d", kind, existing)
		}
	}
	s, out := tiny(t), t.TempDir()
	want := finished(t, s, options(t, out))
	before, info := pair(t, out), filetest.Must(os.Stat(filepath.Join(out, "tiny.json")))(t)
	for name, change := range map[string]func(*spec.Spec){
		"nothing changed":     func(*spec.Spec) {},
		"another title":       func(s *spec.Spec) { s.Title = "another" },
		"fewer seeds":         func(s *spec.Spec) { s.Seeds = s.Seeds[1:] },
		"seeds the other way": func(s *spec.Spec) { s.Seeds = []int64{1, 0} },
	} {
		for _, existing := range []Existing{Keep, Resume, Refresh} {
			again := s
			change(&again)
			wantSame(t, mustRun(t, again, idle(t, meeting(t, out, existing), name)), want, "%s, existing %d", name, existing)
			now := filetest.Must(os.Stat(filepath.Join(out, "tiny.json")))(t)
			untouched := pair(t, out) == before && os.SameFile(info, now) && info.ModTime() == now.ModTime()
			filetest.True(t, untouched, "%s, existing %d: the finished result was touched", name, existing)
			filetest.WantFiles(t, out, fileNames[:]...)
		}
	}
}

// A run that finds an unusable result returns an error that names the choices. The result stays as it is.
func TestKeepRefuses(t *testing.T) {
	stopped := func(t *testing.T, out string) { stopAt(t, tiny(t), options(t, out), steps/2) }
	damaged := func(t *testing.T, out string) {
		filetest.Check(t, os.WriteFile(filepath.Join(out, "tiny.json"), []byte("{"), 0o644))
	}
	const nothing = "tiny.json already exists and holds something other than the result of tiny"
	for name, c := range map[string]struct {
		leave  func(t *testing.T, out string)
		change func(*spec.Spec, *Options)
		want   []string
	}{
		"another spec": {nil, func(s *spec.Spec, _ *Options) { s.Model.KLWeight = 2 }, []string{"another spec", "--out",
			"--force"}},
		"another backend": {nil, func(_ *spec.Spec, o *Options) { o.BackendName = "xla:cpu" }, []string{"computed on go",
			"--out", "--force"}},
		"more seeds": {nil, func(s *spec.Spec, _ *Options) { s.Seeds = []int64{0, 1, 2} },
			[]string{"lacks some of the seeds", "--resume", "--force"}},
		"resume another spec": {nil, func(s *spec.Spec, o *Options) { o.Existing, s.Model.KLWeight = Resume, 2 },
			[]string{"tiny.json", "--force", "--out"}},
		"resume another backend": {nil, func(_ *spec.Spec, o *Options) { o.Existing, o.BackendName = Resume, "xla:cpu" },
			[]string{"tiny.json", "--force", "--out"}},
		"resume another stream": {nil, func(s *spec.Spec, o *Options) { o.Existing = Resume; s.Protocol.MaxChunks++ },
			[]string{"tiny.json", "--force", "--out"}},
		"a stopped run": {stopped, nil, []string{"stopped run", "--resume", "--force"}},
		"checkpoints alone": {func(t *testing.T, out string) {
			stopped(t, out)
			filetest.Check(t, result.Remove(filepath.Join(out, "tiny.json")))
		}, nil, []string{"checkpoints", "--resume", "--force"}},
		"resume a damaged file":  {damaged, func(_ *spec.Spec, o *Options) { o.Existing = Resume }, []string{nothing, "--out"}},
		"refresh a damaged file": {damaged, func(_ *spec.Spec, o *Options) { o.Existing = Refresh }, []string{nothing, "--out"}},
	} {
		out := t.TempDir()
		if c.leave == nil {
			finished(t, tiny(t), options(t, out))
		} else {
			c.leave(t, out)
		}
		before := listing(t, out)
		spec, o := tiny(t), options(t, out)
		if c.change != nil {
			c.change(&spec, &o)
		}
		wantRunError(t, spec, o, append(c.want, out)...)
		filetest.Want(t, listing(t, out), before, "%s: the folder", name)
	}
}

// listing is every file of a folder with its content, hidden or not.
func listing(t *testing.T, folder string) string {
	t.Helper()
	var b bytes.Buffer
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		b.WriteString(path + ": " + string(content) + "\n")
		return err
	})
	filetest.Check(t, err)
	return b.String()
}

// Wherever a run that replaces a finished result is stopped, the finished one stays; Resume then ends as if nothing had
// happened, and takes its place.
func TestReplaceKeepsFinishedUntilComplete(t *testing.T) {
	spec := tiny(t)
	spec.Seeds = spec.Seeds[:1]
	older := spec
	older.Model.KLWeight = 2
	const steps = steps / 2 // of one seed
	for _, at := range []int{1, steps / 2, steps - 1} {
		out := t.TempDir()
		finished(t, older, options(t, out))
		before := pair(t, out)
		stopAt(t, spec, meeting(t, out, Replace), at)
		filetest.True(t, pair(t, out) == before, "stopped at call %d: the finished result was touched", at)
		filetest.Want(t, StoppedPath(out, "tiny"), filepath.Join(out, "tiny.partial.json"), "path of the stopped result")
		kept := mustRun(t, older, options(t, out)) // its owner still sees it
		filetest.True(t, kept.Manifest.SpecHash == older.Fingerprint(), "the finished result is another")
		wantSame(t, mustRun(t, spec, meeting(t, out, Resume)), resultOf(t, spec), "stopped at call %d", at)
		filetest.WantFiles(t, out, fileNames[:]...)
	}
}

// A second run of one name and folder is refused while the first lasts, and the next one starts.
func TestLock(t *testing.T) {
	out := t.TempDir()
	o := options(t, out)
	refused := false
	o.Progress = func(float64, string) {
		if !refused {
			wantRunError(t, tiny(t), options(t, out), "another process", filepath.Join(out, "tiny.json"), "--out")
			refused = true
		}
	}
	mustRun(t, tiny(t), o)
	filetest.True(t, refused, "nobody tried")
	mustRun(t, tiny(t), options(t, out))
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

// Runs go side by side. The kept ones bring their share of the wall time, and no more than all of it.
func TestRefreshSeconds(t *testing.T) {
	spec, out := tiny(t), t.TempDir()
	f := finished(t, spec, options(t, out))
	f.Manifest.Seconds = 1e6
	filetest.Check(t, store(f, filepath.Join(out, "tiny.json")))
	slices.Reverse(spec.Methods)
	all := mustRun(t, spec, meeting(t, out, Refresh)).Manifest.Seconds
	filetest.True(t, all >= 1e6 && all < 1.01e6, "%v seconds after the methods changed their order, want 1e6", all)
	spec.Methods = spec.Methods[1:]
	part := mustRun(t, spec, meeting(t, out, Refresh)).Manifest.Seconds
	filetest.True(t, part > 0 && part < 0.99*all, "%v seconds without a method of %v", part, all)
}

// An edited method is computed anew; the runs of other models are kept, times and all.
func TestRefreshMethods(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*spec.Spec)
		kept   []string // rows that must not change by a bit, times included
		edited []string
	}{
		{"a method edited", func(s *spec.Spec) { s.Methods[0].UpdateEpochs = 3 }, []string{"SlowAda", "FastAda", "Ada (frozen)"},
			[]string{"PHE"}},
		{"a method of a family edited", func(s *spec.Spec) { s.Methods[2].UpdateEpochs = 2 }, []string{"PHE", "PHE (frozen)"},
			[]string{"FastAda"}},
		{"a method added", func(s *spec.Spec) {
			s.Methods = append(s.Methods, spec.Method{Name: "EE", Rows: phe.Vocabulary, Estimate: phe.Point, UpdateEpochs: 1})
		}, []string{"PHE", "PHE (frozen)", "SlowAda", "FastAda", "Ada (frozen)"}, []string{"EE", "EE (frozen)"}},
		{"a method removed", func(s *spec.Spec) { s.Methods = s.Methods[1:] }, []string{"SlowAda", "FastAda", "Ada (frozen)"}, nil},
		{"methods in another order", func(s *spec.Spec) { slices.Reverse(s.Methods) }, []string{"PHE", "PHE (frozen)"}, nil},
		{"a seed added", func(s *spec.Spec) { s.Seeds = []int64{0, 1} }, nil, nil},
		{"the protocol", func(s *spec.Spec) { s.Protocol.MaxChunks = 2 }, nil, []string{"PHE", "PHE (frozen)", "SlowAda", "FastAda",
			"Ada (frozen)"}},
		{"the model", func(s *spec.Spec) { s.Model.LearningRate = 0.02 }, nil, []string{"PHE", "PHE (frozen)", "SlowAda", "FastAda",
			"Ada (frozen)"}},
		{"other data", nil, nil, nil},
		{"another backend", nil, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec, out := tiny(t), t.TempDir()
			spec.Seeds = spec.Seeds[:1]
			before, o := finished(t, spec, options(t, out)), meeting(t, out, Refresh)
			calls := counted(&o)
			if c.change != nil {
				c.change(&spec)
			} else { // of the earlier result
				f := readResult(t, out)
				f.Manifest.DataSHA256 = resulttest.Pick(c.name == "other data", "other", f.Manifest.DataSHA256)
				f.Manifest.Backend = resulttest.Pick(c.name == "another backend", "xla:cpu", f.Manifest.Backend)
				filetest.Check(t, store(f, filepath.Join(out, "tiny.json")))
			}
			filetest.Check(t, spec.Validate())
			after := mustRun(t, spec, o)
			filetest.True(t, c.change != nil || *calls == steps/2, "%d calls of %d: something is kept", *calls, steps/2)
			wantSame(t, after, resultOf(t, spec), "refreshed")
			wantSame(t, readResult(t, out), after, "read from the file")
			filetest.Want(t, after.Status, result.Complete, "status")
			filetest.WantFiles(t, out, fileNames[:]...)
			for i := range after.Methods {
				m := &after.Methods[i]
				old := before.Method(m.Name, m.Frozen)
				edited := slices.Contains(c.edited, m.Label())
				filetest.Want(t, old != nil && old.Hash == m.Hash, !edited, "%s counts as unchanged", m.Label())
				if edited || m.Hash == "" || !slices.Contains(c.kept, m.Label()) && c.name != "a seed added" {
					continue
				}
				kept := result.Method{Runs: m.Runs[:len(old.Runs)]}
				filetest.True(t, sameMethod(kept, result.Method{Runs: old.Runs}), "%s was computed again", m.Label())
			}
		})
	}
}
