package data

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
)

// content is the uncompressed content of a data file, read once from front to back and hashed on the way.
type content struct {
	path   string
	file   *os.File
	plain  io.Reader
	hash   hash.Hash // of the uncompressed content
	lines  int       // line ends read so far
	damage error     // what keeps the file from being read on, worded for the user
}

// openContent opens a file, which is uncompressed if its name ends in .gz. Call finish when done with it.
func openContent(path string) (*content, error) {
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
	if filepath.Ext(path) == ".gz" {
		if c.plain, err = gzip.NewReader(buffered); err != nil {
			file.Close()
			return nil, errors.Wrapf(err, "%s: not a gzip file; if it is plain CSV, drop .gz from its name", path)
		}
	}
	return c, nil
}

// Read implements io.Reader on the uncompressed content. Once it has failed it keeps failing the same way.
func (c *content) Read(p []byte) (int, error) {
	if c.damage != nil {
		return 0, c.damage
	}
	n, err := c.plain.Read(p)
	c.hash.Write(p[:n])
	c.lines += bytes.Count(p[:n], []byte("\n"))
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case filepath.Ext(c.path) == ".gz":
		c.damage = errors.Wrapf(err, "%s: damaged or cut off after line %d of the uncompressed content", c.path, c.lines)
	default:
		c.damage = errors.Wrap(err, "reading a data file")
	}
	return n, c.damage
}

// finish reads what nobody has read, closes the file, and returns the hexadecimal SHA-256 of the uncompressed content.
// The error says that the file is damaged.
func (c *content) finish() (sum string, err error) {
	defer c.file.Close()
	if _, err := io.Copy(io.Discard, c); err != nil {
		return "", err
	}
	return hex.EncodeToString(c.hash.Sum(nil)), nil
}
