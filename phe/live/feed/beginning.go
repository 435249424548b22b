package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/pkg/errors"

	"gophe/phe/disk"
)

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
