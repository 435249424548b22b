package run

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/spec"
)

// Existing chooses a run's action on an earlier result of the same name.
type Existing int

// Whatever is chosen, a finished result stays in place until the new one is complete.
const (
	Keep    Existing = iota // leave a finished result alone; anything else that is there is an error
	Resume                  // continue an earlier result; a result of another spec, data or backend is an error
	Refresh                 // keep results of the same method, data and backend, and compute the rest
	Replace                 // start anew
)

// shelf is the place of one result in a folder of results, with a stopped run's files.
type shelf struct{ out, name string }

func (s shelf) path() string { return filepath.Join(s.out, s.name+".json") }

// draft is where an unfinished result stands while a finished one of an earlier run is still at path.
func (s shelf) draft() string { return filepath.Join(s.out, s.name+".partial.json") }

func (s shelf) checkpoints() string { return filepath.Join(s.out, "."+s.name+".checkpoints") }

// stopped tells whether a stopped run left anything to go on from.
func (s shelf) stopped() bool {
	checkpoints, _ := os.ReadDir(s.checkpoints())
	return len(checkpoints) > 0 || exists(s.draft())
}

// StoppedPath returns the path of the unfinished result that a stopped run of a spec left in a folder.
func StoppedPath(folder, name string) string {
	s := shelf{folder, name}
	if exists(s.draft()) {
		return s.draft()
	}
	return s.path()
}

// clear removes a stopped run's files, but no result at path.
func (s shelf) clear() error {
	if err := result.Remove(s.draft()); err != nil {
		return err
	}
	return errors.Wrap(os.RemoveAll(s.checkpoints()), "cannot delete checkpoints")
}

// read returns the newest result that is there, finished or not; nil without one.
func (s shelf) read() (*result.File, error) {
	for _, path := range []string{s.draft(), s.path()} {
		if exists(path) {
			return result.Read(path)
		}
	}
	return nil, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// keep returns the finished result that a run leaves alone. Anything else that is there is an error: it may have taken
// hours, and only its owner knows whether it is still wanted. Both are nil where nothing is there.
func (s shelf) keep(spec spec.Spec, backend string) (*result.File, error) {
	if !exists(s.path()) {
		if s.stopped() {
			return nil, errors.Errorf("a stopped run left checkpoints in %s; go on from them with --resume, or start anew with --force", s.checkpoints())
		}
		return nil, nil
	}
	f, err := result.Read(s.path())
	if err != nil {
		return nil, err
	}
	switch {
	case f.Manifest.SpecHash != spec.Fingerprint():
		return nil, errors.Errorf("%s is the result of another spec; choose another folder with --out, or replace it with --force once the new one is complete", s.path())
	case f.Manifest.Backend != backend:
		return nil, errors.Errorf("%s was computed on %s; choose another folder with --out, or replace it with --force once the new one is complete",
			s.path(), f.Manifest.Backend)
	case spec.Source != nil && changed(spec, f):
		return nil, errors.Errorf("%s is the result of other rows: %s has changed since; replace it with --force, or choose another folder with --out", s.path(), spec.Source.File)
	case f.Status != result.Complete:
		return nil, errors.Errorf("%s is the result of a stopped run; go on from it with --resume, or start anew with --force", s.path())
	case !isFinished(f, spec.Seeds):
		return nil, errors.Errorf("%s lacks some of the seeds; add them with --resume, or start anew with --force", s.path())
	}
	return f, nil
}

// takeOver puts the runs that an earlier session completed into the result, and refuses to mix them with another
// experiment's. It returns the earlier result itself where nothing is missing.
func (r *session) takeOver(old *result.File) (finished *result.File, err error) {
	was, is := old.Manifest, r.file.Manifest
	sameData := was.DataSHA256 == is.DataSHA256 && was.Backend == is.Backend
	same := sameData && was.SpecHash == is.SpecHash
	if r.options.Existing == Resume && !same {
		if was.SpecHash == is.SpecHash && was.Backend == is.Backend && r.spec.Source != nil {
			return nil, errors.Errorf("%s cannot be resumed: %s has changed since; bring the file back, replace the result with --force, or choose another folder with --out",
				r.path(), r.spec.Source.File)
		}
		return nil, errors.Errorf("%s is of another spec, dataset or backend (%s) and cannot be resumed; replace it with --force, or choose another folder with --out",
			r.path(), was.Backend)
	}
	kept := 0.0
	for i := range r.file.Methods {
		m := &r.file.Methods[i]
		before := old.Method(m.Name, m.Frozen)
		if before == nil || !sameData || m.Hash == "" || before.Hash != m.Hash {
			continue
		}
		for _, run := range before.Runs {
			if run.Status != result.Partial { // seeds that were not asked for again stay too
				m.Put(run)
				kept += run.Seconds.Total()
			}
		}
	}
	if !same && kept == 0 {
		return nil, nil
	}
	r.before, r.peak = kept, was.PeakMemoryMB
	if same { // the time of unfinished runs counts too: their checkpoints go on
		r.before = was.Seconds
	}
	if !strings.HasSuffix(was.Commit, is.Commit) { // other code computed the kept results
		r.file.Manifest.Commit = was.Commit + ", resumed by " + is.Commit
	} else {
		r.file.Manifest.Commit = was.Commit
	}
	if same && old.Status == result.Complete && isFinished(r.file, r.spec.Seeds) && len(r.options.Own)+len(was.Own) == 0 {
		return old, nil
	}
	return nil, nil
}

// changed tells whether the file of a spec's source differs from a result's file.
func changed(spec spec.Spec, f *result.File) bool {
	sum, err := spec.Source.Checksum()
	return err == nil && sum != f.Manifest.DataSHA256
}
