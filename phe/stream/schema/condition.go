package schema

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/remedy"
	"gophe/phe/remedy/nearest"
)

// Condition is a comparison of a column with a value, as in "Quantity>0" or "country=Norway". It compares values and not spellings.
type Condition struct {
	Text     string
	Place    int // of the column in a record
	compares Target
	look     *look // of its column in all of the first rows, whether they meet it or not; nil if Look was not called
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
	case t.Compare != "=" && !slices.ContainsFunc([]string{dayFirst, monthFirst}, func(layout string) bool {
		_, isTime := Target{Layout: layout}.instant(t.With)
		return isTime
	}):
		return nil, remedy.Errorf("values", "the condition %q compares with no number, and no time", text)
	}
	return &Condition{text, place, t, nil}, nil
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
	as, t := s.Columns[c.Place], s.Target
	if as.Kind == Label {
		as = Column{Reading: t.Reading, DecimalComma: t.DecimalComma, Layout: t.Layout, Zone: t.Zone}
	}
	c.compares.read(as)
}

func (t *Target) read(as Column) {
	t.Reading, t.DecimalComma, t.Layout, t.Zone = as.Reading, as.DecimalComma, as.Layout, as.Zone
	switch {
	case as.Reading == Verbatim:
		t.DecimalComma, t.Layout = false, ""
	case as.Layout != "":
		t.Reading = Times
	}
}

// Keep returns Holds; nil without a condition.
func (c *Condition) Keep() func(record []string) bool {
	if c == nil {
		return nil
	}
	return c.Holds
}

// Holds reports whether a record meets the condition.
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
	compare := strings.Replace(m[2], "==", "=", 1)
	return Target{Column: m[1], Kind: Classes, Compare: compare, With: m[3], Classes: []string{"no", text}}, true
}

func (t Target) value(field string) string {
	value, _ := t.Reading.value(field, t.DecimalComma)
	return value
}

// same reports whether two fields have one value. A mark of a missing value equals only itself.
func (t Target) same(a, b string) bool {
	value := t.value(a)
	return a == b || value != "" && value == t.value(b)
}

// order compares two fields. It returns false unless both are numbers, or times in a column of times.
func (t Target) order(a, b string) (order int, ok bool) {
	if t.Reading == Times {
		x, isTime := t.instant(a)
		y, too := t.instant(b)
		return x.Compare(y), isTime && too
	}
	x, isNumber := t.Reading.number(a, t.DecimalComma)
	y, too := t.Reading.number(b, t.DecimalComma)
	return cmp.Compare(x, y), isNumber && too
}

// holds reports whether a field meets the comparison, and whether it can be compared.
func (t Target) holds(field string) (holds, ok bool) {
	if t.Compare == "=" && t.Reading != Times {
		return t.same(field, t.With), true
	}
	order, ok := t.order(field, t.With)
	if t.Compare == "=" {
		return ok && order == 0 || t.same(field, t.With), true
	}
	return order == 0 && len(t.Compare) == 2 || order != 0 && (order > 0) == (t.Compare[0] == '>'), ok
}

// Instant returns the time that a field is.
func (c *Column) Instant(field string) (at time.Time, ok bool) {
	return Target{Layout: c.Layout, Zone: c.Zone}.instant(field)
}

// Clocks returns the places of the columns by which rows may be in order: the times that the user named, else all times, else dropped ones.
func (s Schema) Clocks(given map[string]Kind) (places []int) {
	for _, is := range []func(Column) bool{
		func(c Column) bool { return c.Kind == Time && given[c.Name] == Time },
		func(c Column) bool { return c.Kind == Time },
		func(c Column) bool { return c.Layout != "" && c.Kind == Dropped },
	} {
		for i, c := range s.Columns {
			if is(c) {
				places = append(places, i)
			}
		}
		if places != nil {
			break
		}
	}
	return places
}

// instant reads a time. A clock without a zone is one of the column's.
func (t Target) instant(field string) (at time.Time, ok bool) {
	key := wayKey{t.Layout, t.Zone, len(field)}
	known, is := ways.Load(key)
	if !is {
		known = way{nil, zone(t.Zone)}
	}
	w := known.(way)
	last := lastTime{form: w.form}
	if last.read(field, t.Layout); !last.known {
		return at, false
	}
	if last.form != w.form {
		ways.Store(key, way{last.form, w.zone})
	}
	if at = last.time; w.zone != nil && !last.form.zone {
		at = time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), w.zone)
	}
	return at, true
}

// ways are how times were written last, by wayKey: most are written as the one before.
var ways sync.Map

type (
	way struct {
		form *form
		zone *time.Location
	}
	wayKey struct {
		layout, zone string
		length       int
	}
)
