package data

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pkg/errors"
)

// checkHeader demands the declared header, names and order: a column taken for another is not noticed later.
func (r *rowReader) checkHeader(header []string) error {
	want := r.header()
	for i, name := range want {
		if i >= len(header) {
			line, column := r.csv.FieldPos(len(header) - 1)
			return errors.Errorf("%s:%d:%d: the header ends with %q; column %d, %q, is missing",
				r.path, line, column, clip(header[i-1]), i+1, name)
		}
		if header[i] == name {
			continue
		}
		line, column := r.csv.FieldPos(i)
		hint := "the columns are in another order"
		if !slices.Contains(header, name) {
			hint = fmt.Sprintf("%q is missing", name)
		} else if !slices.Contains(want, header[i]) {
			hint = fmt.Sprintf("%q is not a declared column", clip(header[i]))
		}
		return errors.Errorf("%s:%d:%d: column %d is %q, want %q: %s; the header must be %s",
			r.path, line, column, i+1, clip(header[i]), name, hint, strings.Join(want, ","))
	}
	if len(header) > len(want) {
		line, column := r.csv.FieldPos(len(want))
		return errors.Errorf("%s:%d:%d: column %d, %q, is one too many", r.path, line, column, len(want)+1, clip(header[len(want)]))
	}
	return nil
}

// checkRow checks the row just read, and reports whether it is complete: nothing is missing, and positive is so.
func (r *rowReader) checkRow(row []string) (complete bool, err error) {
	if n := min(len(row), len(r.columns)); len(row) != len(r.columns) {
		line, column := r.csv.FieldPos(n - 1)
		return false, errors.Errorf("%s:%d:%d: %d fields, want %d; the last that fits is column %q",
			r.path, line, column, len(row), len(r.columns), r.columns[n-1].name)
	}
	complete = true
	for i, text := range row {
		c := r.columns[i]
		if r.missing != "" && text == r.missing && c.kind != label {
			complete = false
			continue
		}
		if defect := r.cellDefect(c.kind, text); defect != "" {
			line, column := r.csv.FieldPos(i)
			return false, errors.Errorf("%s:%d:%d: column %q: %q %s", r.path, line, column, c.name, clip(text), defect)
		}
		if c.name == r.positive && (text == "0" || text[0] == '-') { // cellDefect knows it to be a count
			complete = false
		}
	}
	return complete, nil
}

// cellDefect says what is wrong with a cell, or "" if nothing is.
func (d declaration) cellDefect(k kind, text string) string {
	switch {
	case k == indicator:
		if text != "0" && text != "1" {
			return "is neither 0 nor 1"
		}
	case k == numeric && !isNumber(text):
		return "is not a number such as 17 or -0.5, of size 1e-15 to 1e15"
	case k == label && !slices.Contains(d.classes, text):
		return "is none of the classes " + strings.Join(d.classes, ", ")
	case k == categorical && text == "" && d.missing == "":
		return "is no value"
	case k == categorical && text == "":
		return fmt.Sprintf("is no value; a missing one is written %q", d.missing)
	case k == count && !isCount(text):
		return "is not a whole number such as 17 or -5, of 32 bits"
	case k == moment && !isMoment(text):
		return "is not a time such as 2010-12-01 08:26:00, with seconds 00, of the years 2000 to 2099"
	case (k == categorical || k == optional) && !utf8.ValidString(text):
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

// isCount reports whether text is a whole number in the one spelling that Go gives it, of 32 bits.
func isCount(text string) bool {
	v, err := strconv.ParseInt(text, 10, 32)
	return err == nil && strconv.FormatInt(v, 10) == text
}

// isMoment reports whether text is a time of momentLayout. The years keep minutes and days well inside their integers.
func isMoment(text string) bool {
	v, err := time.Parse(momentLayout, text)
	return err == nil && v.Format(momentLayout) == text && v.Second() == 0 && v.Year() >= 2000 && v.Year() < 2100
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
