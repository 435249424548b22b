package schema

import (
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/remedy"
	"gophe/phe/remedy/nearest"
)

// Condition is a comparison of a column with a value, as in "Quantity>0" or "country=Norway". It compares values and not spellings.
type Condition struct {
	Text     string
	Place    int // of the column in a record
	compares Target
}

// Where returns a condition on the given columns, or nil for an empty text: every record meets it. Until the condition is fitted to a
// schema, its value tells how the column is read.
func Where(text string, columns []string) (*Condition, error) {
	if text == "" {
		return nil, nil
	}
	t, ok := compared(text)
	place := slices.Index(columns, t.Column)
	_, number := Numbers.number(t.With, false)
	switch t.Reading = Text; {
	case !ok:
		return nil, errors.Errorf("%q is not a condition; write one such as 'Quantity>0' or 'country=Norway'", text)
	case place < 0:
		return nil, errors.Errorf("the condition %q is on %q, which is no column%s", text, t.Column, nearest.Column(t.Column, columns))
	case number:
		t.Reading = Numbers
	case t.Compare != "=":
		return nil, remedy.Errorf("values", "the condition %q compares with no number", text)
	}
	return &Condition{text, place, t}, nil
}

// ConditionOn returns the column of a condition's text; "" if it is none.
func ConditionOn(text string) string {
	t, _ := compared(text)
	return t.Column
}

// Fit makes the condition read its column as a schema says.
func (c *Condition) Fit(s Schema) {
	if c == nil {
		return
	}
	t := &c.compares
	if t.Reading, t.DecimalComma = s.Target.Reading, s.Target.DecimalComma; t.Column != s.Target.Column {
		t.Reading, t.DecimalComma = s.Columns[c.Place].Reading, s.Columns[c.Place].DecimalComma
	}
	t.DecimalComma = t.DecimalComma && t.Reading != Verbatim // as before
}

// Holds tells whether a record meets the condition.
func (c *Condition) Holds(record []string) bool {
	if c == nil {
		return true
	}
	holds, ok := c.compares.holds(record[c.Place])
	return ok && holds
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
	value, _ := t.Reading.value(field, t.DecimalComma)
	return value
}

// same tells whether two fields have one value. A mark of a missing value is only like itself.
func (t Target) same(a, b string) bool {
	value := t.value(a)
	return a == b || value != "" && value == t.value(b)
}

// holds tells whether a field meets the comparison, and whether it can be compared: only a number can be above or below another.
func (t Target) holds(field string) (holds, ok bool) {
	if t.Compare == "=" {
		return t.same(field, t.With), true
	}
	v, ok := t.Reading.number(field, t.DecimalComma)
	with, _ := t.Reading.number(t.With, t.DecimalComma)
	return v == with && len(t.Compare) == 2 || v != with && (v > with) == (t.Compare[0] == '>'), ok
}
