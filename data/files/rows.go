package files

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

// Rows reads CSV whose columns are declared. Its errors begin with file:line:column.
type Rows struct {
	path  string
	csv   *csv.Reader
	names []string // of the columns
}

// NewRows reads and checks the header.
func NewRows(path string, content io.Reader, names []string) (*Rows, error) {
	buffered := bufio.NewReaderSize(content, 1<<16)
	if start, _ := buffered.Peek(3); string(start) == "\ufeff" {
		return nil, errors.Errorf("%s:1:1: the file starts with a byte-order mark; save it as UTF-8 without a byte-order mark", path)
	}
	r := &Rows{path, csv.NewReader(buffered), names}
	r.csv.FieldsPerRecord = -1 // Next's error says more
	r.csv.ReuseRecord = true
	header, err := r.read()
	if err == io.EOF {
		return nil, errors.Errorf("%s: the file is empty; want the header %s", path, strings.Join(names, ","))
	}
	if err != nil {
		return nil, err
	}
	return r, r.checkHeader(header)
}

// checkHeader checks that the header has the declared names in the declared order. No later check notices confused columns.
func (r *Rows) checkHeader(header []string) error {
	for i, name := range r.names {
		if i >= len(header) {
			return r.Errorf(i-1, "the header ends with %q; column %d, %q, is missing", Clip(header[i-1]), i+1, name)
		}
		if header[i] == name {
			continue
		}
		hint := "the columns are in another order"
		if !slices.Contains(header, name) {
			hint = fmt.Sprintf("%q is missing", name)
		} else if !slices.Contains(r.names, header[i]) {
			hint = fmt.Sprintf("%q is not a declared column", Clip(header[i]))
		}
		want := strings.Join(r.names, ",")
		return r.Errorf(i, "column %d is %q, want %q: %s; the header must be %s", i+1, Clip(header[i]), name, hint, want)
	}
	if n := len(r.names); len(header) > n {
		return r.Errorf(n, "column %d, %q, is one too many", n+1, Clip(header[n]))
	}
	return nil
}

// Next returns the next row, which is valid until the next call. At the end it returns io.EOF.
func (r *Rows) Next() ([]string, error) {
	row, err := r.read()
	if n := min(len(row), len(r.names)); err == nil && len(row) != len(r.names) {
		return nil, r.Errorf(n-1, "%d fields, want %d; the last that fits is column %q", len(row), len(r.names), r.names[n-1])
	}
	return row, err
}

func (r *Rows) read() ([]string, error) {
	row, err := r.csv.Read()
	var parse *csv.ParseError
	switch {
	case errors.As(err, &parse):
		err = errors.Wrapf(parse.Err, "%s:%d:%d: in the row that starts on line %d", r.path, parse.Line, parse.Column, parse.StartLine)
	case err != io.EOF:
		err = errors.Wrap(err, r.path)
	}
	return row, err
}

// Errorf returns an error with the place of a field of the last row.
func (r *Rows) Errorf(field int, format string, args ...any) error {
	line, column := r.csv.FieldPos(field)
	return errors.Errorf("%s:%d:%d: %s", r.path, line, column, fmt.Sprintf(format, args...))
}
