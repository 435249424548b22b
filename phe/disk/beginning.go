package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/pkg/errors"
)

// HeadBytes is the number of bytes at the beginning of a file that identify the file. TailBytes before a position identify the position:
// they show that a line before it was removed.
const HeadBytes, TailBytes = 64 << 10, 4 << 10

// Beginning identifies the first bytes of a file by a sum over the first 64 KiB and the last 4 KiB of these bytes. To read all
// bytes of a large file would delay each checkpoint. A change between the two parts is not noticed unless it moves the last part.
type Beginning struct {
	SHA256 string `json:"sha256,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
}

// BeginningOf returns the beginning of a file, or the whole file if it has fewer bytes.
func BeginningOf(file File, bytes int64) (Beginning, error) {
	info, err := file.Stat()
	if err != nil {
		return Beginning{}, errors.Wrap(err, "looking at a file to identify it")
	}
	bytes = min(bytes, info.Size())
	first := min(bytes, HeadBytes)
	last := min(bytes-first, TailBytes)
	sum := sha256.New()
	parts := io.MultiReader(io.NewSectionReader(file, 0, first), io.NewSectionReader(file, bytes-last, last))
	if _, err := io.Copy(sum, parts); err != nil {
		return Beginning{}, errors.Wrap(err, "reading a file to identify it")
	}
	return Beginning{hex.EncodeToString(sum.Sum(nil)), bytes}, nil
}

// Extend returns a longer beginning of the same file. It returns false if the file no longer has the old beginning, or has fewer
// bytes than the new one.
func (b Beginning) Extend(file File, bytes int64) (now Beginning, same bool, err error) {
	before, err := BeginningOf(file, b.Bytes)
	if err != nil {
		return b, false, err
	}
	now, err = BeginningOf(file, bytes)
	same = now.Bytes == bytes && (b.Bytes == 0 || before == b)
	return now, same, err
}
