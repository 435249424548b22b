package uci

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/files"
)

// checkHeader checks that the header has the declared names in the declared order. No later check notices confused columns.
func (r *rowReader) checkHeader(header []string) error {
	want := r.Header()
	for i, name := range want {
		if i >= len(header) {
			line, column := r.csv.FieldPos(len(header) - 1)
			return errors.Errorf("%s:%d:%d: the header ends with %q; column %d, %q, is missing",
				r.path, line, column, files.Clip(header[i-1]), i+1, name)
		}
		if header[i] == name {
			continue
		}
		line, column := r.csv.FieldPos(i)
		hint := "the columns are in another order"
		if !slices.Contains(header, name) {
			hint = fmt.Sprintf("%q is missing", name)
		} else if !slices.Contains(want, header[i]) {
			hint = fmt.Sprintf("%q is not a declared column", files.Clip(header[i]))
		}
		return errors.Errorf("%s:%d:%d: column %d is %q, want %q: %s; the header must be %s",
			r.path, line, column, i+1, files.Clip(header[i]), name, hint, strings.Join(want, ","))
	}
	if len(header) > len(want) {
		line, column := r.csv.FieldPos(len(want))
		return errors.Errorf("%s:%d:%d: column %d, %q, is one too many", r.path, line, column, len(want)+1, files.Clip(header[len(want)]))
	}
	return nil
}

// checkRow checks the last row read. It reports whether the row is complete: no feature is missing and positive is above 0.
func (r *rowReader) checkRow(row []string) (complete bool, err error) {
	if n := min(len(row), len(r.Columns)); len(row) != len(r.Columns) {
		line, column := r.csv.FieldPos(n - 1)
		return false, errors.Errorf("%s:%d:%d: %d fields, want %d; the last that fits is column %q",
			r.path, line, column, len(row), len(r.Columns), r.Columns[n-1].Name)
	}
	complete = true
	for i, text := range row {
		c := r.Columns[i]
		if r.Missing != "" && text == r.Missing && c.Kind != Label {
			complete = false
			continue
		}
		if defect := r.cellDefect(c.Kind, text); defect != "" {
			line, column := r.csv.FieldPos(i)
			return false, errors.Errorf("%s:%d:%d: column %q: %q %s", r.path, line, column, c.Name, files.Clip(text), defect)
		}
		if c.Name == r.Positive && (text == "0" || text[0] == '-') { // cellDefect has checked that it is a count
			complete = false
		}
	}
	return complete, nil
}
