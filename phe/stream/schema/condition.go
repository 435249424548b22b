package schema

import (
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/remedy/nearest"
)

// Where returns the test of a condition for records with the given columns: a comparison of a column with a value, as in "Quantity>0" or
// "country=Norway". It returns nil for an empty text: every record is meant.
func Where(text string, columns []string) (func(record []string) bool, error) {
	if text == "" {
		return nil, nil
	}
	t, ok := compared(text)
	place := slices.Index(columns, t.Column)
	switch _, number := ParseNumber(t.With, false); {
	case !ok:
		return nil, errors.Errorf("%q is not a condition; write one such as 'Quantity>0' or 'country=Norway'", text)
	case place < 0:
		return nil, errors.Errorf("the condition %q is on %q, which is no column%s", text, t.Column, nearest.Column(t.Column, columns))
	case !number && t.Compare != "=":
		return nil, errors.Errorf("the condition %q compares with no number", text)
	}
	return func(record []string) bool {
		holds, ok := t.holds(record[place])
		return holds && ok
	}, nil
}

// compared reads a comparison: a target of the classes no and yes.
func compared(text string) (t Target, ok bool) {
	m := comparison.FindStringSubmatch(text)
	if m == nil {
		return t, false
	}
	return Target{Column: m[1], Kind: Classes, Compare: strings.Replace(m[2], "==", "=", 1), With: m[3], Classes: []string{"no", text}}, true
}

// holds tells whether a field meets the comparison, and whether it can be compared: only a number can be above or below another.
func (t Target) holds(field string) (holds, ok bool) {
	if t.Compare == "=" {
		return field == t.With, true
	}
	v, ok := ParseNumber(field, t.DecimalComma)
	with, _ := ParseNumber(t.With, t.DecimalComma)
	switch t.Compare {
	case ">=":
		return v >= with, ok
	case ">":
		return v > with, ok
	case "<=":
		return v <= with, ok
	}
	return v < with, ok
}
