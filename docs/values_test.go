package docs

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

var (
	span  = regexp.MustCompile("`([^`]+)`")
	share = regexp.MustCompile(`(\d+) %`)
)

// spans returns the texts in code spans.
func spans(text string) (list []string) {
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// table returns the cells of the table below a header.
func table(t *testing.T, page, header string) (rows [][]string) {
	t.Helper()
	_, rest, found := strings.Cut(page, "\n| "+header+" |")
	rest, _, _ = strings.Cut(rest, "\n\n")
	for _, line := range strings.Split(rest, "\n")[min(2, strings.Count(rest, "\n")):] {
		rows = append(rows, strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | "))
	}
	if !found || len(rows) < 3 {
		t.Fatalf("the table %q has %d rows", header, len(rows))
	}
	return rows
}

// reads returns the items of a field, and whether the column can read it.
func reads(c schema.Column, field string) (items string, ok bool) {
	if c.Name, c.Kind = "x", schema.Category; c.Reading == schema.Times {
		c.Kind, c.Derived = schema.Time, []string{"hour", "weekday"}
	}
	ok = true
	for _, in := range (schema.Schema{Columns: []schema.Column{c}}).Inputs() {
		item, _, _ := in.Read(schema.Record{field})
		items, ok = items+" "+item, ok && !in.Odd
	}
	return items, ok
}

// inferred returns the first column of a table: its fields come in turn, and some of 1,000 rows hold a word.
func inferred(t *testing.T, name string, fields []string, words int) schema.Column {
	t.Helper()
	var rows [][]string
	for i := range 1000 {
		row := []string{fields[i%len(fields)], strconv.Itoa(i * i / 3 % 2)}
		if i < words {
			row[0] = "word"
		}
		rows = append(rows, row)
	}
	s := filetest.Must(schema.Infer([]string{name, "y"}, rows, schema.Hints{Target: "y", Kinds: map[string]schema.Kind{name: schema.Kept}}))(t)
	return s.Columns[0]
}

// The program reads each field of docs/values.md as the page says.
func TestValues(t *testing.T) {
	t.Parallel()
	page := read(t, "values.md")
	narrow(t, "values.md", page)
	_, marks, _ := strings.Cut(page, "\n**Missing.**")
	marks, _, _ = strings.Cut(marks, ". In a column of text")
	for _, row := range table(t, page, "reading") {
		c := schema.Column{Reading: schema.Reading(spans(row[0])[0]), Layout: "any"}
		t.Run(string(c.Reading), func(t *testing.T) { testReading(t, c, row[1:], spans(marks)) })
	}
	for _, row := range table(t, page, "field") {
		for i, comma := range []bool{false, true} {
			c := schema.Column{Kind: schema.Number, Reading: schema.Numbers, DecimalComma: comma}
			in := (schema.Schema{Columns: []schema.Column{c}}).Inputs()[0]
			if _, got, ok := in.Read(schema.Record{spans(row[0])[0]}); !ok || fmt.Sprint(got) != spans(row[1+i])[0] {
				t.Errorf("decimal comma %v: %s is %v", comma, row[0], got)
			}
		}
	}
	for _, row := range table(t, page, "layout") {
		for _, field := range spans(row[1]) {
			got, ok := reads(schema.Column{Reading: schema.Times, Layout: "any"}, field)
			if !ok || got != " 12 Wednesday" && (got != "  Wednesday" || strings.Contains(field, "12")) {
				t.Errorf("%s, %q: %q", row[0], field, got)
			}
		}
	}
	for layout, want := range map[string]string{"any": "  ", "any, day/month": "  Tuesday", "any, month/day": "  Thursday"} {
		for _, field := range []string{"2/1/2018", "2-1-2018"} {
			if got, ok := reads(schema.Column{Reading: schema.Times, Layout: layout}, field); got != want || ok != (layout != "any") || !strings.Contains(page, layout) {
				t.Errorf("%s by %q: %q", field, layout, got)
			}
		}
	}
	for told, want := range map[string]string{"5/6/2026": "", "13/6/2026": "any, day/month", "6/13/2026": "any, month/day"} { // in 2 % of the rows
		if c := inferred(t, "x", append(slices.Repeat([]string{"1/2/2026", "3/4/2026"}, 24), told, told), 0); c.Layout != want {
			t.Errorf("%s tells the layout %q", told, c.Layout)
		}
	}
	_, own, _ := strings.Cut(page, "```json\n")
	own, _, _ = strings.Cut(own, "```")
	var s schema.Schema
	filetest.Check(t, json.Unmarshal([]byte(own), &s))
	filetest.Check(t, s.Validate())
}

// testReading tests a row of the table of readings: when it is chosen, one value, two values, and no value.
func testReading(t *testing.T, c schema.Column, row, marks []string) {
	var fields []string
	for _, group := range strings.Split(row[1], "; ") {
		list := spans(group)
		fields = append(fields, list[0])
		for _, field := range list {
			first, _ := reads(c, list[0])
			if got, ok := reads(c, field); got != first || !ok {
				t.Errorf("%q is %q, and %q is %q", list[0], first, field, got)
			}
		}
	}
	for _, group := range strings.Split(row[2], "; ") {
		seen := map[string]string{}
		for _, field := range spans(group) {
			got, ok := reads(c, field)
			if before, same := seen[got]; same || !ok {
				t.Errorf("%q and %q are %q", before, field, got)
			}
			seen[got] = field
		}
	}
	for _, field := range spans(row[3]) {
		if got, ok := reads(c, field); ok {
			t.Errorf("%q is read as %q", field, got)
		}
	}
	for _, mark := range marks {
		for _, field := range []string{mark, strings.ToLower(mark), strings.ToUpper(mark) + " "} {
			if got, ok := reads(c, field); !ok || (strings.TrimSpace(got) == "") != (c.Reading != schema.Text) {
				t.Errorf("%q is %q, %v", field, got, ok)
			}
		}
	}
	if m := share.FindStringSubmatch(row[0]); m != nil {
		words := 1000 - 10*int(filetest.Must(strconv.ParseInt(m[1], 10, 64))(t))
		for more, want := range map[int]bool{0: true, 1: false} {
			if got := inferred(t, "x", fields, words+more).Reading; (got == c.Reading) != want {
				t.Errorf("%q with %d words: %q", fields, words+more, got)
			}
		}
	}
}

// Zeros before a number, and behind the point of a version, are part of a name.
func TestNamesOfDigits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		fields  []string
		numbers bool
		two     bool // the first two fields are two items
	}{
		{"x", append(slices.Repeat([]string{"7"}, 199), "007"), true, false},
		{"x", append(slices.Repeat([]string{"7"}, 99), "007"), false, false},
		{"app_version", []string{"1.1", "1.10", "1.9", "2.0"}, true, true},
		{"price", []string{"1.1", "1.10", "1.9", "2.0"}, true, false},
		{"version", []string{"12.51", "12.510", "13.25"}, true, false},
	} {
		c := inferred(t, test.name, test.fields, 0)
		a, _ := reads(c, test.fields[0])
		b, _ := reads(c, test.fields[1])
		if numbers := strings.HasPrefix(string(c.Reading), "numbers"); numbers != test.numbers || (a != b) != test.two {
			t.Errorf("%s %q: %q, items %q and %q", test.name, test.fields[:2], c.Reading, a, b)
		}
	}
}
