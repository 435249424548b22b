package files

import (
	"io"

	"github.com/pkg/errors"
)

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
	if err := s.altered(f, read, ""); err != nil && !options.AllowAltered {
		return 0, err
	}
	return read.Lines - 1, nil
}
