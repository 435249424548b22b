package data

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-gota/gota/dataframe"
	"github.com/pkg/errors"
)

// parse turns CSV content into a Table, all but its checksum; path names the file in errors.
//
// Every cell is checked while its line is still known, then gota makes the typed columns: gota itself reports
// neither lines nor unreadable numbers, which it turns into NaN.
func (d declaration) parse(path string, content []byte) (*Table, error) {
	records, err := d.records(path, content)
	if err != nil {
		return nil, err
	}
	// The types leave nothing to guess, and no text is NaN: rows with missing cells are gone, and "NA" is an item.
	frame := dataframe.LoadRecords(records, dataframe.HasHeader(true), dataframe.DetectTypes(false),
		dataframe.WithTypes(d.types()), dataframe.NaNValues(nil))
	if err := frame.Error(); err != nil {
		return nil, errors.Wrap(err, path)
	}
	table := &Table{Name: d.name, Classes: slices.Clone(d.classes), Path: path}
	for _, c := range d.columns {
		values := frame.Col(c.name)
		if err := values.Error(); err != nil {
			return nil, errors.Wrapf(err, "%s: column %q", path, c.name)
		}
		switch c.kind {
		case categorical:
			if c.name == d.incremental {
				table.Incremental = len(table.Categorical)
			}
			table.Categorical = append(table.Categorical, CategoricalColumn{c.name, shareEqual(values.Records())})
		case numeric:
			table.Numeric = append(table.Numeric, NumericColumn{c.name, divideByMaximum(values.Float())})
		case label:
			for _, class := range values.Records() {
				table.Labels = append(table.Labels, int32(slices.Index(d.classes, class)))
			}
		}
	}
	return table, nil
}

// records reads and checks the whole file, and returns its header and complete rows.
func (d declaration) records(path string, content []byte) ([][]string, error) {
	if bytes.HasPrefix(content, []byte("\ufeff")) {
		return nil, errors.Errorf("%s:1:1: starts with a byte-order mark; save the file as UTF-8 without one", path)
	}
	reader := csv.NewReader(bytes.NewReader(content))
	reader.FieldsPerRecord = -1 // checkRow's message says more
	header, err := reader.Read()
	if err == io.EOF {
		return nil, errors.Errorf("%s: the file is empty; want the header %s", path, strings.Join(d.header(), ","))
	}
	if err != nil {
		return nil, atPosition(path, err)
	}
	if err := d.checkHeader(path, reader, header); err != nil {
		return nil, err
	}
	records := [][]string{header}
	rows := 0
	for {
		row, err := reader.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, atPosition(path, err)
		}
		rows++
		complete, err := d.checkRow(path, reader, row)
		if err != nil {
			return nil, err
		}
		if complete {
			records = append(records, row)
		}
	}
	if rows == 0 {
		return nil, errors.Errorf("%s: a header and no rows", path)
	}
	if len(records) == 1 {
		return nil, errors.Errorf("%s: %d rows, every one of which lacks a value (%q)", path, rows, d.missing)
	}
	return records, nil
}

// checkHeader demands the declared header, names and order: a column taken for another is not noticed later.
func (d declaration) checkHeader(path string, reader *csv.Reader, header []string) error {
	want := d.header()
	for i, name := range want {
		if i >= len(header) {
			line, column := reader.FieldPos(len(header) - 1)
			return errors.Errorf("%s:%d:%d: the header ends with %q; column %d, %q, is missing",
				path, line, column, clip(header[i-1]), i+1, name)
		}
		if header[i] == name {
			continue
		}
		line, column := reader.FieldPos(i)
		hint := "the columns are in another order"
		if !slices.Contains(header, name) {
			hint = fmt.Sprintf("%q is missing", name)
		} else if !slices.Contains(want, header[i]) {
			hint = fmt.Sprintf("%q is not a declared column", clip(header[i]))
		}
		return errors.Errorf("%s:%d:%d: column %d is %q, want %q: %s; the header must be %s",
			path, line, column, i+1, clip(header[i]), name, hint, strings.Join(want, ","))
	}
	if len(header) > len(want) {
		line, column := reader.FieldPos(len(want))
		return errors.Errorf("%s:%d:%d: column %d, %q, is one too many", path, line, column, len(want)+1, clip(header[len(want)]))
	}
	return nil
}

// checkRow checks the row just read, and reports whether it is complete.
func (d declaration) checkRow(path string, reader *csv.Reader, row []string) (complete bool, err error) {
	if n := min(len(row), len(d.columns)); len(row) != len(d.columns) {
		line, column := reader.FieldPos(n - 1)
		return false, errors.Errorf("%s:%d:%d: %d fields, want %d; the last that fits is column %q",
			path, line, column, len(row), len(d.columns), d.columns[n-1].name)
	}
	complete = true
	for i, text := range row {
		c := d.columns[i]
		if text == d.missing && c.kind != label {
			complete = false
			continue
		}
		if defect := d.cellDefect(c.kind, text); defect != "" {
			line, column := reader.FieldPos(i)
			return false, errors.Errorf("%s:%d:%d: column %q: %q %s", path, line, column, c.name, clip(text), defect)
		}
	}
	return complete, nil
}

// cellDefect says what is wrong with a cell, or "" if nothing is.
func (d declaration) cellDefect(k kind, text string) string {
	switch {
	case k == numeric && !isNumber(text):
		return "is not a number such as 17 or -0.5, of size 1e-15 to 1e15"
	case k == label && !slices.Contains(d.classes, text):
		return "is none of the classes " + strings.Join(d.classes, ", ")
	case k == categorical && text == "":
		return fmt.Sprintf("is no value; a missing one is written %q", d.missing)
	case k == categorical && !utf8.ValidString(text):
		return "is not UTF-8" // its token would hash one way here and another in Python
	}
	return ""
}

// isNumber reports whether text is a number in JSON's grammar, and 0 or of size 1e-15 to 1e15, so that its quotient by
// the column's maximum is finite even in float32. ParseFloat alone accepts too much: "007" (an identifier, most
// likely), "NaN", "0x10".
func isNumber(text string) bool {
	if !json.Valid([]byte(text)) {
		return false
	}
	v, err := strconv.ParseFloat(text, 64)
	size := math.Abs(v)
	return err == nil && (v == 0 || size >= 1e-15 && size <= 1e15)
}

// atPosition rewrites an error of encoding/csv to start with file:line:column.
func atPosition(path string, err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return errors.Wrap(err, path)
	}
	return errors.Wrapf(parse.Err, "%s:%d:%d: in the row that starts on line %d", path, parse.Line, parse.Column, parse.StartLine)
}

// clip shortens text that an error quotes, so that a binary file does not flood the terminal.
func clip(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}

// shareEqual makes equal values share memory. As read, each value keeps its whole line alive.
func shareEqual(values []string) []string {
	shared := make(map[string]string)
	for i, v := range values {
		s, ok := shared[v]
		if !ok {
			s = strings.Clone(v)
			shared[s] = s
		}
		values[i] = s
	}
	return values
}

// divideByMaximum scales values in place; see NumericColumn.
func divideByMaximum(values []float64) []float64 {
	if largest := slices.Max(values); largest > 0 {
		for i := range values {
			values[i] /= largest
		}
	}
	return values
}
