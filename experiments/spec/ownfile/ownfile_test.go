package ownfile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/data/column"
	"gophe/data/files"
	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// folder holds files, given as name and content in turn.
func folder(t *testing.T, files ...string) string {
	t.Helper()
	path := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		filetest.Check(t, os.WriteFile(filepath.Join(path, files[i]), []byte(files[i+1]), 0o644))
	}
	return path
}

// located is a source in a folder.
func located(t *testing.T, s Source, path string) *Source {
	t.Helper()
	filetest.Check(t, s.Locate(path))
	return &s
}

// read reads a source in a folder.
func read(t *testing.T, s Source, path string) *Table {
	t.Helper()
	return filetest.Must(located(t, s, path).Read("mine", files.Options{}))(t)
}

// items returns the values of a column of items.
func items(t *testing.T, table *Table, name string) []string {
	t.Helper()
	for _, c := range table.Categorical {
		if c.Name == name {
			return c.Values
		}
	}
	t.Fatalf("no column %q among %v", name, table.Categorical)
	return nil
}

// shop has every kind of column: text, a number with a gap and a word, and a time.
const shop = `day,product,price,sold
2024-01-01,tea,2,yes
2024-01-02,,4,no
2024-01-03,tea,,yes
2024-01-04,jam,unknown,
2024-01-05,jam,-8,no
2024-01-06,tea,unknown,no
`

func TestRead(t *testing.T) {
	table := read(t, Source{File: "shop.csv", Target: "sold", Number: []string{"price"}}, folder(t, "shop.csv", shop))
	for column, want := range map[string][]string{
		"day (weekday)": {"Monday", "Tuesday", "Wednesday", "Friday", "Saturday"},
		"product":       {"tea", "<NA>", "tea", "jam", "tea"},
		"price (given)": {"yes", "yes", "<NA>", "yes", "unknown"},
	} {
		filetest.Want(t, items(t, table, column), want, "%s", column)
	}
	filetest.Want(t, len(table.Categorical), 3, "columns of items")
	filetest.Want(t, table.Numeric, []column.Numeric{{Name: "price", Values: []float64{2, 4, 0, -8, 0}}}, "numbers")
	filetest.Want(t, table.Classes, []string{"no", "yes"}, "classes")
	filetest.Want(t, table.Labels, []int32{1, 0, 1, 0, 0}, "labels")
	filetest.Want(t, table.Unlabelled, 1, "rows without a target")
	filetest.True(t, table.Chosen, "the incremental column was not chosen")
	filetest.Want(t, table.Categorical[table.Incremental].Name, "product", "incremental column")
	notes := strings.Join(table.Notes(), "\n")
	filetest.WantWords(t, notes, `column "product", which has the most items`, "5 rows, and 1 left out that have no target")
}

// Values are read as phe stream reads them: spellings of one value are one item, a mark is missing, and conditions compare values.
func TestReading(t *testing.T) {
	var b strings.Builder
	b.WriteString("grade;price;sold\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%s;%s;%s\n", []string{"1", "1.0", " 1", "NA", "2"}[i%5], []string{"1,50", "12,5", "1.234,5"}[i%3],
			[]string{"true", "FALSE", "True"}[i%3])
	}
	path := folder(t, "f.csv", b.String())
	table := read(t, Source{File: "f.csv", Target: "sold", Where: "price<=12.50", Rows: 10, Category: []string{"grade", "price"}}, path)
	filetest.Want(t, items(t, table, "grade"), []string{"1", "1", "<NA>", "2", "1", "1", "2", "1", "1", "<NA>"}, "grades")
	prices := items(t, table, "price")
	filetest.Want(t, prices[:3], []string{"1.5", "12.5", "1.5"}, "prices")
	filetest.Want(t, len(table.Classes), 2, "classes")
	by := table.Schema // columns of a schema go by name
	by.Columns = []schema.Column{by.Columns[2], by.Columns[0], by.Columns[1]}
	again := read(t, Source{File: "f.csv", Schema: &by, Where: "price<=12.50", Rows: 10}, path)
	filetest.Want(t, items(t, again, "price"), prices, "prices by a schema")
}

// The initial rows decide the unit of a number, and later rows do not move it.
func TestScale(t *testing.T) {
	path := folder(t, "shop.csv", shop)
	for _, c := range []struct {
		initial []int32
		want    []float64
	}{
		{[]int32{0, 1}, []float64{0.5, 1, 0, -2, 0}},
		{[]int32{0, 3}, []float64{0.25, 0.5, 0, -1, 0}},
		{[]int32{2}, []float64{2, 4, 0, -8, 0}}, // only 0: left as it is
	} {
		table := read(t, Source{File: "shop.csv", Target: "sold", Number: []string{"price"}}, path)
		Scale(table.Table, c.initial)
		filetest.Want(t, table.Numeric[0].Values, c.want, "initial rows %v", c.initial)
	}
}

// A file that phe stream reads is read alike: conditions, lists of rows, bad rows that are left out, other formats, comparisons as targets.
func TestChoices(t *testing.T) {
	lines := "{\"user\":\"a\",\"stars\":5}\n{\"user\":\"b\",\"stars\":3}\n{\"user\":\"a\",\"stars\":2}\n{\"user\":\"c\",\"stars\":4}\n"
	path := folder(t, "stars.jsonl", lines, "plain.txt", "a;5\nb;3\na;2\nc;4\n", "bad.csv", "user,stars\na,5\nb,x\nc\nd,2\n")
	for _, c := range []struct {
		name   string
		source Source
		users  []string
		labels []int32
	}{
		{"all", Source{File: "stars.jsonl", Target: "stars>=4"}, []string{"a", "b", "a", "c"}, []int32{1, 0, 0, 1}},
		{"a condition", Source{File: "stars.jsonl", Target: "stars>=4", Where: "user=a"}, []string{"a", "a"}, []int32{1, 0}},
		{"two rows", Source{File: "stars.jsonl", Target: "stars>=4", Rows: 2}, []string{"a", "b"}, []int32{1, 0}},
		{"bad rows", Source{File: "bad.csv", Target: "stars>=4", Bad: skip}, []string{"a", "d"}, []int32{1, 0}},
		{"no header", Source{File: "plain.txt", Target: "stars>=4", Delimiter: ";", Header: "no", Columns: []string{"user", "stars"}},
			[]string{"a", "b", "a", "c"}, []int32{1, 0, 0, 1}},
	} {
		table := read(t, c.source, path)
		filetest.Want(t, items(t, table, "user"), c.users, "%s: users", c.name)
		filetest.Want(t, table.Labels, c.labels, "%s: labels", c.name)
		filetest.True(t, table.Cut == (c.source.Rows > 0), "%s: cut is %v", c.name, table.Cut)
		filetest.True(t, table.Cut || table.NumRows()+table.Left+table.Bad == 4, "%s: %d left, %d bad", c.name, table.Left, table.Bad)
	}
}

// The class of all other labels stays only where a row has it.
func TestOtherClass(t *testing.T) {
	for _, c := range []struct {
		last string
		want []string
	}{{"z", []string{"x", "y", "z"}}, {"w", []string{"x", "y", "z", schema.Other}}} {
		var b strings.Builder
		b.WriteString("item,label\n")
		for i := range schema.Sample {
			fmt.Fprintf(&b, "i%d,%c\n", i%7, "xyz"[i%3])
		}
		fmt.Fprintf(&b, "i0,%s\n", c.last)
		table := read(t, Source{File: "f.csv", Target: "label"}, folder(t, "f.csv", b.String()))
		filetest.Want(t, table.Classes, c.want, "classes")
	}
}

func TestSchemaFile(t *testing.T) {
	schema := `{"target": {"column": "sold", "kind": "classes", "classes": ["no", "yes"]}, "columns": [{"name": "day", "kind": "dropped"},
		{"name": "product", "kind": "category"}, {"name": "price", "kind": "category"}, {"name": "sold", "kind": "target"}]}`
	path := folder(t, "shop.csv", shop, "schema.json", schema)
	s := located(t, Source{File: "shop.csv", SchemaFile: "schema.json"}, path)
	table := filetest.Must(s.Read("shop", files.Options{}))(t)
	filetest.Want(t, items(t, table, "price"), []string{"2", "4", "<NA>", "-8", "unknown"}, "prices")
	filetest.Want(t, [2]int{len(table.Numeric), len(table.Categorical)}, [2]int{0, 2}, "columns of numbers and of items")
	filetest.True(t, s.SchemaFile == "" && s.Schema != nil, "the schema's content does not stand in place of its path")
	moved := filetest.Must(s.From(t.TempDir()))(t)
	filetest.Want(t, filetest.Must(moved.Read("shop", files.Options{}))(t).SHA256, table.SHA256, "checksum from another folder")
}

// Each bad source is an error that says where and what to do.
func TestErrors(t *testing.T) {
	long := "item,label\n" + strings.Repeat("a,x\nb,y\n", 10)
	numbers := "a,y\n" + strings.Repeat("1.5,2.5\n2.5,7.25\n3.5,1.125\n9,3\n", 20)
	path := folder(t, "shop.csv", shop, "numbers.csv", numbers, "stars.csv", "user,stars\na,4\nb,many\nc,2\n",
		"broken.csv", long+"a,x,3\n", "label.csv", long+"a,z\n", "one.csv", "item,label\na,x\nb,x\n", "bad-schema.json", "{}",
		"only.csv", "a,y\n"+strings.Repeat("1.5,no\n2.5,yes\n3.25,no\n", 20))
	for _, c := range []struct {
		name   string
		source Source
		want   []string
	}{
		{"no file", Source{Target: "sold"}, []string{"source.file is missing"}},
		{"standard input", Source{File: "-", Target: "sold"}, []string{"save standard input to a file"}},
		{"file not there", Source{File: "no.csv", Target: "sold"}, []string{`source.file is "no.csv"`, "begins at the folder of the spec"}},
		{"no target", Source{File: "shop.csv"}, []string{"source.target is missing"}},
		{"mistyped target", Source{File: "shop.csv", Target: "slod"}, []string{`did you mean "sold"?`}},
		{"mistyped column", Source{File: "shop.csv", Target: "sold", Drop: []string{"prize"}}, []string{`did you mean "price"?`}},
		{"mistyped incremental column", Source{File: "shop.csv", Target: "sold", Incremental: "products"},
			[]string{"source.incremental", `"product"`}},
		{"column said twice", Source{File: "shop.csv", Target: "sold", Drop: []string{"day"}, Time: []string{"day"}}, []string{"source",
			`"day" is given as dropped and as time`}},
		{"a number as target", Source{File: "numbers.csv", Target: "y"}, []string{"source.target", `such as "y>=4"`, "phe stream"}},
		{"a transform as target", Source{File: "numbers.csv", Target: "log2(y)"}, []string{"source.target", `such as "y>=4"`}},
		{"no items", Source{File: "only.csv", Target: "y", Number: []string{"a"}}, []string{"every input is a number", `"category"`}},
		{"bad condition", Source{File: "shop.csv", Target: "sold", Where: "prize>3"}, []string{"source.where", `did you mean "price"?`}},
		{"no record", Source{File: "shop.csv", Target: "sold", Where: "price>1e6"}, []string{"where: no record", "the column holds"}},
		{"nothing left", Source{File: "shop.csv", Target: "sold", Where: "product=tea", Classes: []string{"a", "b"}, Bad: skip},
			[]string{"leaves no row", "3 are bad"}},
		{"one class", Source{File: "one.csv", Target: "label", Classes: []string{"x", "y"}}, []string{`"x" in all 2 rows`}},
		{"label that cannot be compared", Source{File: "stars.csv", Target: "stars>=3"},
			[]string{"stars.csv, line 3", `"many"`, "source.bad"}},
		{"unknown class", Source{File: "label.csv", Target: "label", Classes: []string{"x", "y"}},
			[]string{"label.csv, line 22", `"z"`, "source.classes", "source.bad"}},
		{"field too many", Source{File: "broken.csv", Target: "label"}, []string{"broken.csv, line 22", "source.bad"}},
		{"schema file not there", Source{File: "shop.csv", SchemaFile: "no.json"}, []string{"source.schema_file", "--show-schema"}},
		{"bad schema", Source{File: "shop.csv", SchemaFile: "bad-schema.json"}, []string{"source.schema_file"}},
		{"schema and target", Source{File: "shop.csv", SchemaFile: "schema.json", Target: "sold"},
			[]string{"source.target", "leave one out"}},
		{"checksum", Source{File: "shop.csv", Target: "sold", SHA256: strings.Repeat("0", 64)}, []string{"altered", "--allow-altered"}},
		{"checksum that is none", Source{File: "shop.csv", Target: "sold", SHA256: "abc"}, []string{"source.sha256", "64"}},
		{"delimiter", Source{File: "shop.csv", Target: "sold", Delimiter: ",,"}, []string{"source.delimiter"}},
		{"bad", Source{File: "shop.csv", Target: "sold", Bad: "ignore"}, []string{"source.bad", `"skip"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.source.Validate()
			if err == nil {
				err = c.source.Locate(path)
			}
			if err == nil {
				_, err = c.source.Read("file", files.Options{})
			}
			filetest.WantError(t, err, c.want...)
			filetest.True(t, !strings.Contains(err.Error(), "\n"), "more than one line: %s", err)
		})
	}
}

// A column that a study's tables cannot hold is an error that says what can.
func TestFits(t *testing.T) {
	base := schema.Schema{Target: schema.Target{Column: "y", Kind: schema.Classes, Classes: []string{"a", "b"}},
		Columns: []schema.Column{{Name: "y", Kind: schema.Label}, {Name: "u", Kind: schema.Category}, {Name: "v", Kind: schema.Category}}}
	for _, c := range []struct {
		change func(*schema.Schema)
		want   string
	}{
		{func(s *schema.Schema) { s.Columns[1].Separator = "|" }, "several items in a cell"},
		{func(s *schema.Schema) { s.Columns[2].Same = "u" }, "each column has its own"},
		{func(s *schema.Schema) { s.Columns[2].Kind = schema.Weight }, "counts each row once"},
		{func(s *schema.Schema) { s.Target = schema.Target{Column: "y", Kind: schema.Count} }, "y>=4"},
		{func(s *schema.Schema) { s.Target.Weights = map[string]float64{"a": 2} }, "weights"},
	} {
		s := base
		s.Columns = slices.Clone(base.Columns)
		c.change(&s)
		source := Source{File: "f.csv", Schema: &s}
		filetest.WantError(t, source.Validate(), c.want, "source.schema")
	}
	filetest.Check(t, (&Source{File: "f.csv", Schema: &base}).Validate())
}

func TestMemory(t *testing.T) {
	s := schema.Schema{Target: schema.Target{Column: "y", Kind: schema.Classes, Classes: []string{"a", "b"}},
		Columns: []schema.Column{{Name: "u", Kind: schema.Category}, {Name: "y", Kind: schema.Label}}}
	b := filetest.Must(newBuilder("f", s))(t)
	b.maxBytes = 10*cellBytes + 10*(itemBytes+2) // ten rows of new items fit
	for i := range 10 {
		filetest.Check(t, b.add([]string{fmt.Sprintf("u%d", i), "a"}))
	}
	filetest.WantError(t, b.add([]string{"u0", "a"}), `"rows"`)
}
