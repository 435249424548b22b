package source

import (
	"os"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/internal/text"
	"gophe/phe/remedy"
)

// Input identifies an input.
type Input struct {
	Name           text.Name `json:"name"`
	Made           string    `json:"made,omitempty"` // when a stream was made; empty for others
	disk.Beginning           // the first bytes of a file; empty for others
	Rows           int64     `json:"rows,omitempty"` // rows learned; for earlier inputs only
}

// identify returns the identity of a file by its first bytes, or by all that it has. A file that grows keeps its identity.
func identify(path string, bytes int64) (Input, error) {
	file, err := openPlain(path)
	if err != nil {
		return Input{}, err
	}
	defer file.Close()
	b, err := disk.BeginningOf(file, bytes)
	return Input{Name: text.Name(path), Beginning: b}, err
}

// openPlain opens a file that is not a pipe. Reading a pipe to identify it would take the bytes from the learner.
func openPlain(path string) (*os.File, error) {
	if err := disk.CheckPlain(path); err != nil {
		return nil, errors.WithMessage(err, "send a pipe to standard input")
	}
	file, err := os.Open(path)
	return file, errors.Wrap(err, "opening the input; check its path and the right to read it")
}

// is returns whether a file begins with the input's bytes.
func (in Input) is(path string) (bool, error) {
	now, err := identify(path, in.Bytes)
	return err == nil && now.Beginning == in.Beginning, err
}

// extend identifies an input by more bytes of its file. It is an error if the bytes that identified it before have changed.
func (in Input) extend(file *os.File, bytes int64) (Input, error) {
	b, same, err := in.Beginning.Extend(file, bytes)
	if err == nil && !same {
		err = remedy.Errorf("learn again", "%s has changed in the part that was learned, its first %d bytes; put that part back", in.Name,
			bytes)
	}
	if err == nil {
		in.Beginning = b
	}
	return in, err
}
