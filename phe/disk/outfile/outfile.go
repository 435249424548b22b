// Package outfile writes a file that a user names, and destroys no other file.
//
// An output replaces only a file of its own kind, as the first bytes tell, if the user wants it. It is no input, and lies in no journal.
// Files are compared by identity, not by name. The new file takes its name when it is complete, so a kill leaves the old file or none.
package outfile

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/remedy"
)

// Standard is the name of standard input, and of standard output.
const Standard = "-"

// Place is the place of an output.
type Place struct {
	Path      string   // "" is standard output
	Flag      string   // the flag that names the place, for errors; "" if the caller says it
	Others    []string // files that must stay as they are, and folders whose files must; they need not exist
	Overwrite bool     // replace a file of the same kind that is there, if it is none of Others
	Kind      Kind     // of the output
}

// Kind is a kind of files. The zero value is every file.
type Kind struct {
	Name   string // for errors, such as "forecasts"
	Begins string // pattern of the first bytes
}

// Numbers is the kind of arrays in binary. They are no text, and do not begin as other files of this program do.
var Numbers = Kind{"numbers", `(?:(?:[^g]|g[^o]|go[^p]|gop[^h])(?s:.{0,60}))?[\x00-\x08\x{FFFD}]`}

// Check returns an error if the output would destroy something. It changes nothing.
func (p Place) Check() error {
	if p.Path == Standard {
		return errors.Errorf("%s is standard output, and only a file can be written here%s", p.Path, p.other())
	}
	if err := p.Avoid(); err != nil {
		return err
	}
	info, err := os.Stat(p.Path)
	switch {
	case err != nil || p.isStream(info) || info.Mode().IsRegular() && info.Size() == 0: // a stream only grows
		return nil
	case info.IsDir():
		return errors.Errorf("%s is a folder%s", p.Path, p.other())
	}
	file, err := os.Open(p.Path)
	if err != nil {
		return errors.Wrap(err, "cannot see what the output would replace; make it readable")
	}
	defer file.Close()
	head, _ := io.ReadAll(io.LimitReader(file, 1<<20)) // what cannot be read is of another kind
	switch {
	case !regexp.MustCompile("^(?:" + p.Kind.Begins + ")").Match(head):
		return errors.Errorf("%s already exists and holds something other than %s%s", p.Path, p.Kind.Name, p.other())
	case !p.Overwrite:
		return remedy.Errorf("overwrite", "%s already exists%s", p.Path, p.other())
	}
	return nil
}

// other ends an error with the user's way out, unless the caller says it.
func (p Place) other() string {
	return strings.Repeat("; name another file with "+p.Flag, min(1, len(p.Flag)))
}

// Avoid returns an error if the place is one of the others, or is in a folder of them or of a journal. Standard output is one of them if it
// is redirected to its end: a program would read what it writes.
func (p Place) Avoid() error {
	for _, other := range p.Others {
		switch {
		case other == "" || !same(p.Path, other) && (p.Path == "" || !same(filepath.Dir(p.Path), other)):
		case p.Path == "":
			return errors.Errorf("standard output would be written over %s; redirect it to another file", other)
		default:
			return errors.Errorf("the output would be written over %s%s", other, p.other())
		}
	}
	for folder := filepath.Dir(p.Path); p.Path != ""; folder = filepath.Dir(folder) {
		if segments, _ := fs.Glob(os.DirFS(folder), "????????????????????.journal"); len(segments) > 0 {
			return errors.Errorf("the output would be written into the journal %s%s", folder, p.other())
		}
		if _, err := os.Stat(folder); err == nil || folder == filepath.Dir(folder) { // else the folder is to be made
			break
		}
	}
	return nil
}

// isStream returns whether what is written is not kept under the path: a pipe, a device, or standard output under its name. Nothing
// can take the place of such a file.
func (p Place) isStream(info fs.FileInfo) bool {
	path, err := filepath.Abs(p.Path)
	isSystem := err == nil && regexp.MustCompile("^/(dev/fd/|dev/std|proc/)").MatchString(path)
	return isSystem || !info.IsDir() && !info.Mode().IsRegular()
}

// Write checks the place and writes the file. If write or the disk fails, or another file has come meanwhile, the place stays as it was. A
// link gives way to the file, and the file that it names stays.
func (p Place) Write(write func(io.Writer) error) error {
	if err := p.Check(); err != nil {
		return err
	}
	mode := fs.FileMode(0)
	if info, err := os.Stat(p.Path); err == nil {
		if p.isStream(info) {
			file, err := os.OpenFile(p.Path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return errors.Wrap(err, "cannot open the output"+p.other())
			}
			return fill(file, 0, write)
		}
		mode = info.Mode().Perm()
	}
	file, err := createPart(p.Path)
	if err != nil {
		return errors.Wrapf(err, "cannot write %s%s", p.Path, p.other())
	}
	if err = cmp.Or(fill(file, mode, write), p.Check()); err == nil {
		err = errors.Wrapf(os.Rename(file.Name(), p.Path), "cannot write %s%s", p.Path, p.other())
	}
	if err != nil { // after a success the name may be another goroutine's
		_ = os.Remove(file.Name())
	}
	return err
}

// createPart makes a file in the folder of the path, with the permissions of a new file.
func createPart(path string) (file *os.File, err error) {
	const limit = 1000 // files that kills left behind
	for n := range limit {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".phe-%d-%d.part", os.Getpid(), n))
		if file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return file, err
}

// fill writes a file, brings it to the disk and closes it.
func fill(file *os.File, mode fs.FileMode, write func(io.Writer) error) error {
	buffer := bufio.NewWriterSize(file, 1<<16)
	err := write(buffer)
	failed := buffer.Flush()
	if failed == nil && mode != 0 {
		failed = file.Chmod(mode)
	}
	if info, err := file.Stat(); failed == nil && err == nil && info.Mode().IsRegular() {
		failed = file.Sync() // a rename that outlives a power failure must not name an empty file
	}
	return cmp.Or(err, errors.Wrap(cmp.Or(failed, file.Close()), "cannot write the output; free some space on the disk"))
}

// same reports whether two paths name one file, or would if it existed.
func same(a, b string) bool {
	first, err := stat(a)
	second, err2 := stat(b)
	if err == nil && err2 == nil {
		return os.SameFile(first, second) && (a != "" || first.Mode().IsRegular()) // a terminal may be read and written
	}
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	first, err = os.Stat(filepath.Dir(a))
	second, err2 = os.Stat(filepath.Dir(b))
	return err == nil && err2 == nil && os.SameFile(first, second)
}

// stat describes a file, standard input or, for no path, standard output.
func stat(path string) (fs.FileInfo, error) {
	switch path {
	case Standard:
		return os.Stdin.Stat()
	case "":
		return os.Stdout.Stat()
	}
	return os.Stat(path)
}
