package feed

import (
	"encoding/json"
	"os"

	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/remedy"
)

// Input identifies an input.
type Input struct {
	Name      string `json:"name"`
	beginning        // the first bytes of a file; empty for a pipe
	Rows      int64  `json:"rows,omitempty"` // rows learned; for earlier inputs only
}

// plainInput is an Input without methods.
type plainInput Input

// MarshalJSON returns the input. A path need not be UTF-8.
func (in Input) MarshalJSON() ([]byte, error) {
	in.Name = text.Escape(in.Name)
	return json.Marshal(plainInput(in))
}

// UnmarshalJSON reads what MarshalJSON returned.
func (in *Input) UnmarshalJSON(b []byte) error {
	err := json.Unmarshal(b, (*plainInput)(in))
	in.Name = text.Unescape(in.Name)
	return err
}

// identify returns the identity of the first bytes of a file, or of the whole file if it has fewer. A file keeps its identity when
// rows are appended to it.
func identify(path string, bytes int64) (Input, error) {
	file, err := openPlain(path)
	if err != nil {
		return Input{}, err
	}
	defer file.Close()
	b, err := beginningOf(file, bytes)
	return Input{Name: path, beginning: b}, err
}

// openPlain opens a file that is not a pipe. Reading a pipe to identify it would take the bytes from the learner.
func openPlain(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, errors.Errorf("%s is a folder, a pipe or a device, not a plain file; send a pipe to standard input", path)
	}
	var file *os.File
	if err == nil {
		file, err = os.Open(path)
	}
	return file, errors.Wrap(err, "opening the input; check its path and the right to read it")
}

// is returns whether a file begins with the input's bytes.
func (in Input) is(path string) (bool, error) {
	now, err := identify(path, in.Bytes)
	return err == nil && now.beginning == in.beginning, err
}

// extend returns the identity of more bytes of the input's file. It is an error if the bytes that were identified before have
// changed: the new identity would belong to bytes that were not learned.
func (in Input) extend(file *os.File, bytes int64) (Input, error) {
	b, same, err := in.beginning.extend(file, bytes)
	if err == nil && !same {
		err = remedy.Errorf("learn again", "%s has changed in the part that was learned, its first %d bytes; put that part back", in.Name, bytes)
	}
	if err != nil {
		return in, err
	}
	in.beginning = b
	return in, nil
}

// isPipe returns whether the input cannot be read again.
func (in Input) isPipe() bool { return in.SHA256 == "" }
