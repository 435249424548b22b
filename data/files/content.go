package files

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
)

// content is the uncompressed content of a data file. It is read once, from beginning to end, and hashed on the way.
type content struct {
	path   string
	file   io.Closer
	packed bool // gzip, zstd or zip
	plain  io.Reader
	hash   hash.Hash // SHA-256 of the uncompressed content
	raw    hash.Hash // MD5 of the content with its own line ends; nil if nobody asks
	lines  int       // number of line ends read
	tail   int       // number of bytes read since the last line end
	damage error     // error that ended reading, in words for the user
}

// openContent opens a file and decompresses it if its name ends in .gz or .zst. Call finish at the end.
func openContent(path string) (*content, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.Errorf("%s: not a regular file; a pipe cannot be read twice, so copy its content to a file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, errors.Wrap(err, "reading a data file")
	}
	buffered := bufio.NewReaderSize(file, 1<<16)
	c := &content{path: path, file: file, plain: buffered, hash: sha256.New()}
	if _, err := buffered.Peek(1); err == io.EOF {
		file.Close()
		return nil, errors.Errorf("%s: the file is empty", path)
	}
	if extension := filepath.Ext(path); extension == ".gz" || extension == ".zst" {
		c.packed = true
		if c.plain, err = unpack(path, buffered); err != nil {
			file.Close()
			return nil, errors.Wrapf(err, "%s: not a %s file; if it is plain CSV, drop %s from its name", path, packers[extension], extension)
		}
	}
	return c, nil
}

// Read implements io.Reader on the uncompressed content. After an error it returns the same error again.
func (c *content) Read(p []byte) (int, error) {
	if c.damage != nil {
		return 0, c.damage
	}
	n, err := c.plain.Read(p)
	c.hash.Write(p[:n])
	c.lines += bytes.Count(p[:n], []byte("\n"))
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		c.tail = n - i - 1
	} else {
		c.tail += n
	}
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case c.packed:
		c.damage = errors.Wrapf(err, "%s: damaged or cut off after line %d of the uncompressed content", c.path, c.lines)
	default:
		c.damage = errors.Wrap(err, "reading a data file")
	}
	return n, c.damage
}

// finish reads the rest, closes the file and returns the hexadecimal SHA-256 of the uncompressed content. The error says
// that the file is damaged.
func (c *content) finish() (sum string, err error) {
	defer c.file.Close()
	_, err = io.Copy(io.Discard, c)
	return hex.EncodeToString(c.hash.Sum(nil)), err
}
