package schema

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/remedy"
	"gophe/phe/remedy/nearest"
)

// TargetKind is the kind of a target.
type TargetKind string

const (
	Classes TargetKind = "classes" // one of two or more classes
	Amount  TargetKind = "number"  // a number, with an interval
	Count   TargetKind = "count"   // a whole number from 0 on, with its distribution
)

// Target says which column is forecast, and in which form.
type Target struct {
	Column string     `json:"column"`
	Kind   TargetKind `json:"kind"`
	// Classes are the labels. Of two, the second's probability is forecast. Other as the last of several means every label not in the list.
	Classes []string `json:"classes,omitempty"`
	// Compare and With make two classes of a column. Compare is "=", ">=", ">", "<=" or "<", and With is the value to compare with.
	Compare string `json:"compare,omitempty"`
	With    string `json:"with,omitempty"`
	// Transform is applied to a number before it is learned: "log2", "log", "log1p" or "sqrt".
	Transform string `json:"transform,omitempty"`
	// Weights are the classes' weights. A class without a weight has weight 1. Weights change the meaning of the probabilities: a
	// class of weight 10 is forecast as if it came ten times as often. Learning is the same without them.
	Weights map[string]float64 `json:"weights,omitempty"`
	// Reading says how the column's fields become values, as in Column.
	Reading Reading `json:"reading,omitempty"`
	// DecimalComma says that the target's numbers are written as in 1.234,5.
	DecimalComma bool `json:"decimal_comma,omitempty"`
	// Layout and Zone describe times, as in Column.
	Layout string `json:"layout,omitempty"`
	Zone   string `json:"zone,omitempty"`
	// Note warns people. No program reads it.
	Note string `json:"note,omitempty"`
}

// Other is the class of labels that are not in the list.
const Other = "(other)"

var (
	comparison = regexp.MustCompile(`^(.+?)\s*(>=|<=|==|=|>|<)\s*(.+)$`)
	transform  = regexp.MustCompile(`^(log2|log1p|log|sqrt)\((.+)\)$`)
)

// parseTarget reads a target as people write it: a column, a comparison such as "Quantity>=12", or a transform such as "log2(Quantity)". If
// the whole text is the name of a column, it means that column.
func parseTarget(expression string, columns []string) (Target, error) {
	expression = strings.TrimSpace(expression)
	t := Target{Column: expression}
	if expression == "" {
		last := strings.Join(columns[max(0, len(columns)-1):], "")
		return t, remedy.Errorf("target", "there is no target; name the column to forecast, such as %s", last)
	}
	if !slices.Contains(columns, expression) {
		if m := transform.FindStringSubmatch(expression); m != nil {
			t = Target{Column: strings.TrimSpace(m[2]), Kind: Amount, Transform: m[1]}
		} else if compares, ok := compared(expression); ok {
			t = compares
		}
	}
	if !slices.Contains(columns, t.Column) {
		err := errors.Errorf("the target %q is no column%s", t.Column, nearest.Column(t.Column, columns))
		if len(columns) == 1 {
			return t, remedy.With("delimiter", err)
		}
		return t, err
	}
	return t, nil
}

// TargetColumn returns the target's column among some columns.
func (h Hints) TargetColumn(columns []string) (string, error) {
	t, err := parseTarget(h.Target, columns)
	return t.Column, err
}

// String describes the target for people.
func (t Target) String() string {
	name := t.Column
	if t.Transform != "" {
		name = t.Transform + "(" + t.Column + ")"
	}
	switch {
	case t.Kind == Classes && len(t.Classes) == 2:
		return fmt.Sprintf("the probability of %s: %q", name, t.Classes[1])
	case t.Kind == Classes:
		return fmt.Sprintf("%s, one of %d classes: %s", name, len(t.Classes), strings.Trim(fmt.Sprintf("%q", t.Classes), "[]"))
	case t.Kind == Count:
		return name + ", a count"
	}
	return name + ", a number"
}

// Outputs returns the number of logits that the target needs.
func (t Target) Outputs() int {
	if t.Kind == Classes && len(t.Classes) > 2 {
		return len(t.Classes)
	}
	return 1
}

// Class returns the place of a class among the classes, and −1 for "".
func (t Target) Class(name string) (int, error) {
	k := slices.Index(t.Classes, name)
	switch {
	case name == "" || k >= 0:
		return k, nil
	case len(t.Classes) == 0:
		return 0, errors.Errorf("the target %q is a number and has no class %q; leave the class out", t.Column, name)
	}
	return 0, errors.Errorf("%q is no class of %q; %s", name, t.Column, nearest.Choose(name, t.Classes))
}

func (t Target) validate(s Schema) error {
	at := s.column(t.Column)
	switch {
	case at < 0:
		return errors.Errorf("the target %q is no column%s", t.Column, nearest.Column(t.Column, s.Names()))
	case s.Columns[at].Kind != Label:
		return errors.Errorf("the target %q is of kind %q; make it %q", t.Column, s.Columns[at].Kind, Label)
	case t.Kind != Classes && t.Kind != Amount && t.Kind != Count:
		return errors.Errorf("the target is of kind %q; choose %q, %q or %q", t.Kind, Classes, Amount, Count)
	case t.Kind != Classes && (t.Compare != "" || len(t.Classes) > 0 || len(t.Weights) > 0):
		return errors.Errorf("the target is of kind %q and has classes; only %q has them", t.Kind, Classes)
	case t.Kind != Amount && t.Transform != "":
		return errors.Errorf("the target is of kind %q with transform %q; only a %q has one", t.Kind, t.Transform, Amount)
	case transforms[t.Transform] == nil:
		return errors.Errorf("the target's transform is %q; choose log2, log, log1p or sqrt", t.Transform)
	case t.Reading != Verbatim && !slices.Contains(readings(), t.Reading):
		return errors.Errorf("the target %q has the reading %q; choose one of %q", t.Column, t.Reading, readings())
	case !slices.Contains([]string{"", "=", ">=", ">", "<=", "<"}, t.Compare):
		return errors.Errorf("the target compares by %q; choose =, >=, >, <= or <", t.Compare)
	}
	if t.Kind == Classes {
		return t.validateClasses()
	}
	return nil
}

func (t Target) validateClasses() error {
	n := len(t.Classes)
	if n > 0 && t.Classes[n-1] == Other {
		n--
	}
	if len(t.Classes) < 2 || n > maxClasses {
		return remedy.Errorf("classes or kind",
			"the target %q has %d classes; it needs 2 to %d. Name those that matter and %s, or forecast a number or a count",
			t.Column, n, maxClasses, Other)
	}
	for i, class := range t.Classes {
		if slices.ContainsFunc(t.Classes[:i], func(other string) bool { return t.same(other, class) }) || class == "" {
			return errors.Errorf("the classes of %q are %q; they must differ, and none may be empty", t.Column, t.Classes)
		}
	}
	if t.Compare != "" {
		if len(t.Classes) != 2 {
			return errors.Errorf("the target %s%s%s has %d classes; a comparison has two", t.Column, t.Compare, t.With, len(t.Classes))
		}
		if _, ok := t.order(t.With, t.With); !ok && t.Compare != "=" {
			return remedy.Errorf("values", "the target %s%s%s compares with no number, and no time", t.Column, t.Compare, t.With)
		}
	}
	for class, w := range t.Weights {
		if !slices.Contains(t.Classes, class) {
			return errors.Errorf("class %q has a weight and is not one of the classes %q", class, t.Classes)
		}
		if !(w > 0 && w <= maxNumber) {
			return errors.Errorf("class %q has weight %g; weights are positive, up to %g", class, w, maxNumber)
		}
	}
	return nil
}

// Parse reads a label: the number of a class, a number or a count. An empty field is unknown, and so is a missing mark that is no class.
func (t Target) Parse(field string) (value float64, known bool, err error) {
	if field == "" || field != t.With && !slices.Contains(t.Classes, field) && t.value(field) == "" {
		return 0, false, nil
	}
	switch {
	case t.Compare != "":
		value, err = t.compare(field)
	case t.Kind == Classes:
		value, err = t.class(field)
	default:
		value, err = t.number(field)
	}
	return value, err == nil, err
}

func (t Target) class(field string) (float64, error) {
	k := slices.Index(t.Classes, field) // there are few
	if k < 0 {
		k = slices.IndexFunc(t.Classes, func(class string) bool { return t.same(class, field) })
	}
	if k >= 0 {
		return float64(k), nil
	}
	last := len(t.Classes) - 1
	if t.Classes[last] == Other {
		return float64(last), nil
	}
	return 0, remedy.With("classes", &FieldError{t.Column, field,
		"it is none of the classes " + strings.Trim(fmt.Sprintf("%q", t.Classes), "[]"),
		"start anew with all classes: " + strings.Trim(strconv.Quote(strings.Join(append(slices.Clone(t.Classes), field), ",")), `"`) +
			", or with one: " + t.Column + "=" + t.Classes[min(1, last)]})
}

func (t Target) compare(field string) (float64, error) {
	holds, ok := t.holds(field)
	if !ok {
		return 0, &FieldError{t.Column, field, "the target compares it with " + t.With + ", and it is no such value",
			"correct it, or leave it empty"}
	}
	if holds {
		return 1, nil
	}
	return 0, nil
}

func (t Target) number(field string) (float64, error) {
	wrong := func(problem, remedy string) error { return &FieldError{t.Column, field, problem, remedy} }
	v, ok := t.Reading.number(field, t.DecimalComma)
	if !ok {
		return 0, wrong("it is no number", "correct it, or leave it empty")
	}
	if t.Kind == Count {
		if v < 0 || v != math.Trunc(v) || v > maxCount {
			return 0, remedy.With("number", wrong("a count is a whole number from 0 to "+strconv.Itoa(maxCount),
				"correct it, or forecast a number"))
		}
		return v, nil
	}
	switch y := transforms[t.Transform](v); {
	case math.IsNaN(y) || math.IsInf(y, 0):
		return 0, remedy.With("condition", wrong("it has no "+t.Transform, "keep such rows out"))
	case math.Abs(y) > maxNumber:
		forecast := "correct it, or forecast its logarithm, log(" + t.Column + ")"
		return 0, remedy.With("transform", wrong("it is beyond what can be learned", forecast))
	default:
		return y, nil
	}
}

var transforms = map[string]func(float64) float64{
	"": func(v float64) float64 { return v }, "log2": math.Log2, "log": math.Log, "log1p": math.Log1p, "sqrt": math.Sqrt,
}

const (
	maxClasses = 64      // without Other; each class has its own numbers in every table
	lastCell   = 1 << 20 // package gophe/phe/count tells counts apart up to here
	maxCount   = 1 << 50 // keeps a count inside the arithmetic of its distribution
	maxNumber  = 1e30    // keeps sums of squares finite
)

// FieldError is the error of a field that does not fit its column.
type FieldError struct {
	Column, Value   string
	Problem, Remedy string
}

// Error returns one line that names the field, the problem and the remedy.
func (e *FieldError) Error() string {
	value := e.Value
	const most = 60
	if len(value) > most {
		value = value[:most] + "…"
	}
	return "column " + strconv.Quote(e.Column) + " holds " + strconv.Quote(value) + ": " + e.Problem + "; " + e.Remedy
}
