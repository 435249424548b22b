package files

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/remedy"
)

// Options are the choices of a reader. The zero value is the strict choice.
type Options struct {
	// AllowAltered accepts files whose checksums are not the declared ones, if they can be parsed. The data set is then not Verified,
	// and it may have any number of rows.
	AllowAltered bool
}

// Accept reports whether the files read are the declared ones. Other files are an error unless the options allow them. The first file
// has a number of rows, which are called such as "ratings", and a declared number. Accept looks at this file last.
func (s Source) Accept(options Options, rows, declared int, unit string, read ...Sum) (verified bool, err error) {
	count := fmt.Sprintf("%d %s, declared %d", rows, unit, declared)
	for i := len(read) - 1; i >= 0 && err == nil; i-- {
		note := ""
		if i == 0 {
			note = " (" + count + ")"
		}
		err = s.altered(s.Files[i], read[i], note)
	}
	if err != nil && options.AllowAltered {
		return false, nil
	}
	if err == nil && rows != declared {
		err = errors.Errorf("%s: %s", read[0].Path, count)
	}
	return err == nil, err
}

// Verify finds the files and compares their checksums with the declared ones. It parses no rows. A file as committed is hashed on disk,
// so that all six UCI files take 20 ms; of any other file the uncompressed content is hashed.
//
// The error comes from Find, or it names the file, the defect and a remedy.
func (s Source) Verify() error {
	paths, err := s.FindAll()
	if err != nil {
		return errors.WithMessagef(err, "data set %q", s.Name)
	}
	for i, path := range paths {
		if err := s.verifyFile(s.Files[i], path); err != nil {
			return err
		}
	}
	return nil
}

func (s Source) verifyFile(f File, path string) error {
	if f.Committed != "" && filepath.Base(path) == f.Committed {
		if sum, err := fileSum(path, sha256.New()); err != nil {
			return err
		} else if sum == f.CommittedSHA256 {
			return nil
		}
	}
	read, err := f.Read(path, func(string, io.Reader) error { return nil })
	if err != nil {
		return errors.Errorf("%v; %s", err, s.restore(f, path))
	}
	return s.altered(f, read, "")
}

// altered returns an error if the file read is not the declared one. The note follows the checksums.
func (s Source) altered(f File, read Sum, note string) error {
	what, got, want := "SHA-256 of the uncompressed content", read.SHA256, f.SHA256
	if f.Committed == "" {
		what += " with LF line ends"
	}
	if want == "" {
		what, got, want = "MD5 of the content", read.MD5, f.MD5
	}
	if got == want {
		return nil
	}
	return remedy.Errorf("accept altered", "%s is altered: %s is %s, declared %s%s; %s",
		read.Path, what, got, want, note, s.restore(f, read.Path))
}

// restore tells a user how to get the declared file in the place of an altered one.
func (s Source) restore(f File, path string) string {
	switch {
	case f.Committed == "":
		return s.Remedy()
	case filepath.Base(filepath.Dir(path)) == s.Folder && filepath.Base(path) == f.Committed:
		return "restore it with: git checkout -- " + path
	}
	return "replace it by the checkout's data/" + s.Folder + "/" + f.Committed
}

// fileSum returns the hexadecimal checksum of a file on disk.
func fileSum(path string, hash hash.Hash) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", errors.Wrap(err, "reading a data file")
	}
	defer file.Close()
	_, err = io.Copy(hash, file)
	return hex.EncodeToString(hash.Sum(nil)), errors.Wrap(err, "reading a data file")
}

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
	if strings.HasSuffix(path, ".zip") {
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
