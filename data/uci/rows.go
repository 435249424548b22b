package uci

import (
	"io"
	"strconv"

	"github.com/pkg/errors"

	"gophe/data/files"
)

// rowReader reads a file row by row and checks every cell.
type rowReader struct {
	Declaration
	*files.Rows
	path  string
	cells []cell // of the last row, one for each of Columns
	read  int    // number of rows read
}

// next returns the next complete row, which is valid until the next call. At the end of the data set it returns io.EOF.
func (r *rowReader) next() ([]cell, error) {
	for r.FirstRows == 0 || r.read < r.FirstRows {
		row, err := r.Next()
		if err != nil {
			return nil, err
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
			return false, r.Errorf(at-1, "column %q: %q %s", c.Name, files.Clip(text), defect)
		}
		if c.Name == r.Positive && r.cells[i].number <= 0 {
			complete = false
		}
	}
	return complete, nil
}

// parseOneHot returns the value of a one-hot field, whose columns begin at an index of the row.
func (r *rowReader) parseOneHot(c Field, row []string, first int) (value string, err error) {
	ones := 0
	for i, text := range row[first : first+c.Width] {
		switch text {
		case "0":
		case "1":
			value = c.Prefix + strconv.Itoa(i+1)
			ones++
		default:
			return "", r.Errorf(first+i, "column \"%s%d\": %q is neither 0 nor 1", c.Name, i+1, files.Clip(text))
		}
	}
	if ones != 1 {
		return "", r.Errorf(first, "of the columns %s1 to %s%d, %d are 1; want exactly one", c.Name, c.Name, c.Width, ones)
	}
	return value, nil
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
