package result

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/disk/outfile"
)

// Read loads a result with its series. A file that is no result is an error that names it.
func Read(path string) (*File, error) {
	f, err := ReadSummary(path)
	if err == nil {
		err = f.LoadSeries()
	}
	return f, err
}

// ReadSummary loads a result without its series, which [File.LoadSeries] brings. Tables need no more.
func ReadSummary(path string) (*File, error) {
	content, err := disk.ReadFile(path, maxBody)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read a result; %s", disk.Advice(err, "`phe run` makes it"))
	}
	f := &File{path: path, absent: true}
	if err := json.Unmarshal(content, f); err != nil {
		return nil, errors.Wrapf(err, "%s is not a result file; move it away and run the spec again", path)
	}
	switch {
	case f.Schema == 0 && f.Status == "":
		return nil, errors.Errorf("%s is not a result file; a spec becomes one by `phe run %s`", path, path)
	case f.Schema != format:
		return nil, errors.Errorf("%s has format %d, and this program reads format %d; update the program, or run the spec again "+
			"with --force", path, f.Schema, format)
	}
	return f, nil
}

// kind returns the kind of a result's file. Another spec's result is of another kind.
func kind(name string) outfile.Kind {
	return outfile.Kind{Name: "the result of " + name, Begins: `\{\s*("schema":\s*\d+,\s*)?"name":\s*"` + name + `",\s*"status":`}
}

// Check returns an error if the files of a result would take the place of others. Call it before Write and Remove.
func Check(path, name string) error {
	check := func(path string, kind outfile.Kind) error {
		return outfile.Place{Path: path, Flag: "--out", Overwrite: true, Kind: kind}.Check()
	}
	return cmp.Or(check(path, kind(name)), check(seriesPath(path), series), check(freshPath(path), series))
}

// seriesPath is where the series of a result lie.
func seriesPath(path string) string { return strings.TrimSuffix(path, ".json") + ".series" }

// freshPath is where series wait until the JSON file that names them is there.
func freshPath(path string) string { return seriesPath(path) + ".new" }

// LoadSeries reads the series of a result unless it has them. A series file that is missing, damaged or of another run is an error.
func (f *File) LoadSeries() error {
	if !f.absent {
		return nil
	}
	content, err := disk.ReadFile(seriesPath(f.path), maxBody)
	if checksum(content) != f.Series.SHA256 {
		if fresh, err := disk.ReadFile(freshPath(f.path), maxBody); err == nil && checksum(fresh) == f.Series.SHA256 {
			return f.load(fresh) // the writer was killed between its last two steps
		}
		if err == nil {
			err = errors.New("it is damaged, or of another run")
		}
		return errors.Wrapf(err, "%s does not hold the series of %s; bring both files back from a copy, or run the spec again with --force",
			seriesPath(f.path), filepath.Base(f.path))
	}
	return f.load(content)
}

func (f *File) load(content []byte) error {
	columns, err := decode(content)
	if err != nil {
		return errors.Wrapf(err, "%s cannot be read; run the spec again with --force", seriesPath(f.path))
	}
	f.exchange(exchange{columns: columns, reads: true})
	f.absent = false
	return nil
}

func checksum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Write stores the result whole or not at all. The series come first, under a name of their own, since the JSON file names
// their checksum: wherever a crash falls, the old pair or the new one can be read.
func (f *File) Write(path string) error {
	if f.absent {
		return errors.Errorf("the series of %s have not been read; call LoadSeries before Write", f.Name)
	}
	columns := map[place]column{}
	f.exchange(exchange{columns: columns})
	packed, number, err := encode(columns)
	if err != nil {
		return errors.WithMessagef(err, "result %s", f.Name)
	}
	f.Schema, f.Series = format, SeriesID{SHA256: checksum(packed), Columns: number}
	content, err := json.Marshal(f)
	if err != nil {
		return errors.Wrapf(err, "result %s", f.Name)
	}
	if err := WriteWhole(freshPath(path), series, packed); err != nil {
		return err
	}
	if err := WriteWhole(path, kind(f.Name), fold(content)); err != nil {
		return err
	}
	err = os.Rename(freshPath(path), seriesPath(path))
	return errors.Wrapf(err, "cannot write %s; free some space or choose another folder with --out", seriesPath(path))
}

// Remove deletes a result, if it is there.
func Remove(path string) error {
	for _, p := range []string{path, seriesPath(path), freshPath(path)} {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errors.Wrap(err, "cannot delete a result")
		}
	}
	return nil
}

// WriteWhole replaces a file of a kind by content in one step, so that a crash or Ctrl-C never leaves half a file. It makes the folder.
func WriteWhole(path string, kind outfile.Kind, content []byte) error {
	place := outfile.Place{Path: path, Flag: "--out or --to", Overwrite: true, Kind: kind}
	if err := place.Check(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return errors.Wrap(err, "cannot make the folder; choose another with --out or --to")
	}
	return place.Write(func(w io.Writer) error {
		_, err := w.Write(content)
		return errors.Wrap(err, "cannot write there; free some space on the disk")
	})
}

// Folder reads the results of one folder, each file once.
type Folder struct {
	path  string
	files map[string]*File // nil for a result that is not there
}

// OpenFolder returns the folder at path. It reads nothing yet.
func OpenFolder(path string) *Folder { return &Folder{path: path, files: map[string]*File{}} }

// Path returns the folder's path.
func (d *Folder) Path() string { return d.path }

// Names returns the names of the results that lie there, which are the names of their series: a spec may lie there too.
func (d *Folder) Names() (names []string) {
	files, _ := os.ReadDir(d.path) // a folder that is not there holds no result
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".series"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Find returns the result of a spec without its series, which [File.LoadSeries] brings; nil where there is no result.
func (d *Folder) Find(name string) (*File, error) {
	if f, ok := d.files[name]; ok {
		return f, nil
	}
	f, err := ReadSummary(filepath.Join(d.path, name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		d.files[name] = f
	}
	return f, err
}

// Get returns the result of a spec as [Folder.Find] does. A result that is not there is an error, which wraps
// [fs.ErrNotExist] and names the command that makes it.
func (d *Folder) Get(name string) (*File, error) {
	f, err := d.Find(name)
	if err == nil && f == nil {
		err = absent{d.path, name}
	}
	return f, err
}

// absent is the error of a result that is not there.
type absent struct{ folder, name string }

// Error names the command that makes the result.
func (a absent) Error() string {
	return fmt.Sprintf("%s holds no result of %s; make it with `phe run %s --out %s`", a.folder, a.name, a.name, a.folder)
}

// Is reports that the error is a missing file.
func (a absent) Is(target error) bool { return target == fs.ErrNotExist }

// Load returns the result of a spec with its series. A result that is not there is an error.
func (d *Folder) Load(name string) (*File, error) {
	f, err := d.Get(name)
	if err == nil {
		err = f.LoadSeries()
	}
	return f, err
}
