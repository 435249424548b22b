package run

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec"
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
			filetest.Want(t, untouched, "%s, existing %d: the finished result was touched", name, existing)
			filetest.WantFiles(t, out, fileNames[:]...)
		}
	}
}

// A result of before, whose identities hold a convention, stays as a result of today does. A stopped one goes on from its checkpoints.
func TestFormerStays(t *testing.T) {
	s := tiny(t)
	want := finished(t, s, options(t, t.TempDir()))
	for i, word := range []string{"authors", "paper"} {
		former := func(f *result.File, out string) {
			hashes := map[string]string{}
			for _, m := range s.Methods {
				is := s.Resolve(m)
				was := is
				was.Former = word
				hashes[is.Fingerprint()], hashes[is.Initial().Fingerprint()] = was.Fingerprint(), was.Initial().Fingerprint()
			}
			for i := range f.Methods {
				f.Methods[i].Hash = hashes[f.Methods[i].Hash]
			}
			r := &run{folder: folder{out, s.Name}, file: f, spec: s}
			for _, m := range modelsOf(s, hundredItems) {
				for _, seed := range s.Seeds {
					j := job{run: r, model: m, seeds: []int64{seed}}
					_ = os.Rename(j.checkpointPath(s.Fingerprint()), j.checkpointPath(s.Formers()[i]))
				}
			}
			f.Manifest.SpecHash = s.Formers()[i]
			f.Manifest.Spec = append([]byte(`{"convention": "`+word+`",`), filetest.Must(json.Marshal(s))(t)[1:]...)
			filetest.Check(t, f.Write(filepath.Join(out, "tiny.json")))
		}
		o := options(t, t.TempDir())
		former(finished(t, s, o), o.Out)
		before := pair(t, o.Out)
		for _, existing := range []Existing{Keep, Resume, Refresh} {
			mustRun(t, s, idle(t, meeting(t, o.Out, existing), "convention "+word))
			filetest.Want(t, pair(t, o.Out) == before, "convention %s, existing %d: another result", word, existing)
		}
		o = meeting(t, t.TempDir(), Resume)
		stopAt(t, s, o, steps/4)
		former(readResult(t, o.Out), o.Out)
		calls := counted(&o)
		wantSame(t, mustRun(t, s, o), want, "convention %s, stopped", word)
		filetest.Want(t, *calls <= steps-steps/4, "convention %s: stopped after %d of %d calls, %d more", word, steps/4, steps, *calls)
		filetest.WantFiles(t, o.Out, fileNames[:]...)
	}
}

// A run that finds an unusable result returns an error that names the choices. The result stays as it is.
func TestKeepRefuses(t *testing.T) {
	stopped := func(t *testing.T, out string) { stopAt(t, tiny(t), options(t, out), steps/2) }
	for name, c := range map[string]struct {
		leave  func(t *testing.T, out string)
		change func(*spec.Spec, *Options)
		want   []string
	}{
		"another spec":           {nil, func(s *spec.Spec, _ *Options) { s.Model.KLWeight = 2 }, []string{"another spec", "--out", "--force"}},
		"another backend":        {nil, func(_ *spec.Spec, o *Options) { o.BackendName = "xla:cpu" }, []string{"computed on go", "--out", "--force"}},
		"more seeds":             {nil, func(s *spec.Spec, _ *Options) { s.Seeds = []int64{0, 1, 2} }, []string{"lacks some of the seeds", "--resume", "--force"}},
		"resume another spec":    {nil, func(s *spec.Spec, o *Options) { o.Existing, s.Model.KLWeight = Resume, 2 }, []string{"tiny.json", "--force", "--out"}},
		"resume another backend": {nil, func(_ *spec.Spec, o *Options) { o.Existing, o.BackendName = Resume, "xla:cpu" }, []string{"tiny.json", "--force", "--out"}},
		"resume another stream":  {nil, func(s *spec.Spec, o *Options) { o.Existing = Resume; s.Protocol.MaxChunks++ }, []string{"tiny.json", "--force", "--out"}},
		"a stopped run":          {stopped, nil, []string{"stopped run", "--resume", "--force"}},
		"checkpoints alone": {func(t *testing.T, out string) {
			stopped(t, out)
			filetest.Check(t, result.Remove(filepath.Join(out, "tiny.json")))
		}, nil, []string{"checkpoints", "--resume", "--force"}},
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
		_, err := Execute(context.Background(), spec, o)
		filetest.WantError(t, err, append(c.want, out)...)
		filetest.WantEqual(t, listing(t, out), before, "%s: the folder", name)
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
		filetest.Want(t, pair(t, out) == before, "stopped at call %d: the finished result was touched", at)
		filetest.WantEqual(t, StoppedPath(out, "tiny"), filepath.Join(out, "tiny.partial.json"), "path of the stopped result")
		kept := mustRun(t, older, options(t, out)) // its owner still sees it
		filetest.Want(t, kept.Manifest.SpecHash == older.Fingerprint(), "the finished result is another")
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
			_, err := Execute(context.Background(), tiny(t), options(t, out))
			filetest.WantError(t, err, "another process", filepath.Join(out, "tiny.json"), "--out")
			refused = true
		}
	}
	mustRun(t, tiny(t), o)
	filetest.Want(t, refused, "nobody tried")
	mustRun(t, tiny(t), options(t, out))
}
