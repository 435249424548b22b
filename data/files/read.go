package files

import (
	"crypto/md5"
	"encoding/hex"
	"io"
	"strings"

	"github.com/pkg/errors"
)

// Sum holds the checksums of a file that was read to its end.
type Sum struct {
	Path   string
	SHA256 string // of the uncompressed content; with LF line ends if the checkout lacks the file
	MD5    string // of the uncompressed content as it is, if the checkout lacks the file
	Lines  int    // number of line ends
}

// Read has the file at the path parsed and returns its checksums. If the path is of a zip file, the file inside is read.
// An error in decompressing takes precedence over an error of parse.
//
// A downloaded file must end with a line end: a transfer that was cut off may have cut digits off the last value.
func (f File) Read(path string, parse func(path string, content io.Reader) error) (Sum, error) {
	open := openContent
	if strings.HasSuffix(strings.TrimSuffix(path, ".part"), ".zip") { // Fetch checks its part
		open = func(path string) (*content, error) { return openZipped(path, f.Zipped) }
	}
	c, err := open(path)
	if err != nil {
		return Sum{}, err
	}
	downloaded := f.Committed == ""
	if downloaded {
		c.raw = md5.New()
		c.plain = newLineFeeds(io.TeeReader(c.plain, c.raw))
	}
	parseError := parse(c.path, c)
	sum, err := c.finish()
	if err == nil {
		err = parseError
	}
	if err != nil {
		return Sum{}, err
	}
	read := Sum{Path: c.path, SHA256: sum, Lines: c.lines}
	if downloaded {
		read.MD5 = hex.EncodeToString(c.raw.Sum(nil))
	}
	if downloaded && c.tail > 0 {
		return Sum{}, errors.Errorf("%s:%d:%d: the last line has no line end: the file is cut off", c.path, c.lines+1, c.tail+1)
	}
	return read, nil
}

// Parse reads like File.Read and returns what parse makes of the content.
func Parse[T any](f File, path string, parse func(path string, content io.Reader) (*T, error)) (made *T, read Sum, err error) {
	read, err = f.Read(path, func(path string, content io.Reader) (err error) {
		made, err = parse(path, content)
		return err
	})
	if err != nil {
		return nil, Sum{}, err
	}
	return made, read, nil
}

// Copy writes the uncompressed content of the source's first file and returns the number of rows below the header. No
// declared file has a line end inside a field.
func (s Source) Copy(w io.Writer, options Options) (rows int, err error) {
	path, err := s.Find()
	if err != nil {
		return 0, errors.WithMessagef(err, "data set %q", s.Name)
	}
	f := s.Files[0]
	read, err := f.Read(path, func(_ string, content io.Reader) error {
		_, err := io.Copy(w, content)
		return errors.Wrapf(err, "exporting %s", s.Name)
	})
	if err != nil {
		return 0, err
	}
	_, err = s.Accept(options, read.Lines-1, s.Rows, "rows", read)
	return read.Lines - 1, err
}

// Clip shortens text that an error quotes, so that a binary file does not flood the terminal.
func Clip(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}
