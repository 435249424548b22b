package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/remedy"
	"gophe/phe/remedy/nearest"
)

// Kind is the role of a column for a learner.
type Kind string

const (
	Category Kind = "category" // items of a vocabulary that may grow
	Number   Kind = "number"   // numbers, which enter in bins
	Both     Kind = "both"     // numbers that may be names or amounts: they enter as items and in bins
	Time     Kind = "time"     // a point in time: hour and weekday are categories
	ID       Kind = "id"       // names the row; no input
	Weight   Kind = "weight"   // number of rows that the row counts as; no input
	Label    Kind = "target"   // the target of the forecast; no input
	Dropped  Kind = "dropped"  // no input
)

func kinds() []Kind { return []Kind{Category, Number, Both, Time, ID, Weight, Label, Dropped} }

// Column is one column of a table.
type Column struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Separator cuts a cell of a category into several items, which count by equal shares.
	Separator string `json:"separator,omitempty"`
	// Same names a column whose items this column shares. The receivers of payments, for example, share the items of the senders. With
	// Opposite the items count negatively, such as a player of the other side.
	Same     string `json:"same,omitempty"`
	Opposite bool   `json:"opposite,omitempty"`
	// Edges are the bounds between a number's bins, ascending. Without them the bins are logarithmic: quarters of an octave.
	Edges []float64 `json:"edges,omitempty"`
	// Quantiles are the bounds between the bins by which a number takes part in pairs of columns. The bins hold about equal numbers of
	// the sample's fields. Without quantiles, a number takes part by its own bin.
	Quantiles []float64 `json:"quantiles,omitempty"`
	// Values is the number of different fields of a number in the sample.
	Values int `json:"values,omitempty"`
	// Constant is the one value that a number had in the sample. Its bins are not known until it varies.
	Constant string `json:"constant,omitempty"`
	// DecimalComma says that numbers are written as in 1.234,5.
	DecimalComma bool `json:"decimal_comma,omitempty"`
	// Reading says how fields become values. Without it the spelling is the item.
	Reading Reading `json:"reading,omitempty"`
	// Layout is the layout of a time, or of a column of another kind whose fields are times, for conditions: one of the layouts that begin
	// with "any", or one as in Go's package time, or "unix" or "unix ms".
	Layout string `json:"layout,omitempty"`
	// Zone is the zone whose clock the times get: "UTC" or "Europe/Berlin" for all times that name a zone, and "+01:00" for times of UTC,
	// such as 12:00:00Z or seconds since 1970. Other clocks are as written.
	Zone string `json:"zone,omitempty"`
	// Odd is the share of the first rows whose fields do not fit the column, such as "unknown" among numbers.
	Odd float64 `json:"odd,omitempty"`
	// Gap is the longest run of the first rows that lack a value between others that have one. Short runs are 0.
	Gap int `json:"gap,omitempty"`
	// Empty says that the column was left out because it had no value in the first rows.
	Empty bool `json:"empty,omitempty"`
	// Once is the number of the first rows if the column was left out because none of its values came twice in them.
	Once int `json:"once,omitempty"`
	// Derived are the categories that a time gives: hour and weekday.
	Derived []string `json:"derived,omitempty"`
	// Note tells people why the column has its kind. No program reads it.
	Note string `json:"note,omitempty"`
	// Suspect says why an input may give the target away. No model keeps it, since it may depend on the number of first rows.
	Suspect string `json:"-"`
}

// Schema describes the columns and the target of a stream. It may be written to a file, changed by hand and read again.
type Schema struct {
	Target  Target   `json:"target"`
	Columns []Column `json:"columns"` // in the order of a record's fields
	// Nested says that objects are taken apart at every depth. Schemas of before are without it: records.Options.OneLevel.
	Nested bool `json:"nested,omitempty"`
}

// Needed reports whether a record must have the column: to be learned, or only to be forecast.
func (c Column) Needed(learns bool) bool {
	return c.Kind != Dropped && (learns || !slices.Contains([]Kind{Label, ID, Weight}, c.Kind))
}

// Commas names the columns whose text has decimal commas. A column without a reading takes each field as it is spelled.
func (s Schema) Commas() []string {
	names := []string{}
	for _, c := range s.Columns {
		if c.DecimalComma && c.Reading != Verbatim || c.Kind == Label && s.Target.DecimalComma && s.Target.Reading != Verbatim {
			names = append(names, c.Name)
		}
	}
	return names
}

// Record is one row: the fields of all columns, in the order of the schema. An empty field is missing. An empty target is not known yet.
type Record []string

// Parse reads a schema from JSON and validates it. Unknown fields are errors.
func Parse(b []byte) (Schema, error) {
	var s Schema
	if err := json.Unmarshal(b, &s); err != nil {
		return Schema{}, remedy.With("show schema", errors.Wrap(err, "reading a schema"))
	}
	return s, s.Validate()
}

type plain Schema

// MarshalJSON returns the schema. Names and classes that are not UTF-8 are escaped: a file may have any encoding.
func (s Schema) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // the caller decides
	err := encoder.Encode(plain(s.each(text.Escape)))
	return b.Bytes(), err
}

// UnmarshalJSON reads what MarshalJSON returned. Unknown fields are errors.
func (s *Schema) UnmarshalJSON(b []byte) error {
	if n := bytes.Count(b, []byte("{")); n > 10*maxColumns { // each may be a column, which takes a hundred times its text
		return errors.Errorf("the schema has %d braces, and columns are limited to %d; take fewer", n, maxColumns)
	}
	err := text.Decode(b, (*plain)(s))
	*s = s.each(text.Unescape)
	return err
}

// each returns the schema with each text replaced that comes from a file or a command.
func (s Schema) each(replaced func(string) string) Schema {
	t := &s.Target
	t.Column, t.With = replaced(t.Column), replaced(t.With)
	t.Classes = slices.Clone(t.Classes)
	for i := range t.Classes {
		t.Classes[i] = replaced(t.Classes[i])
	}
	t.Weights = eachOf(t.Weights, replaced, func(w float64) float64 { return w })
	s.Columns = slices.Clone(s.Columns)
	for i := range s.Columns {
		c := &s.Columns[i]
		for _, one := range []*string{&c.Name, &c.Separator, &c.Same, &c.Constant, &c.Layout, &c.Note} {
			*one = replaced(*one)
		}
	}
	return s
}

// eachOf returns a map with its keys and values replaced; nil for an empty one.
func eachOf[V any](of map[string]V, key func(string) string, value func(V) V) (m map[string]V) {
	for k, v := range of {
		if m == nil {
			m = map[string]V{}
		}
		m[key(k)] = value(v)
	}
	return m
}

// maxColumns bounds the columns of a table. A model takes some kilobytes for each.
const maxColumns = 10_000

func checkColumns(n int) error {
	if n > maxColumns {
		return errors.Errorf("the table has %d columns, and columns are limited to %d; take fewer", n, maxColumns)
	}
	return nil
}

// Validate returns the first thing wrong with the schema and what would be right.
func (s Schema) Validate() error {
	if err := checkColumns(len(s.Columns)); err != nil {
		return err
	}
	seen := map[string]bool{}
	counts := map[Kind]int{}
	for _, c := range s.Columns {
		if seen[c.Name] {
			return errors.Errorf("column %q appears twice; give columns different names", c.Name)
		}
		seen[c.Name] = true
		counts[c.Kind]++
		if err := s.validateColumn(c); err != nil {
			return err
		}
	}
	for _, kind := range []Kind{ID, Weight, Label} {
		if counts[kind] > 1 {
			return errors.Errorf("the schema has %d columns of kind %q; there can be one", counts[kind], kind)
		}
	}
	if len(s.Inputs()) == 0 {
		return remedy.Errorf("keep", "no column is left to learn from; give the kind of one in the schema")
	}
	return s.Target.validate(s)
}

func (s Schema) validateColumn(c Column) error {
	switch {
	case c.Name == "":
		return errors.New("a column is without a name; give each column a name")
	case !slices.Contains(kinds(), c.Kind):
		return errors.Errorf("column %q is of kind %q; choose one of %v", c.Name, c.Kind, kinds())
	case c.Separator != "" && c.Kind != Category:
		return errors.Errorf("column %q has a separator and kind %q; only a category may have several items", c.Name, c.Kind)
	case c.Zone != "" && zone(c.Zone) == nil:
		return remedy.Errorf("values", "column %q has the zone %q; write it as Europe/Berlin or +01:00", c.Name, c.Zone)
	case c.Reading != Verbatim && !slices.Contains(readings(), c.Reading):
		return remedy.Errorf("values", "column %q has the reading %q; choose one of %q", c.Name, c.Reading, readings())
	case !slices.IsSorted(c.Edges):
		return errors.Errorf("column %q has edges %v; they must ascend", c.Name, c.Edges)
	case !slices.IsSorted(c.Quantiles) || len(c.Quantiles) > maxQuantiles:
		return errors.Errorf("column %q has quantiles %v; they must ascend, and be at most %d", c.Name, c.Quantiles, maxQuantiles)
	case c.Constant != "" && (c.Kind != Both || c.Separator != "" || c.Same != "" || len(c.Edges)+len(c.Quantiles) > 0):
		return errors.Errorf("column %q had the one value %q; it must be of kind %q and have no bins, or be without \"constant\"",
			c.Name, c.Constant, Both)
	case c.Reading == Times && slices.Contains([]Kind{Category, Number, Both}, c.Kind):
		return remedy.Errorf("values", "column %q has the reading %q and is no time; make it one, or choose another reading", c.Name,
			c.Reading)
	case c.Kind == Time && (c.Layout == "" || len(c.Derived) == 0):
		return errors.Errorf("column %q is a time with layout %q that gives %v; name a layout, such as %q, and what to derive: %v",
			c.Name, c.Layout, c.Derived, dayFirst, derivable())
	}
	for i, d := range c.Derived {
		if !slices.Contains(derivable(), d) || slices.Contains(c.Derived[:i], d) {
			return errors.Errorf("column %q derives %q; choose from %v, each once", c.Name, d, derivable())
		}
	}
	if c.Same == "" {
		return nil
	}
	as := s.column(c.Same)
	switch {
	case as < 0:
		return errors.Errorf("column %q shares the items of %q, which is no column%s", c.Name, c.Same, nearest.Column(c.Same, s.Names()))
	case c.Kind != Category || s.Columns[as].Kind != Category || s.Columns[as].Same != "" || c.Same == c.Name:
		return errors.Errorf("column %q shares the items of %q; both must be categories, and %[2]q must have its own items", c.Name, c.Same)
	case c.Opposite && s.Target.Outputs() > 1 || c.Opposite && s.Target.Kind == Count:
		return errors.Errorf("column %q counts negatively; that needs a target of two classes, or a number", c.Name)
	}
	return nil
}

// Names returns the names of the columns.
func (s Schema) Names() []string {
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		names[i] = c.Name
	}
	return names
}

// Reads says how fields become values, for people.
func (c Column) Reads() string {
	comma := map[bool]string{true: " with a decimal comma"}[c.DecimalComma]
	if c.Kind != Time && c.Reading != Times {
		c.Layout, c.Zone = "", ""
	}
	return strings.TrimSpace(cmp.Or(string(c.Reading), "as written") + comma + " " + c.Layout + " " + c.Zone)
}

// Missing lists the fields that have no value, in small letters.
func (c Column) Missing() []string {
	if c.Reading == Verbatim || c.Reading == Text {
		return []string{""}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(truthsAndMarks)), func(word string) bool { return truthsAndMarks[word] != "" })
}

// Summary lists the target and the columns for people, one line for each.
func (s Schema) Summary() string {
	lines := fmt.Sprintf("%-15s %s\n", Label, s.Target)
	if s.Target.Note != "" {
		lines += "warning: " + s.Target.Note + "\n"
	}
	for _, c := range s.Columns {
		note := strings.Trim(c.Note+"; "+c.Suspect, "; ")
		if note != "" {
			note = "  (" + note + ")"
		}
		if c.Kind != Label {
			lines += fmt.Sprintf("%-15s %s%s\n", cmp.Or(map[Kind]string{Both: "item and number"}[c.Kind], string(c.Kind)), c.Name, note)
		}
	}
	return lines
}

// column returns the place of a column; −1 if there is none of this name.
func (s Schema) column(name string) int {
	return slices.IndexFunc(s.Columns, func(c Column) bool { return c.Name == name })
}

// PlaceOf returns the place of the column of a kind; −1 if there is none. A schema has at most one column of the kinds asked for.
func (s Schema) PlaceOf(k Kind) int {
	return slices.IndexFunc(s.Columns, func(c Column) bool { return c.Kind == k })
}
