package schema

import (
	"fmt"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// column makes the fields of n records.
func column(n int, field func(i int) string) []string {
	fields := make([]string, n)
	for i := range n {
		fields[i] = field(i)
	}
	return fields
}

func inferred(t *testing.T, n int, h Hints, columns map[string]func(i int) string, order ...string) (Schema, error) {
	t.Helper()
	sample := make([][]string, n)
	for _, name := range order {
		for i, f := range column(n, columns[name]) {
			sample[i] = append(sample[i], f)
		}
	}
	return Infer(order, sample, h)
}

func label(i int) string { return []string{"no", "yes"}[i*i%7%2] }

// Infer finds the kind of each column.
func TestInferKinds(t *testing.T) {
	for _, test := range []struct {
		name  string
		field func(i int) string
		kind  Kind
		note  string
	}{
		{"words", func(i int) string { return "w" + fmt.Sprint(i%9) }, Category, ""},
		{"codes with zeros", func(i int) string { return fmt.Sprintf("%05d", i%50) }, Category, ""},
		{"userId", func(i int) string { return fmt.Sprint(i % 50) }, Category, "name"},
		{"customer_id", func(i int) string { return fmt.Sprint(i % 50) }, Category, "name"},
		{"age", func(i int) string { return fmt.Sprint(20 + i%50) }, Both, ""},
		{"flag", func(i int) string { return fmt.Sprint(i % 2) }, Category, ""},
		{"price", func(i int) string { return fmt.Sprintf("%d.99", i%20) }, Both, ""},
		{"price in euros", func(i int) string { return fmt.Sprintf("%d,99", i%20) }, Both, ""},
		{"price with sign", func(i int) string { return fmt.Sprintf("$%d,000.50", i%20+1) }, Both, ""},
		{"weight", func(i int) string { return fmt.Sprintf("%.6f", 1/float64(i+3)) }, Number, "once"},
		{"mostly numbers", func(i int) string {
			if i%40 == 0 {
				return "unknown"
			}
			return fmt.Sprintf("%d.5", i%30)
		}, Both, ""},
		{"when", func(i int) string { return fmt.Sprintf("2026-01-%02d %02d:00:00", 1+i%28, i%24) }, Time, "hour and weekday"},
		{"day", func(i int) string { return fmt.Sprintf("%d/%d/2026", 1+i%12, 1+i%28) }, Time, "weekday"},
		{"timestamp", func(i int) string { return fmt.Sprint(1700000000 + 61*i) }, Time, ""},
		{"created_at", func(i int) string { return fmt.Sprint(1700000000000 + 61000*int64(i)) }, Time, ""},
		{"row", func(i int) string { return fmt.Sprint(i) }, Dropped, "twice"},
		{"uuid", func(i int) string { return fmt.Sprintf("%08x-%04x", i*2654435761%4294967296, i) }, Dropped, "twice"},
		{"text", func(i int) string { return fmt.Sprint("a long remark, number ", i) }, Dropped, "twice"},
		{"empty", func(int) string { return "" }, Dropped, "empty"},
		{"constant", func(int) string { return "EU" }, Category, ""},
		{"copy", func(i int) string { return strings.ToUpper(label(i)) }, Dropped, "gives the target away"},
		{"paid", func(i int) string { return map[string]string{"yes": "12.5", "no": "0."}[label(i)] + fmt.Sprint(i%3) }, Dropped, "gives the target away"},
		{"nearly a copy", func(i int) string {
			if i == 100 {
				return "MAYBE"
			}
			return strings.ToUpper(label(i))
		}, Category, ""},
	} {
		s, err := inferred(t, 200, Hints{Target: "y"}, map[string]func(i int) string{test.name: test.field, "other": func(i int) string { return fmt.Sprint("o", i%3) }, "y": label}, test.name, "other", "y")
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if c := s.Columns[0]; c.Kind != test.kind || !strings.Contains(c.Note, test.note) {
			t.Errorf("%s is %s (%s), want %s (%s)", test.name, c.Kind, c.Note, test.kind, test.note)
		}
	}
}

// Infer drops a column that is written after the target, even if it is not a copy of the target. A column that says much and is known
// before the target stays.
func TestInferLeaks(t *testing.T) {
	const rows = 4000
	label := func(i int) string { return []string{"no", "no", "yes"}[i*7919%rows%3] }
	yes := func(i int) bool { return label(i) == "yes" }
	for _, test := range []struct {
		name    string
		field   func(i int) string
		dropped string // "": it stays
	}{
		{"refund", func(i int) string {
			if yes(i) {
				return fmt.Sprintf("%d.%02d", i%40, i%97)
			}
			return ""
		}, "filled for some classes"},
		{"reason", func(i int) string {
			if yes(i) {
				return []string{"too small", "damaged", "late"}[i%3]
			}
			return ""
		}, "each of its values"},
		{"copy with an error", func(i int) string {
			if i == 100 {
				return "no"
			}
			return label(i)
		}, "each of its values"},
		{"score afterwards", func(i int) string {
			return fmt.Sprintf("%.4f", map[bool]float64{true: 1, false: 0}[yes(i)]+float64(i*31%1000)/900)
		}, ""},
		{"score long afterwards", func(i int) string {
			return fmt.Sprintf("%.4f", map[bool]float64{true: 1, false: 0}[yes(i)]+float64(i*31%1000)/999)
		}, "a bound on its numbers"},
		{"remark in half of them", func(i int) string {
			if yes(i) && i%2 == 0 {
				return "called " + fmt.Sprint(i%10)
			}
			return ""
		}, ""},
		{"smell", func(i int) string { return map[bool]string{true: "foul", false: "none"}[yes(i) != (i%60 == 0)] }, ""},
		{"customer", func(i int) string { return fmt.Sprint(label(i), i%5) }, ""}, // ten names, each all of one class
		{"constant", func(int) string { return "EU" }, ""},
		{"order", func(i int) string { return fmt.Sprintf("o%d", max(i, 30)) }, "hardly a value"},
	} {
		s, err := inferred(t, rows, Hints{Target: "y"}, map[string]func(i int) string{test.name: test.field, "other": func(i int) string { return fmt.Sprint(i % 5) }, "y": label}, test.name, "other", "y")
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if c := s.Columns[0]; (c.Kind == Dropped) != (test.dropped != "") || !strings.Contains(c.Note, test.dropped) {
			t.Errorf("%s is %s (%s), want it dropped: %t (%s)", test.name, c.Kind, c.Note, test.dropped != "", test.dropped)
		}
	}
}

// A table's only column stays, even if it gives the target away.
func TestInferKeepsTheOnlyColumn(t *testing.T) {
	s, err := inferred(t, 200, Hints{Target: "y"}, map[string]func(i int) string{"x": label, "y": label}, "x", "y")
	if err != nil || s.Columns[0].Kind != Category || !strings.Contains(s.Columns[0].Note, "no other column is left") {
		t.Errorf("%+v, %v", s, err)
	}
}

// A few records say nothing about repetition, so no column is dropped for it.
func TestInferFewRecords(t *testing.T) {
	s, err := inferred(t, 3, Hints{Target: "y"}, map[string]func(i int) string{"name": func(i int) string { return fmt.Sprint("n", i) }, "y": func(i int) string { return fmt.Sprint(i % 2) }}, "name", "y")
	if err != nil || s.Columns[0].Kind != Category {
		t.Errorf("%+v, %v", s, err)
	}
}

// The kind of the target follows from its labels and from the user's hints.
func TestInferTargets(t *testing.T) {
	text := func(labels ...string) func(i int) string {
		return func(i int) string { return labels[i%len(labels)] }
	}
	for _, test := range []struct {
		name    string
		hints   Hints
		field   func(i int) string
		kind    TargetKind
		classes string
		problem string
	}{
		{"two words", Hints{Target: "y"}, text("b", "a"), Classes, "a b", ""},
		{"0 and 1", Hints{Target: "y"}, text("1", "0"), Classes, "0 1", ""},
		{"several words", Hints{Target: "y"}, text("b", "c", "a"), Classes, "a b c " + Other, ""},
		{"whole numbers, few", Hints{Target: "y"}, text("10", "9", "2"), Classes, "2 9 10 " + Other, ""},
		{"stars with halves", Hints{Target: "y"}, text("4.0", "3.5", "5.0"), Amount, "", ""},
		{"whole numbers, many", Hints{Target: "y"}, func(i int) string { return fmt.Sprint(i % 37) }, Amount, "", ""},
		{"as a count", Hints{Target: "y", As: Count}, text("0", "3"), Count, "", ""},
		{"as classes", Hints{Target: "y", As: Classes}, text("4.0", "3.0", "5.0"), Classes, "3.0 4.0 5.0 " + Other, ""},
		{"named classes", Hints{Target: "y", Classes: []string{"yes", "no"}}, text("no", "yes"), Classes, "yes no", ""},
		{"a comparison", Hints{Target: "y >= 3"}, text("1", "3"), Classes, "no y >= 3", ""},
		{"a class", Hints{Target: "y=b"}, text("a", "b", "c"), Classes, "no y=b", ""},
		{"a logarithm", Hints{Target: "log2(y)"}, text("1", "3"), Amount, "", ""},
		{"one class", Hints{Target: "y"}, text("a"), "", "", "in all of the first"},
		{"empty", Hints{Target: "y"}, text(""), "", "", "is empty"},
		{"mistyped", Hints{Target: "Y1"}, text("a", "b"), "", "", `did you mean "y"`},
		{"none", Hints{}, text("a", "b"), "", "", "such as y"},
		{"a comparison with a word", Hints{Target: "y>many"}, text("1", "2"), "", "", "compares with no number"},
		{"a comparison and classes", Hints{Target: "y>1", Classes: []string{"a", "b"}}, text("1", "2"), "", "", "leave out other classes"},
		{"too many classes", Hints{Target: "y", As: Classes}, func(i int) string { return fmt.Sprint("c", i) }, "", "", "has 201 classes"},
		{"an unknown column", Hints{Target: "y", Kinds: map[string]Kind{"x1": Dropped}}, text("a", "b"), "", "", `"x1" is no column; did you mean "x"?`},
	} {
		s, err := inferred(t, 200, test.hints, map[string]func(i int) string{"x": func(i int) string { return fmt.Sprint("x", i*i%5) }, "y": test.field}, "x", "y")
		switch {
		case test.problem != "":
			if err == nil || !strings.Contains(err.Error(), test.problem) {
				t.Errorf("%s: %v, want %q", test.name, err, test.problem)
			}
		case err != nil:
			t.Errorf("%s: %v", test.name, err)
		case s.Target.Kind != test.kind || strings.Join(s.Target.Classes, " ") != test.classes:
			t.Errorf("%s: %s %q, want %s %q", test.name, s.Target.Kind, s.Target.Classes, test.kind, test.classes)
		}
	}
}

// Numbers far from 0 get bins of their own, since one logarithmic bin would hold all of them.
func TestEdges(t *testing.T) {
	columns := map[string]func(i int) string{
		"year":      func(i int) string { return fmt.Sprint(1990 + i%30) },
		"longitude": func(i int) string { return fmt.Sprintf("%.3f", 151+float64(i%50)/100) },
		"price":     func(i int) string { return fmt.Sprintf("%.2f", float64(i%50)+0.5) },
		"y":         label,
	}
	s := filetest.Must(inferred(t, 300, Hints{Target: "y"}, columns, "year", "longitude", "price", "y"))(t)
	for i, want := range []bool{true, true, false} {
		c := s.Columns[i]
		if got := len(c.Edges) > 0; got != want {
			t.Errorf("%s has edges %v", c.Name, c.Edges)
		}
	}
}

func TestParseNumber(t *testing.T) {
	for _, test := range []struct {
		field string
		comma bool
		want  float64
		ok    bool
	}{
		{"12.5", false, 12.5, true}, {"-3e2", false, -300, true}, {"1,234.5", false, 1234.5, true}, {"1,234,567", false, 1234567, true},
		{"1,23", false, 0, false}, {"1.234,5", true, 1234.5, true}, {"0,5", true, 0.5, true}, {"$12", false, 12, true}, {"3 %", false, 3, true},
		{"1'000", false, 1000, true}, {"NaN", false, 0, false}, {"Inf", false, 0, false}, {"", false, 0, false}, {"twelve", false, 0, false}, {"12 pieces", false, 0, false},
	} {
		if got, ok := (&Column{DecimalComma: test.comma}).Number(test.field); ok != test.ok || ok && got != test.want {
			t.Errorf("%q, comma %v: %v, %v", test.field, test.comma, got, ok)
		}
	}
}

func TestSchemaErrors(t *testing.T) {
	two := Target{Column: "y", Kind: Classes, Classes: []string{"no", "yes"}}
	x, y := Column{Name: "x", Kind: Category}, Column{Name: "y", Kind: Label}
	for problem, s := range map[string]Schema{
		"appears twice":             {two, []Column{x, x, y}},
		"without a name":            {two, []Column{{Kind: Category}, y}},
		"of kind \"odd\"":           {two, []Column{{Name: "x", Kind: "odd"}, y}},
		"no column is left":         {two, []Column{{Name: "x", Kind: Dropped}, y}},
		"make it \"target\"":        {two, []Column{x, {Name: "y", Kind: Category}}},
		"the target \"y\" is no":    {two, []Column{x}},
		"has a separator":           {two, []Column{{Name: "x", Kind: Number, Separator: "|"}, y}},
		"they must ascend":          {two, []Column{{Name: "x", Kind: Number, Edges: []float64{2, 1}}, y}},
		"name a layout":             {two, []Column{{Name: "x", Kind: Time}, y}},
		"derives \"year\"":          {two, []Column{{Name: "x", Kind: Time, Layout: unix, Derived: []string{"year"}}, y}},
		"which is no column":        {two, []Column{{Name: "x", Kind: Category, Same: "z"}, y}},
		"must have its own":         {two, []Column{{Name: "x", Kind: Category, Same: "x"}, y}},
		"2 columns of kind \"id\"":  {two, []Column{x, {Name: "a", Kind: ID}, {Name: "b", Kind: ID}, y}},
		"needs 2 to 64":             {Target{Column: "y", Kind: Classes, Classes: []string{"a"}}, []Column{x, y}},
		"they must differ":          {Target{Column: "y", Kind: Classes, Classes: []string{"a", "a"}}, []Column{x, y}},
		"is not one of the classes": {Target{Column: "y", Kind: Classes, Classes: []string{"a", "b"}, Weights: map[string]float64{"c": 2}}, []Column{x, y}},
		"weights are positive":      {Target{Column: "y", Kind: Classes, Classes: []string{"a", "b"}, Weights: map[string]float64{"b": 0}}, []Column{x, y}},
		"choose log2":               {Target{Column: "y", Kind: Amount, Transform: "exp"}, []Column{x, y}},
		"counts negatively":         {Target{Column: "y", Kind: Classes, Classes: []string{"a", "b", "c"}}, []Column{x, {Name: "z", Kind: Category, Same: "x", Opposite: true}, y}},
	} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%v, want %q", err, problem)
		}
	}
	if _, err := Parse([]byte(`{"target": {"column": "y", "kind": "number"}, "colums": []}`)); err == nil || !strings.Contains(err.Error(), "colums") {
		t.Error(err)
	}
}
