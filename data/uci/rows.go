package uci

import (
	"bufio"
	"encoding/csv"
	"io"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/files"
)

// rowReader reads a file row by row, checks every cell and replaces folds by their values.
type rowReader struct {
	Declaration
	path     string
	csv      *csv.Reader
	kept     []Column
	cells    []string // of the last row, one for each kept column
	read     int      // number of rows read
	complete int      // number of rows kept
}

// newRowReader reads and checks the header.
func newRowReader(d Declaration, path string, content io.Reader) (*rowReader, error) {
	buffered := bufio.NewReaderSize(content, 1<<16)
	if start, _ := buffered.Peek(3); string(start) == "\ufeff" {
		return nil, errors.Errorf("%s:1:1: the file starts with a byte-order mark; save it as UTF-8 without a byte-order mark", path)
	}
	r := &rowReader{Declaration: d, path: path, csv: csv.NewReader(buffered), kept: d.Kept()}
	r.csv.FieldsPerRecord = -1 // checkRow's error says more
	r.csv.ReuseRecord = true
	header, err := r.csv.Read()
	if err == io.EOF {
		return nil, errors.Errorf("%s: the file is empty; want the header %s", path, strings.Join(d.Header(), ","))
	}
	if err != nil {
		return nil, files.AtPosition(path, err)
	}
	return r, r.checkHeader(header)
}

// next returns the kept cells of the next complete row, which are valid until the next call. At the end of the data set it returns io.EOF.
func (r *rowReader) next() ([]string, error) {
	for r.FirstRows == 0 || r.read < r.FirstRows {
		row, err := r.csv.Read()
		if err == io.EOF {
			return nil, err
		}
		if err != nil {
			return nil, files.AtPosition(r.path, err)
		}
		r.read++
		complete, err := r.checkRow(row)
		if err != nil {
			return nil, err
		}
		if complete {
			r.complete++
			r.cells, err = r.appendKept(r.cells[:0], row)
			return r.cells, err
		}
	}
	return nil, io.EOF
}

// appendKept appends the cells of the kept columns, one value for each fold.
func (r *rowReader) appendKept(cells, row []string) ([]string, error) {
	for _, k := range r.kept {
		if k.Kind == Optional && row[k.first] == "" {
			cells = append(cells, missingItem)
			continue
		}
		if k.values == nil {
			cells = append(cells, row[k.first])
			continue
		}
		value, ones := "", 0
		for i, cell := range row[k.first : k.first+len(k.values)] {
			if cell == "1" {
				value = k.values[i]
				ones++
			}
		}
		if ones != 1 {
			line, column := r.csv.FieldPos(k.first)
			return nil, errors.Errorf("%s:%d:%d: of the columns %s1 to %s%d, %d are 1; want exactly one",
				r.path, line, column, k.Name, k.Name, len(k.values), ones)
		}
		cells = append(cells, value)
	}
	return cells, nil
}

// none returns an error if no complete row was read.
func (r *rowReader) none() error {
	switch {
	case r.read == 0:
		return errors.Errorf("%s: a header and no rows", r.path)
	case r.complete == 0 && r.Positive != "":
		return errors.Errorf("%s: %d rows, in none of which %s is above 0", r.path, r.read, r.Positive)
	case r.complete == 0:
		return errors.Errorf("%s: %d rows, every one of which lacks a value (%q)", r.path, r.read, r.Missing)
	}
	return nil
}
