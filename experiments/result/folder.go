package result

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/pkg/errors"
)

// Folder reads the results of one folder, each file once.
type Folder struct {
	path  string
	files map[string]*File // nil for a result that is not there
}

// OpenFolder returns the folder at path. It reads nothing yet.
func OpenFolder(path string) *Folder { return &Folder{path: path, files: map[string]*File{}} }

// Path returns the folder's path.
func (d *Folder) Path() string { return d.path }

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
