package docs

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// spans returns the texts in code spans.
func spans(text string) (list []string) {
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			list = append(list, part)
		}
	}
	return list
}

// table returns the cells of the table below a header.
func table(t *testing.T, page, header string) (rows [][]string) {
	t.Helper()
	m := regexp.MustCompile(`(?m)^\| ` + header + ` \|.*\n.*\n((\|.*\n)+)`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("there is no table %q", header)
	}
	for line := range strings.Lines(m[1]) {
		rows = append(rows, strings.Split(strings.Trim(line, "| \n"), " | "))
	}
	return rows
}

// reads returns the items of a field, and whether the column can read it.
func reads(c schema.Column, field string) (items string, ok bool) {
	if c.Name, c.Kind = "x", schema.Category; c.Reading == schema.Times {
		c.Kind, c.Layout, c.Derived = schema.Time, "any", []string{"hour", "weekday"}
	}
	ok = true
	for _, in := range (schema.Schema{Columns: []schema.Column{c}}).Inputs() {
		item, _, _ := in.Read(schema.Record{field})
		items, ok = items+" "+item, ok && !in.Odd
	}
	return items, ok
}

// The program reads each field of docs/values.md as the page says.
func TestValues(t *testing.T) {
	t.Parallel()
	page := read(t, "values.md")
	narrow(t, "values.md", page)
	_, marks, _ := strings.Cut(page, "\n**Missing.**")
	marks, _, _ = strings.Cut(marks, ". In a column of text")
	for _, row := range table(t, page, "reading") {
		c := schema.Column{Reading: schema.Reading(spans(row[0])[0])}
		t.Run(string(c.Reading), func(t *testing.T) { testReading(t, c, row, spans(marks)) })
	}
	for _, row := range table(t, page, "field") {
		for i, comma := range []bool{false, true} {
			got, ok := reads(schema.Column{Reading: schema.Numbers, DecimalComma: comma}, spans(row[0])[0])
			filetest.True(t, ok, "%s is not read", row[0])
			filetest.Want(t, got, " "+spans(row[1+i])[0], "decimal comma %v: %s", comma, row[0])
		}
	}
	for _, row := range table(t, page, "layout") {
		for _, field := range spans(row[1]) {
			got, ok := reads(schema.Column{Reading: schema.Times}, field)
			fits := got == " 12 Wednesday" || got == "  Wednesday" && !strings.Contains(field, "12")
			filetest.True(t, ok && fits, "%s, %q: %q", row[0], field, got)
		}
	}
	_, own, _ := strings.Cut(page, "```json\n")
	own, _, _ = strings.Cut(own, "```")
	var s schema.Schema
	filetest.Check(t, json.Unmarshal([]byte(own), &s))
	filetest.Check(t, s.Validate())
}

// testReading tests a row of the table of readings, and the marks of missing values.
func testReading(t *testing.T, c schema.Column, row, marks []string) {
	var typical []string
	for i, cell := range row[2:4] {
		for group := range strings.SplitSeq(cell, "; ") {
			values, fields := map[string]bool{}, spans(group)
			for _, field := range fields {
				value, ok := reads(c, field)
				values[value] = true
				filetest.True(t, ok, "%q is not read", field)
			}
			if i == 0 {
				typical = append(typical, fields[0])
			}
			filetest.Want(t, len(values), []int{1, len(fields)}[i], "values of %q", fields)
		}
	}
	for _, field := range spans(row[4]) {
		got, ok := reads(c, field)
		filetest.True(t, !ok, "%q is read as %q", field, got)
	}
	for _, mark := range marks {
		for _, field := range []string{mark, strings.ToLower(mark), strings.ToUpper(mark) + " "} {
			got, ok := reads(c, field)
			filetest.True(t, ok, "%q is not read", field)
			filetest.Want(t, strings.TrimSpace(got) == "", c.Reading != schema.Text, "%q is missing", field)
		}
	}
	percent, _, chosen := strings.Cut(row[1], " %")
	if !chosen { // the others do not fit
		return
	}
	var rows [][]string
	for i := range 1000 {
		rows = append(rows, []string{typical[i%len(typical)], strconv.Itoa(i * i / 3 % 2)})
	}
	others := 1000 - 10*filetest.Must(strconv.Atoi(percent))(t)
	for more, want := range []bool{true, false} {
		for i := range others + more {
			rows[i][0] = "word"
		}
		s := filetest.Must(schema.Infer([]string{"x", "y"}, rows, schema.Hints{Target: "y",
			Kinds: map[string]schema.Kind{"x": schema.Kept}}))(t)
		got := s.Columns[0].Reading
		filetest.True(t, (got == c.Reading) == want, "with %d words it is %q", others+more, got)
	}
}
