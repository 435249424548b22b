package files

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
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

// content is the uncompressed content of a data file. It is read once, from beginning to end, and hashed on the way.
type content struct {
	path   string
	file   io.Closer
	packed bool // gzip, zstd or zip
	plain  io.Reader
	hash   hash.Hash // SHA-256 of the uncompressed content
	raw    hash.Hash // MD5 of the content with its own line ends; nil for a committed file
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
			return nil, errors.Wrapf(err, "%s: not a %s file; if it is plain CSV, drop %s from its name", path, packers[extension],
				extension)
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

// packers maps the extension of a compressed file to the program that makes such files.
var packers = map[string]string{".gz": "gzip", ".zst": "zstd"}

// The checkout's files were compressed with a window of 8 MiB; a decoder keeps a whole window in memory.
const (
	zstdMagic  = "\x28\xb5\x2f\xfd"
	zstdWindow = 32 << 20
)

// unpack decompresses a file. The extension of its name says how.
func unpack(name string, packed *bufio.Reader) (io.Reader, error) {
	if filepath.Ext(name) == ".gz" {
		return gzip.NewReader(packed)
	}
	if head, err := packed.Peek(len(zstdMagic)); err != nil || string(head) != zstdMagic {
		return nil, errors.New("its first bytes are not zstd's") // the decoder would notice only on the first read
	}
	return zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
}

// openZipped opens a file inside a zip file, in any folder; nothing is unpacked to disk. In errors its path is the path of the zip
// file followed by the path inside. Call finish at the end.
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

// lineFeeds reads text and replaces each CR LF by LF, so that line ends do not change a checksum. Any other CR stays.
type lineFeeds struct{ in *bufio.Reader }

func newLineFeeds(in io.Reader) lineFeeds { return lineFeeds{bufio.NewReaderSize(in, 1<<17)} }

// Read implements io.Reader.
func (l lineFeeds) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	if n > 0 && err == nil && p[n-1] == '\r' { // what follows decides whether it stays
		var next []byte
		if next, err = l.in.Peek(1); string(next) == "\n" {
			n--
		}
	}
	kept := p[:0]
	for line := range bytes.Lines(p[:n]) {
		text, ended := bytes.CutSuffix(line, []byte("\r\n"))
		kept = append(kept, text...)
		if ended {
			kept = append(kept, '\n')
		}
	}
	return len(kept), err
}
