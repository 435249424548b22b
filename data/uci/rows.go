package uci

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/files"
)

// rowReader reads a file row by row and checks every cell.
type rowReader struct {
	Declaration
	path  string
	csv   *csv.Reader
	names []string // of the file's columns
	cells []cell   // of the last row, one for each of Columns
	read  int      // number of rows read
}

// newRowReader reads and checks the header.
func newRowReader(d Declaration, path string, content io.Reader) (*rowReader, error) {
	buffered := bufio.NewReaderSize(content, 1<<16)
	if start, _ := buffered.Peek(3); string(start) == "\ufeff" {
		return nil, errors.Errorf("%s:1:1: the file starts with a byte-order mark; save it as UTF-8 without a byte-order mark", path)
	}
	r := &rowReader{Declaration: d, path: path, csv: csv.NewReader(buffered), names: d.header(), cells: make([]cell, len(d.Columns))}
	r.csv.FieldsPerRecord = -1 // next's error says more
	r.csv.ReuseRecord = true
	header, err := r.csv.Read()
	if err == io.EOF {
		return nil, errors.Errorf("%s: the file is empty; want the header %s", path, strings.Join(r.names, ","))
	}
	if err != nil {
		return nil, files.AtPosition(path, err)
	}
	return r, r.checkHeader(header)
}

// checkHeader checks that the header has the declared names in the declared order. No later check notices confused columns.
func (r *rowReader) checkHeader(header []string) error {
	want := r.names
	for i, name := range want {
		if i >= len(header) {
			return r.errorf(i-1, "the header ends with %q; column %d, %q, is missing", files.Clip(header[i-1]), i+1, name)
		}
		if header[i] == name {
			continue
		}
		hint := "the columns are in another order"
		if !slices.Contains(header, name) {
			hint = fmt.Sprintf("%q is missing", name)
		} else if !slices.Contains(want, header[i]) {
			hint = fmt.Sprintf("%q is not a declared column", files.Clip(header[i]))
		}
		return r.errorf(i, "column %d is %q, want %q: %s; the header must be %s", i+1, files.Clip(header[i]), name, hint, strings.Join(want, ","))
	}
	if n := len(want); len(header) > n {
		return r.errorf(n, "column %d, %q, is one too many", n+1, files.Clip(header[n]))
	}
	return nil
}

// next returns the next complete row, which is valid until the next call. At the end of the data set it returns io.EOF.
func (r *rowReader) next() ([]cell, error) {
	for r.FirstRows == 0 || r.read < r.FirstRows {
		row, err := r.csv.Read()
		if err == io.EOF {
			return nil, err
		}
		if err != nil {
			return nil, files.AtPosition(r.path, err)
		}
		r.read++
		complete, err := r.parseRow(row)
		if err != nil || complete {
			return r.cells, err
		}
	}
	return nil, io.EOF
}

// parseRow parses every cell. It reports whether the row is complete: no feature is missing and positive is above 0.
func (r *rowReader) parseRow(row []string) (complete bool, err error) {
	if n := min(len(row), len(r.names)); len(row) != len(r.names) {
		return false, r.errorf(n-1, "%d fields, want %d; the last that fits is column %q", len(row), len(r.names), r.names[n-1])
	}
	complete = true
	at := 0
	for i, c := range r.Columns {
		if c.Kind == oneHot {
			if r.cells[i].text, err = r.parseOneHot(c, row, at); err != nil {
				return false, err
			}
			at += c.Width
			continue
		}
		text := row[at]
		at++
		if r.Missing != "" && text == r.Missing && c.Kind != label {
			complete = false
			continue
		}
		var defect string
		if r.cells[i], defect = r.parse(c.Kind, text); defect != "" {
			return false, r.errorf(at-1, "column %q: %q %s", c.Name, files.Clip(text), defect)
		}
		if c.Name == r.Positive && r.cells[i].number <= 0 {
			complete = false
		}
	}
	return complete, nil
}

// parseOneHot returns the value of a one-hot field, whose columns begin at an index of the row.
func (r *rowReader) parseOneHot(c field, row []string, first int) (value string, err error) {
	ones := 0
	for i, text := range row[first : first+c.Width] {
		switch text {
		case "0":
		case "1":
			value = c.Prefix + strconv.Itoa(i+1)
			ones++
		default:
			return "", r.errorf(first+i, "column %q: %q is neither 0 nor 1", r.names[first+i], files.Clip(text))
		}
	}
	if ones != 1 {
		return "", r.errorf(first, "of the columns %s1 to %s%d, %d are 1; want exactly one", c.Name, c.Name, c.Width, ones)
	}
	return value, nil
}

// errorf returns an error with the place of a field of the last row read.
func (r *rowReader) errorf(field int, format string, args ...any) error {
	line, column := r.csv.FieldPos(field)
	return errors.Errorf("%s:%d:%d: %s", r.path, line, column, fmt.Sprintf(format, args...))
}

// none returns the error of a file without a complete row.
func (r *rowReader) none() error {
	switch {
	case r.read == 0:
		return errors.Errorf("%s: a header and no rows", r.path)
	case r.Positive != "":
		return errors.Errorf("%s: %d rows, in none of which %s is above 0", r.path, r.read, r.Positive)
	}
	return errors.Errorf("%s: %d rows, every one of which lacks a value (%q)", r.path, r.read, r.Missing)
}
