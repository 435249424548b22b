package schema

import (
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/remedy"
	"gophe/phe/remedy/nearest"
)

// Where returns the test of a condition for records with the given columns: a comparison of a column with a value, as in "Quantity>0" or
// "country=Norway". It returns nil for an empty text: every record is meant. A schema tells how the column is read, once it is known.
func Where(text string, columns []string, s *Schema) (func(record []string) bool, error) {
	if text == "" {
		return nil, nil
	}
	t, ok := compared(text)
	place := slices.Index(columns, t.Column)
	_, number := ParseNumber(t.With, false)
	t.Reading = Text
	if number {
		t.Reading = Numbers
	} else if words[strings.ToLower(t.With)] != "" {
		t.Reading = Truth
	}
	if s != nil && place >= 0 {
		if c := s.Columns[place]; c.Kind == Label {
			t.Reading, t.DecimalComma = s.Target.Reading, s.Target.DecimalComma
		} else if t.DecimalComma = c.DecimalComma; c.Reading != Verbatim {
			t.Reading = c.Reading
		}
	}
	switch {
	case !ok:
		return nil, errors.Errorf("%q is not a condition; write one such as 'Quantity>0' or 'country=Norway'", text)
	case place < 0:
		return nil, errors.Errorf("the condition %q is on %q, which is no column%s", text, t.Column, nearest.Column(t.Column, columns))
	case !number && t.Compare != "=":
		return nil, remedy.Errorf("values", "the condition %q compares with no number", text)
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

// value returns a field as the target's column reads it.
func (t Target) value(field string) string {
	c := Column{Reading: t.Reading, DecimalComma: t.DecimalComma}
	value, _ := c.Value(field)
	return value
}

// same tells whether two fields have one value.
func (t Target) same(a, b string) bool {
	return a == b || t.Reading != Verbatim && t.value(a) == t.value(b)
}

// holds tells whether a field meets the comparison, and whether it can be compared: only a number can be above or below another.
func (t Target) holds(field string) (holds, ok bool) {
	if t.Compare == "=" {
		return t.same(field, t.With), true
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

// ConditionOn returns the name of the column that a condition is on; "" if it is none.
func ConditionOn(text string) string {
	t, _ := compared(text)
	return t.Column
}
