package data

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
	"github.com/pkg/errors"
)

// content is the uncompressed content of a data file, read once from front to back and hashed on the way.
type content struct {
	path   string
	file   io.Closer
	packed bool // gzip, zstd or zip
	plain  io.Reader
	hash   hash.Hash // of the uncompressed content
	raw    hash.Hash // MD5 of it before toLineFeeds, which makes it
	lines  int       // line ends read so far
	tail   int       // bytes read since the last of them
	damage error     // what keeps the file from being read on, worded for the user
}

// openContent opens a file, which is uncompressed if its name ends in .gz or .zst. Call finish when done with it.
func openContent(path string) (*content, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.Errorf("%s: not a regular file; a pipe could not be read twice, so copy its content to a file", path)
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

// packers are the programs that compressed a file, by its extension.
var packers = map[string]string{".gz": "gzip", ".zst": "zstd"}

// unpack reads a compressed file, whose name tells how it was compressed.
func unpack(name string, packed io.Reader) (io.Reader, error) {
	if filepath.Ext(name) == ".gz" {
		return gzip.NewReader(packed)
	}
	buffered := bufio.NewReader(packed)
	if head, err := buffered.Peek(len(zstdMagic)); err != nil || string(head) != zstdMagic {
		return nil, errors.New("it does not begin as one") // the decoder would tell later
	}
	return zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
}

// A file in the checkout was compressed with a window of 8 MiB; a decoder keeps that much in memory.
const (
	zstdMagic  = "\x28\xb5\x2f\xfd"
	zstdWindow = 32 << 20
)

// openZipped opens the one file of that name, in whichever folder, inside a zip file; nothing is unpacked to disk. Its
// path in errors is that of the zip file, then that inside. Call finish when done with it.
func openZipped(archivePath, name string) (*content, error) {
	archive, err := zip.OpenReader(archivePath)
	if err != nil {
		return nil, errors.Wrapf(err, "%s: not a zip file, or cut off", archivePath)
	}
	var inside []*zip.File
	for _, f := range archive.File {
		if path.Base(f.Name) == name {
			inside = append(inside, f)
		}
	}
	if len(inside) != 1 {
		archive.Close()
		return nil, errors.Errorf("%s: %d files named %s inside, want 1", archivePath, len(inside), name)
	}
	c := &content{path: filepath.Join(archivePath, filepath.FromSlash(inside[0].Name)), file: archive, packed: true, hash: sha256.New()}
	if c.plain, err = inside[0].Open(); err != nil {
		archive.Close()
		return nil, errors.Wrapf(err, "%s: damaged", c.path)
	}
	return c, nil
}

// toLineFeeds makes the content one with LF line ends, whichever the file has; hash is of that. Call it before reading.
func (c *content) toLineFeeds() {
	c.raw = md5.New()
	c.plain = newLineFeeds(io.TeeReader(c.plain, c.raw))
}

// Read implements io.Reader on the uncompressed content. Once it has failed it keeps failing the same way.
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

// finish reads what nobody has read, closes the file, and returns the hexadecimal SHA-256 of the uncompressed content.
// The error says that the file is damaged.
func (c *content) finish() (sum string, err error) {
	defer c.file.Close()
	if _, err := io.Copy(io.Discard, c); err != nil {
		return "", err
	}
	return hex.EncodeToString(c.hash.Sum(nil)), nil
}
