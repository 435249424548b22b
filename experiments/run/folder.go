package run

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/gob"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/phe"
	"gophe/phe/disk"
	"gophe/phe/disk/outfile"
)

// Existing chooses a run's action on an earlier result of the same name.
type Existing int

// Whatever is chosen, a finished result stays in place until the new one is complete.
const (
	Keep    Existing = iota // leave a finished result alone; any other earlier file is an error
	Resume                  // continue an earlier result; a result of another spec, data or backend is an error
	Refresh                 // keep results of the same method, data and backend, and compute the rest
	Replace                 // start anew
)

// folder holds the files of one result: of a finished run, and of a stopped one.
type folder struct{ out, name string }

func (d folder) path() string { return filepath.Join(d.out, d.name+".json") }

// draft is the place of an unfinished result while a finished one of an earlier run is still at path.
func (d folder) draft() string { return filepath.Join(d.out, d.name+".partial.json") }

func (d folder) checkpoints() string { return filepath.Join(d.out, "."+d.name+".checkpoints") }

// StoppedPath returns the path of the unfinished result that a stopped run of a spec left in a folder.
func StoppedPath(out, name string) string {
	d := folder{out, name}
	if exists(d.draft()) {
		return d.draft()
	}
	return d.path()
}

// Sized gives a spec without an encoder the encoder of its earlier result at a path, if the run keeps any of it, and the spec did not name
// it then either. items is the number of items that sized the encoder; 0 for [phe.Paper], which every such spec once had.
func Sized(s spec.Spec, path string, existing Existing) (sized spec.Spec, items int) {
	if f, err := result.ReadSummary(path); err == nil && s.Unsized() && existing != Replace && (existing != Refresh || !changed(s, f)) {
		was, asked := spec.Recorded(f.Manifest.Spec).Model, s.Model.Encoder
		items = f.Manifest.SizedFor
		sameDraws := was.Encoder.HashSeed == asked.HashSeed &&
			(was.Encoder.HashDraws == asked.HashDraws || asked.HashDraws == 0 && was.Encoder.HashDraws == phe.UsualDraws)
		if items > 0 && sameDraws || was.Encoder == s.Sized(phe.Paper(), "").Model.Encoder {
			return s.Sized(was.Encoder, was.Scope), items
		}
	}
	return s, 0
}

// clear removes a stopped run's files, but no result at path.
func (d folder) clear() error {
	if err := result.Remove(d.draft()); err != nil {
		return err
	}
	return errors.Wrap(os.RemoveAll(d.checkpoints()), "cannot delete checkpoints")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// keep returns the finished result that a run leaves alone. It returns nil without any file. Any other file is an error, because it may
// have taken hours to compute.
func (d folder) keep(spec spec.Spec, backend string) (*result.File, error) {
	if !exists(d.path()) {
		if checkpoints, _ := os.ReadDir(d.checkpoints()); len(checkpoints) > 0 || exists(d.draft()) {
			return nil, errors.Errorf("a stopped run left checkpoints in %s; go on from them with --resume, or start anew with --force",
				d.checkpoints())
		}
		return nil, nil
	}
	f, err := result.Read(d.path())
	if err != nil {
		return nil, err
	}
	const instead = "choose another folder with --out, or replace it with --force once the new one is complete"
	switch {
	case f.Manifest.SpecHash != spec.Fingerprint():
		return nil, errors.Errorf("%s is the result of another spec; "+instead, d.path())
	case f.Manifest.Backend != backend:
		return nil, errors.Errorf("%s was computed on %s; "+instead, d.path(), f.Manifest.Backend)
	case spec.Source != nil && changed(spec, f):
		return nil, errors.Errorf("%s is the result of other rows: %s has changed since; "+
			"replace it with --force, or choose another folder with --out", d.path(), spec.Source.File)
	case f.Status != result.Complete:
		return nil, errors.Errorf("%s is the result of a stopped run; go on from it with --resume, or start anew with --force", d.path())
	case !isFinished(f, spec.Seeds):
		return nil, errors.Errorf("%s lacks some of the seeds; add them with --resume, or start anew with --force", d.path())
	}
	return f, nil
}

// takeOver puts the runs that an earlier call completed into the result, and refuses to mix them with another
// experiment's. It returns the earlier result itself where nothing is missing.
func (r *run) takeOver(old *result.File) (finished *result.File, err error) {
	was, is := old.Manifest, r.file.Manifest
	sameData := was.DataSHA256 == is.DataSHA256 && was.Backend == is.Backend
	same := sameData && was.SpecHash == is.SpecHash
	if r.options.Existing == Resume && !same {
		if was.SpecHash == is.SpecHash && was.Backend == is.Backend && r.spec.Source != nil {
			return nil, errors.Errorf("%s cannot be resumed: %s has changed since; "+
				"bring the file back, replace the result with --force, or choose another folder with --out",
				r.path(), r.spec.Source.File)
		}
		return nil, errors.Errorf("%s is of another spec, dataset or backend (%s) and cannot be resumed; "+
			"replace it with --force, or choose another folder with --out",
			r.path(), was.Backend)
	}
	kept, all := 0.0, 0.0 // seconds of runs, of which several ran side by side
	for _, m := range old.Methods {
		for _, run := range m.Runs {
			all += run.Seconds.Total()
		}
	}
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
	r.before, r.peak = was.Seconds, was.PeakMemoryMB
	if !same { // else the time of unfinished runs counts too: the run continues from their checkpoints
		r.before *= kept / all
	}
	// another program, or another kind of processor, may have computed the kept results
	r.file.Manifest.Commit = resumed(was.Commit, "by", is.Commit)
	r.file.Manifest.Processor = resumed(cmp.Or(was.Processor, "unknown"), "on", is.Processor)
	if same && old.Status == result.Complete && isFinished(r.file, r.spec.Seeds) && len(r.options.Own)+len(was.Own) == 0 {
		return old, nil
	}
	return nil, nil
}

// resumed says who, or what, computed a result: the same as before, or one after the other.
func resumed(was, how, is string) string {
	if strings.HasSuffix(was, is) {
		return was
	}
	return was + ", resumed " + how + " " + is
}

// changed reports whether the file of a spec's source differs from a result's file.
func changed(spec spec.Spec, f *result.File) bool {
	sum, err := spec.Source.Checksum()
	return err == nil && sum != f.Manifest.DataSHA256
}

// lock makes the folder, and keeps other processes from writing the same result. A folder that cannot take the files is an error.
func (d folder) lock() (release func(), err error) {
	if err := cmp.Or(result.Check(d.path(), d.name), result.Check(d.draft(), d.name)); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(d.out, 0o755); err != nil {
		return nil, errors.Wrap(err, "cannot make the output folder; choose another with --out")
	}
	path := filepath.Join(d.out, "."+d.name+".lock")
	unlock, err := disk.TakeLock(path)
	switch {
	case err != nil:
		return nil, errors.Wrapf(err, "cannot lock %s; choose another folder with --out", path)
	case unlock == nil:
		return nil, errors.Errorf("another process is computing %s; wait until it ends, stop it, or choose another folder with --out",
			d.path())
	}
	return func() { _ = unlock() }, nil
}

// A checkpoint file is a line that names its format, the SHA-256 of the rest, and a job's state as gob writes it. A change of
// jobState or of its fields' types needs another format. The line must not begin as the files of phe/live/checkpoint do.
const checkpointFormat = "gophe run state 4\n"

// writeCheckpoint stores a job's state whole or not at all.
func writeCheckpoint(path string, state jobState) error {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(state); err != nil {
		return errors.Wrap(err, "encoding the checkpoint")
	}
	sum := sha256.Sum256(body.Bytes())
	own := outfile.Kind{Name: "the state of a run", Begins: checkpointFormat[:16]}
	return result.WriteWhole(path, own, bytes.Join([][]byte{[]byte(checkpointFormat), sum[:], body.Bytes()}, nil))
}

// readCheckpoint loads a job's state. A file that is damaged, or of another version of the program, is an error: a run that
// went on from it would end with other numbers.
func readCheckpoint(path string, state *jobState) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return errors.Wrap(err, "no checkpoint")
	}
	const remedy = "delete it, or start anew with --force"
	rest, ok := bytes.CutPrefix(content, []byte(checkpointFormat))
	if !ok {
		return errors.Errorf("the checkpoint %s was not written by this version of the program; %s", path, remedy)
	}
	if len(rest) < sha256.Size || sha256.Sum256(rest[sha256.Size:]) != [sha256.Size]byte(rest[:sha256.Size]) {
		return errors.Errorf("the checkpoint %s is damaged: its checksum is wrong; %s", path, remedy)
	}
	if err := gob.NewDecoder(bytes.NewReader(rest[sha256.Size:])).Decode(state); err != nil {
		return errors.Wrapf(err, "cannot read the checkpoint %s; %s", path, remedy)
	}
	for _, s := range state.Streams { // gob forgets lists that are empty, and results tell them from none
		for k, run := range s.Runs {
			s.Runs[k].Rows = append([]int{}, run.Rows...)
		}
	}
	return nil
}

// isFinished reports whether every method has a finished run of every seed.
func isFinished(f *result.File, seeds []int64) bool {
	for i := range f.Methods {
		for _, seed := range seeds {
			if done := f.Methods[i].Run(seed); done == nil || done.Status == result.Partial {
				return false
			}
		}
	}
	return true
}
