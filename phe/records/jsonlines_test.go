package records

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// one is the remedy of a bad line.
const one = "; write one JSON object in UTF-8 on each line"

func TestJSONLines(t *testing.T) {
	testRead(t, []readTest{
		{"scalars", `{"a":"01234","b":1e3,"c":true,"d":null,"e":-0.50}`, Options{}, "a b c d e", []string{"01234/1e3/true//-0.50"}},
		{"other order, missing and new fields", "{\"a\":1,\"b\":2}\n{\"b\":3}\n{\"b\":5,\"a\":4}\n", Options{}, "a b", []string{"1/2", "/3",
			"4/5"}},
		{"later columns", "{\"a\":1}\n{\"b\":2}\n", Options{}, "a b", []string{"1/", "/2"}},
		{"arrays", `{"a":["x",1,null,false],"b":[],"c":[[1, 2]],"d":[{"e":1}]}`, Options{OneLevel: true}, "a b c d",
			[]string{`x|1||false//[[1, 2]]/[{"e":1}]`}},
		{"nested", `{"a":{"b":1,"c":[2,3],"d":{"e":4},"f":{}},"g":{}}`, Options{OneLevel: true}, "a.b a.c a.d a.f",
			[]string{`1/2|3/{"e":4}/{}`}},
		{"any depth", `{"u":{"geo":{"country":"DE","at":[1,[2,null]]},"e":{}},"l":[{"s":"A","t":["x","y"]},{"n":{"m":2}}]}`, Options{},
			"u.geo.country u.geo.at l.s l.t l.n.m", []string{"DE/1|2|/A|/x|y|/|2"}},
		{"null, an empty list and nothing in place of an object", `{"u":null,"l":[],"n":null}` + "\n" +
			`{"u":{"a":1},"l":[{"b":2}]}` + "\n{}", Options{},
			"n u.a l.b", []string{"//", "/1/2", "//"}},
		{"an object here and text there", `{"u":{"a":1}}` + "\n" + `{"u":"none"}` + "\n" + `{"u":["x","y"]}` + "\n" +
			`{"u":"{\"a\":2}"}`, Options{}, "u.a u",
			[]string{"1/", "/none", "/x|y", "2/"}},
		{"too deep", `{"a":` + strings.Repeat(`{"b":`, 70) + "1" + strings.Repeat("}", 71), Options{}, "a" + strings.Repeat(".b", 63),
			[]string{strings.Repeat(`{"b":`, 7) + "1" + strings.Repeat("}", 7)}},
		{"escapes", `{"a\n\"":"\u00e9\\\ud83d\ude00"}`, Options{}, "a\n\"", []string{"é\\😀"}},
		{"braces in strings", `{"a":"}]{[\"","b":{"c":"{"}}`, Options{}, "a b.c", []string{"}]{[\"/{"}},
		{"arrays that become nested", `{"a":["x",1,[2]],"b":[1,{}]}`, Options{OneLevel: true}, "a b", []string{`["x",1,[2]]/[1,{}]`}},
		{"several values in a line", "{\"a\":1}\n{\"a\":2}{\"a\":3}\n {\"a\":4} \t5\n{\"a\":6}", Options{}, "a", []string{"1",
			"! t, line 2, column 8: invalid JSON: invalid character '{' after top-level value" + one,
			"! t, line 3, column 11: invalid JSON: invalid character '5' after top-level value" + one, "6"}},
		{"other bytes than UTF-8", "{\"a\":1}\n{\"a\":\"caf\xe9\"}\n {\"a\":\"\\ud83d\\ude00\",\"b\\ude00\":1}\n" +
			"{\"a\":\"\\ud83dx\"}\n{\"a\":\"\\\\ud83d\uFFFD\"}", Options{}, "a", []string{"1",
			"! t, line 2, column 10: invalid JSON: invalid UTF-8" + one,
			"! t, line 3, column 24: invalid JSON: invalid surrogate pair `\\ude00\":1}` in string" + one,
			"! t, line 4, column 7: invalid JSON: invalid surrogate pair `\\ud83dx\"}` in string" + one, `\ud83d` + "\uFFFD"}},
		{"white space", " { \"a\" : 1 , \"b\" : [ 1 , 2 ] } \r\n\r\n \n{\"a\":2}\n", Options{}, "a b", []string{"1/1|2", "2/"}},
		{"byte order mark", "\xef\xbb\xbf{\"a\":1}\n{\"a\":2}", Options{}, "a", []string{"1", "2"}},
		{"equal names",
			"{\"a\":1,\"b\":[{}],\"c\":{\"d\":1}}\n{\"a\":1,\"\\u0061\":2}\n{\"b\":[{\"x\":1,\"x\":1}]}\n{\"c\":{\"d\":1,\"d\":2}}\n" +
				"{\"c.d\":1,\"c\":{\"d\":2}}\n{\"c.d\":3}", Options{OneLevel: true}, "a b c.d", []string{"1/[{}]/1",
				`! t, line 2, column 8: the field "a" comes twice` + one,
				`! t, line 3, column 14: the field "x" comes twice` + one, `! t, line 4, column 13: the field "d" comes twice` + one,
				`! t, line 5: the field "c.d" comes twice` + one, "//3"}},
		{"given columns", "{\"a\":1,\"b\":2}\n", Options{Columns: []string{"b", "x"}}, "b x", []string{"2/"}},
		{"bad lines", "{\"a\":1}\nnull\n{\"a\":tru}\n{\"a\":\n  {\"a\":2}}\n{\"a\":3}", Options{}, "a", []string{"1",
			"! t, line 2: expected a JSON object that begins with a brace" + one,
			"! t, line 3, column 9: invalid JSON: invalid character '}' in literal true (expecting 'e')" + one,
			"! t, line 4, column 6: invalid JSON: unexpected EOF" + one,
			"! t, line 5, column 10: invalid JSON: invalid character '}' at start of value" + one, "3"}},
	})
}

func TestJSONOpenErrors(t *testing.T) {
	testOpenErrors(t, []openError{
		{"no fields", "{}\n{}\n", Options{}, "the first records of t have no fields; write one JSON object with fields on each line"},
		{"unfinished first line", "{\"a\":1", Options{Format: JSONLines, Growing: true},
			"the first line of t is not complete; wait until its line end is written, or add it"},
		{"a name for each record", manyNames(), Options{},
			"the first records of t have more than 10000 different fields; name the fields to read"},
		{"ids as keys", `{"a":1,"seen":{"of":` + strings.ReplaceAll(strings.TrimSpace(manyNames()), "\n", "") + "}}\n", Options{},
			`the first records of t have more than 10000 different fields, 10000 of them in the object "seen.of", ` +
				"as if its keys were ids; leave it out, or write it as a list of its keys"},
		{"spread over lines", "{\n\"a\": 1\n}\n", Options{},
			"t, line 1, column 2: invalid JSON: unexpected EOF" + one},
		{"no JSON", "a,b\n", Options{Format: JSONLines}, "t, line 1: expected a JSON object that begins with a brace" + one},
	})
}

// manyNames returns a record with more fields than are read.
func manyNames() string {
	var text strings.Builder
	for i := range maxColumns + 1 {
		fmt.Fprintf(&text, ",\"u%d\":1", i)
	}
	return "{" + text.String()[1:] + "}\n"
}

// A key that first comes in row 10,000 of a file is a column, as in row 1,000 of a pipe. A later one is counted. None is missing before the
// first row.
func TestLateKeys(t *testing.T) {
	for _, rows := range []int{10_000, 1000} {
		in := func(s string) io.Reader {
			return map[bool]io.Reader{true: strings.NewReader(s), false: bytes.NewBufferString(s)}[rows == 10_000]
		}
		text := strings.Repeat("{\"a\":1}\n", rows-1) + "{\"b\":1}\n" + strings.Repeat("{\"c\":1,\"d\":2}\n", 3)
		r := filetest.Must(New(in(text), "t", Options{}))(t)
		all, _ := readAll(t, r, len(text))
		filetest.Want(t, fmt.Sprint(r.Columns(), len(all), r.Aside().Rows), fmt.Sprintf("[a b] %d map[c:3 d:3]", rows+3), "%d rows", rows)
		r = filetest.Must(New(in(text), "t", Options{Columns: []string{"a", "x"}}))(t)
		filetest.Want(t, len(r.Aside().Missing), 0, "names that are missing before the first row")
		readAll(t, r, len(text))
		filetest.Want(t, r.Aside().Missing, []string{"x"}, "names that are missing")
	}
}

// A table that is read by name may have any number of columns. Few of the other names are kept.
func TestManyNames(t *testing.T) {
	columns := make([]string, maxColumns+1)
	for i := range columns {
		columns[i] = fmt.Sprint("u", i)
	}
	for ignored, o := range map[int]Options{0: {Columns: columns}, maxIgnored: {Columns: columns[maxColumns:]}} {
		r := filetest.Must(New(strings.NewReader(manyNames()), "t", o))(t)
		record := filetest.Must(r.Read())(t)
		filetest.Want(t, record[len(o.Columns)-1], "1", "the last field")
		filetest.Want(t, len(r.Aside().Ignored), ignored, "names that are ignored")
	}
}
