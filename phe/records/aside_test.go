package records

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"gophe/phe/disk/filetest"
)

// TestAside: columns go by their names. Lines above a table, and copies of them and of its header, are no records; they are counted. A
// record is never one of them. A position leads to the same records.
func TestAside(t *testing.T) {
	const table = "a;b\n1;x\n2;y\n"
	by := Options{Columns: []string{"b", "a", "c"}, Needed: []string{"a", "b"}}
	for _, c := range []struct {
		text    string
		options Options
		want    string // records, what was left out, and the error
	}{
		{table, by, "x/1/ y/2/ {}"},
		{table, Options{}, "1/x 2/y {}"},
		{"sep=;\n" + table, by, `x/1/ y/2/ {"lines_above_header":1}`},
		{"\xef\xbb\xbf\"SEP=;\"\r\n" + table, by, `x/1/ y/2/ {"lines_above_header":1}`},
		{"sep=^\na^b,c\n1^2,5\n", Options{}, `1/2,5 {"lines_above_header":1}`},
		{"sep=;\n" + table, Options{Comma: ';', Header: HeaderYes}, `1/x 2/y {"lines_above_header":1}`},
		{"# made; by us; today\r\n#\r\n" + table, by, `x/1/ y/2/ {"lines_above_header":2}`},
		{"Sales, and more\n\n\n" + table, Options{Comma: ';'}, `1/x 2/y {"lines_above_header":1}`},
		{"\"Sales\nof May\"\n" + table, by, `x/1/ y/2/ {"lines_above_header":2}`},
		{strings.Repeat("title\n", 10) + table, by, `x/1/ y/2/ {"lines_above_header":10}`},
		{strings.Repeat("title\n", 11) + "a,b\n1,x\n", Options{}, strings.Repeat("title ", 10) + "! ! {}"},
		{"Sales\n-----\n" + table, by, `x/1/ y/2/ {"lines_above_header":2}`},
		{"title\n1;x\n2;y\n", Options{Header: HeaderNo}, `1/x 2/y {"lines_above_header":1}`},
		{"a,b,d\n1,x;y,2\n2,u;v\n", Options{}, "1/x;y/2 ! {}"}, // the header too
		{"# id,name\n1,x\n2,y\n", Options{}, "1/x 2/y {}"},     // the header
		{"title\n", Options{}, "{}"},
		{"one\ntwo\n1\n", Options{}, "two 1 {}"},
		{"a,b\n1,x\n2\n3,y\n", Options{}, "1/x ! 3/y {}"},

		{table + "\n" + table + "\xef\xbb\xbf\"a\";\"b\"\r\n3;z", by, `x/1/ y/2/ x/1/ y/2/ z/3/ {"header_copies":2}`},
		{"sep=;\nMay\n" + table + strings.Repeat("\n1;x", 100) + "\nsep=;\nMay\na; b \n3;z\n", by,
			"x/1/ y/2/ " + strings.Repeat("x/1/ ", 100) + `z/3/ {"lines_above_header":2,"header_copies":3}`},
		{"1;x\n" + table + "c1;c2\n", Options{Header: HeaderNo}, "1/x a/b 1/x 2/y c1/c2 {}"},
		{"red,c2\nc1,c2\n", Options{Columns: []string{"c1", "c2"}}, "red/c2 c1/c2 {}"},
		{"a,b,d\n1,x,b\n2,a,b\na,x,b\na,d\n", Options{}, "1/x/b 2/a/b a/x/b ! {}"}, // words that are names too
		{"1,x\n2,y\na,b\n3,z\n", Options{Columns: []string{"a", "b"}}, `1/x 2/y 3/z {"header_copies":1}`},
		{",a\n0,x\n,a\n0,y\n", Options{}, `0/x 0/y {"header_copies":1}`},
		{"a\n1\na\n2\n", Options{}, "1 a 2 {}"},
		{table + "b;a\nx;1\n", by, `x/1/ y/2/ a/b/ 1/x/ {}`}, // another table

		{"d;a;b;e\n0;1;x;4\n", by, `x/1/ {"ignored":["d","e"]}`},
		{"b;a;c\nx;1;9\n", by, `x/1/9 {}`},
		{"{\"d\":0,\"b\":\"x\"}\n{\"B\":1,\"c\":{}}\n{\"c\":null,\"d\":[]}\n", by,
			`x// // // {"ignored":["d","B"],"missing":["a"],"ignored_rows":{"B":1,"d":2}}`},
	} {
		open := func() (*Reader, error) { return New(strings.NewReader(c.text), "t", c.options) }
		r := filetest.Must(open())(t)
		all, final := readAll(t, r, len(c.text))
		left := string(filetest.Must(json.Marshal(r.Aside()))(t))
		got := ""
		for _, record := range joined(all) {
			got += strings.SplitN(record, " t,", 2)[0] + " "
		}
		if got += left; final != io.EOF {
			got += " " + final.Error()
		}
		filetest.True(t, got == c.want || final != io.EOF && strings.HasPrefix(got, c.want), "%q: %s, want %s", c.text,
			got, c.want)
		checkResume(t, open, len(c.text))
		filetest.Check(t, r.Seek(Position{}))
		again, _ := readAll(t, r, len(c.text))
		filetest.Want(t, string(filetest.Must(json.Marshal(r.Aside()))(t)), left, "%q, read again: what was left out", c.text)
		filetest.Want(t, len(again), len(all), "%q, read again: records", c.text)
	}
}

// Numbers of JSON and of Parquet have a point, whatever the text of their column has.
func TestTyped(t *testing.T) {
	const text = `{"p":1.234,"q":1.234,"d":"1.234"}` + "\n" + `{"p":-0.125,"q":1.23e4,"d":[1.234]}` + "\n" +
		`{"p":1e-7,"q":123456789012345678901,"d":-0.0}` + "\n"
	type row struct {
		P float64 `parquet:"p"`
		Q float32 `parquet:"q"`
		D int64   `parquet:"d,decimal(3:18)"`
	}
	file := filepath.Join(t.TempDir(), "t.parquet")
	filetest.Check(t, parquet.WriteFile(file, []row{{1.234, 1.234, 1234}, {-0.125, 12300, 1234}, {1e-7, 0.1, 0}}))
	for _, c := range []struct {
		commas     []string
		json, rows string
	}{
		{[]string{}, "1.234/1.234/1.234 -0.125/1.23e4/1.234 1e-7/123456789012345678901/-0.0",
			"1.234/1.234/1.234 -0.125/12300/1.234 1e-07/0.1/0.000"},
		{[]string{"p", "d"}, "1,234/1.234/1.234 -0,125/1.23e4/1.234 1e-7/123456789012345678901/-0,0",
			"1,234/1.234/1,234 -0,125/12300/1,234 1e-07/0.1/0,000"},
		{nil, "1.234e-0/1.234e-0/1.234 -0.125e-0/1.23e4/1.234 1e-7/123456789012345678901/-0.0",
			"1.234e-0/1.234e-0/1.234e-0 -0.125e-0/12300/1.234e-0 1e-07/0.1/0.000e-0"},
	} {
		for want, r := range map[string]*Reader{
			c.json: filetest.Must(New(strings.NewReader(text), "t", Options{}))(t), c.rows: filetest.Must(Open(file, Options{}))(t),
		} {
			r.Typed(c.commas)
			all, _ := readAll(t, r, len(text))
			filetest.Want(t, strings.Join(joined(all), " "), want, "commas in %q", c.commas)
			filetest.Check(t, r.Close())
		}
	}
}

// A table that cannot be read as it is names what helps.
func TestLayoutErrors(t *testing.T) {
	line := `1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET /a,b HTTP/1.0" 200 2326` + "\n"
	testOpenErrors(t, []openError{
		{"access log", line + line, Options{}, "t: " + ErrBlanks.Error()},
		{"Markdown", "| a | b |\r\n|:---|----|\r\n", Options{}, "t is a table drawn with bars, as in Markdown; save the table as CSV"},
		{"a quote in CSV", `id,a "b" c` + "\n" + `1,a "b" d` + "\n", Options{},
			"t, line 1, column c2: a quote stands inside a field that does not begin with one; " +
				"put the whole field in quotes and double each quote inside"},
	})
}
