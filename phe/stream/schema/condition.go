package schema

import (
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/remedy/nearest"
)

// condition compares a column with a value, as in "Quantity>0" or "country=Norway".
type condition struct {
	Column       string
	Compare      string // "=", ">=", ">", "<=" or "<"
	With         string
	DecimalComma bool
}

// Where returns the test of a condition for records with the given columns. It returns nil for an empty text: every record is meant.
func Where(text string, columns []string) (func(record []string) bool, error) {
	if text == "" {
		return nil, nil
	}
	c, ok := compared(text)
	place := slices.Index(columns, c.Column)
	switch _, number := ParseNumber(c.With, false); {
	case !ok:
		return nil, errors.Errorf("%q is not a condition; write one such as 'Quantity>0' or 'country=Norway'", text)
	case place < 0:
		return nil, errors.Errorf("the condition %q is on %q, which is no column%s", text, c.Column, nearest.Column(c.Column, columns))
	case !number && c.Compare != "=":
		return nil, errors.Errorf("the condition %q compares with no number", text)
	}
	return func(record []string) bool {
		holds, ok := c.holds(record[place])
		return holds && ok
	}, nil
}

// compared reads a comparison.
func compared(text string) (c condition, ok bool) {
	m := comparison.FindStringSubmatch(text)
	if m == nil {
		return c, false
	}
	return condition{Column: m[1], Compare: strings.Replace(m[2], "==", "=", 1), With: m[3]}, true
}

// holds tells whether a field meets the condition, and whether it can be compared: only a number can be above or below another.
func (c condition) holds(field string) (holds, ok bool) {
	if c.Compare == "=" {
		return field == c.With, true
	}
	v, ok := ParseNumber(field, c.DecimalComma)
	with, _ := ParseNumber(c.With, c.DecimalComma)
	switch c.Compare {
	case ">=":
		return v >= with, ok
	case ">":
		return v > with, ok
	case "<=":
		return v <= with, ok
	}
	return v < with, ok
}
