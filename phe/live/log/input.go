package log

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/internal/text"
	"gophe/phe/remedy"
)

// Input identifies an input.
type Input struct {
	Name      text.Name `json:"name"`
	Made      string    `json:"made,omitempty"` // when a stream was made; empty for others
	beginning           // the first bytes of a file; empty for others
	Rows      int64     `json:"rows,omitempty"` // rows learned; for earlier inputs only
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
	return Input{Name: text.Name(path), beginning: b}, err
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
func (in Input) isPipe() bool { return in.SHA256 == "" && in.Made == "" }

// maxIdentity is the number of bytes at the beginning of a file that identify the file.
const maxIdentity = 64 << 10

// maxLast is the number of bytes before a position that identify the position. They show that a line before it was removed.
const maxLast = 4 << 10

// beginning identifies the first bytes of a file by a sum over the first 64 KiB and the last 4 KiB of these bytes. To read all
// bytes of a large file would delay each checkpoint. A change between the two parts is not noticed unless it moves the last part.
type beginning struct {
	SHA256 string `json:"sha256,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
}

// beginningOf returns the beginning of a file, or the whole file if it has fewer bytes.
func beginningOf(file disk.File, bytes int64) (beginning, error) {
	info, err := file.Stat()
	if err != nil {
		return beginning{}, errors.Wrap(err, "looking at a file to identify it")
	}
	bytes = min(bytes, info.Size())
	first := min(bytes, maxIdentity)
	last := min(bytes-first, maxLast)
	sum := sha256.New()
	parts := io.MultiReader(io.NewSectionReader(file, 0, first), io.NewSectionReader(file, bytes-last, last))
	if _, err := io.Copy(sum, parts); err != nil {
		return beginning{}, errors.Wrap(err, "reading a file to identify it")
	}
	return beginning{hex.EncodeToString(sum.Sum(nil)), bytes}, nil
}

// extend returns a longer beginning of the same file. It returns false if the file no longer has the old beginning, or has fewer
// bytes than the new one.
func (b beginning) extend(file disk.File, bytes int64) (now beginning, same bool, err error) {
	before, err := beginningOf(file, b.Bytes)
	if err != nil {
		return b, false, err
	}
	now, err = beginningOf(file, bytes)
	same = now.Bytes == bytes && (b.Bytes == 0 || before == b)
	return now, same, err
}
