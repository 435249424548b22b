package records

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gophe/phe/disk/filetest"
)

// Errors of quotes.
const (
	openQuote   = ": a quote is opened and not closed properly; close it at the end of the field, and double each quote inside"
	quoteInside = ": a quote stands inside a field that does not begin with one; put the whole field in quotes and double each quote " +
		"inside"
)

func TestCSV(t *testing.T) {
	testRead(t, []readTest{
		{"plain", "a,b\n1,2\n3,4\n", Options{}, "a b", []string{"1/2", "3/4"}},
		{"last line without end", "a,b\n1,2\n3,4", Options{}, "a b", []string{"1/2", "3/4"}},
		{"carriage returns", "a,b\r\n1,2\r\n3,4\r", Options{}, "a b", []string{"1/2", "3/4"}},
		{"byte order mark", "\xef\xbb\xbfa,b\n1,2\n", Options{}, "a b", []string{"1/2"}},
		{"byte order mark without header", "\xef\xbb\xbf1,2\n3,4\n", Options{}, "c1 c2", []string{"1/2", "3/4"}},
		{"empty lines", "\n\na,b\n\n1,2\n\r\n\n3,4\n\n", Options{}, "a b", []string{"1/2", "3/4"}},
		{"empty line before a given separator", "\n0", Options{Comma: '\t', Header: HeaderNo}, "c1", []string{"0"}},
		{"empty cells", "a,b,c\n,,\n1,,3\n", Options{}, "a b c", []string{"//", "1//3"}},
		{"quotes", "a,b\n\"x, y\",\"say \"\"hi\"\"\"\n", Options{}, "a b", []string{`x, y/say "hi"`}},
		{"line feeds in quotes", "a,b\n\"x\n\ny\",1\n2,3\n", Options{}, "a b", []string{"x\n\ny/1", "2/3"}},
		{"names of columns", "a, b ,,\"d e\"\n1,2,3,4\n", Options{}, "a b c3 d e", []string{"1/2/3/4"}},
		{"header alone", "a,b\n", Options{}, "a b", nil},
		{"no header", "1,x\n2,y\n", Options{}, "c1 c2", []string{"1/x", "2/y"}},
		{"names given", "1,x\n2,y\n", Options{Columns: []string{"n", "t"}}, "n t", []string{"1/x", "2/y"}},
		{"names given as they were read", "a, 2,\n3,4,5\n", Options{Columns: []string{"a", "2", "c3"}}, "a 2 c3", []string{"3/4/5"}},
		{"names given as the header has them", "1,2\n3,4\n", Options{Columns: []string{"1", "2"}}, "1 2", []string{"3/4"}},
		{"zeros stay", "a,b\n01234,1e3\n", Options{}, "a b", []string{"01234/1e3"}},
		{"tab", "a\tb\n1,5\t2\n", Options{Format: TSV}, "a b", []string{"1,5/2"}},
		{"separator of two bytes", "a¦b\n1¦2\n", Options{Comma: '¦'}, "a b", []string{"1/2"}},
		{"Latin-1 stays", "a,b\ncaf\xe9,1\n", Options{}, "a b", []string{"caf\xe9/1"}},
		{"too few and too many", "a,b\n1\n1,2,3\n4,5\n", Options{}, "a b", []string{
			"! t, line 2: expected 2 fields, found 1; add the missing fields, or remove the line",
			"! t, line 3: expected 2 fields, found 3; put quotes around a field that contains ',', or remove the line", "4/5"}},
		{"too many after lines in quotes", "a,b\n\"x\ny\",2,3\n4,5\n", Options{}, "a b", []string{
			"! t, line 2: expected 2 fields, found 3; put quotes around a field that contains ',', or remove the line", "4/5"}},
		{"quote inside", "a,b\n1,5\" pipe\n3,4\n", Options{}, "a b", []string{
			"! t, line 2, column b" + quoteInside, "3/4"}},
		{"text after a quote", "a,b\n\"5\" pipe,1\n3,4\n", Options{}, "a b", []string{
			"! t, line 2, column a: text follows the closing quote of a field; double each quote inside a field", "3/4"}},
		{"open quote", "a,b\n1,\"2\n3,4\n5,6\n", Options{}, "a b", []string{
			"! t, line 2, column b" + openQuote, "3/4", "5/6"}},
		{"open quote before another", "a,b\n1,\"2\n3,\"4\"\n5,6\n", Options{}, "a b", []string{
			"! t, line 2, column b" + openQuote, "3/4", "5/6"}},
		{"open quote in the last line", "a,b\n1,2\n3,\"4", Options{}, "a b", []string{"1/2",
			"! t, line 3, column b" + openQuote}},
		{"quotes are letters", "a,b\n1,\"2\n\"3,4\"\n5,x\"y", Options{NoQuotes: true}, "a b", []string{`1/"2`, `"3/4"`, `5/x"y`}},
		{"a header of R above letters", "a\n1,\"x\n\n2,y\n", Options{NoQuotes: true, Comma: ','}, "c1 a", []string{`1/"x`, "2/y"}},
		{"a header of R", "\"a\",\"b\"\n\"1\",2,x\n\"2\",3,y\n", Options{}, "c1 a b", []string{"1/2/x", "2/3/y"}},
		{"rows of one name", "a,b\n1,2,x\n2,3,y\n1,3,y\n", Options{}, "a b", []string{
			"! t, line 2: expected 2 fields, found 3; put quotes around a field that contains ',', or remove the line",
			"! t, line 3: expected 2 fields, found 3; put quotes around a field that contains ',', or remove the line",
			"! t, line 4: expected 2 fields, found 3; put quotes around a field that contains ',', or remove the line"}},
		{"commas at the ends", "a,b\n1,2,\n3,4,,\n", Options{}, "a b", []string{
			"! t, line 2: expected 2 fields, found 3; end the header with ',' too if each line ends so, or remove the line",
			"! t, line 3: expected 2 fields, found 4; put quotes around a field that contains ',', or remove the line"}},
		{"aligned columns", "id    a   b\n  1   2  30 \r\n   \n 10  20   3\n", Options{Comma: ' ', Header: HeaderYes}, "id a b",
			[]string{"1/2/30", "! t, line 3: expected 3 fields, found 0; add the missing fields, or remove the line", "10/20/3"}},
		{"aligned columns of R", "    a   b\nx   2  30\ny  20   3\n", Options{Comma: ' '}, "c1 a b", []string{"x/2/30", "y/20/3"}},
		{"empty fields between blanks", "a b c\n1  2\n3 4 5\n", Options{Comma: ' '}, "a b c", []string{"1//2", "3/4/5"}},
		{"zero byte", "a,b\n1,2\n\x00\x00\n3,4\n", Options{Comma: ',', Header: HeaderYes}, "a b", []string{"1/2",
			"! t, line 3: the line has a zero byte; remove the line; a crash while it was written can be the cause", "3/4"}},
		{"W3C log", "#Version: 1.0\r\n#Fields: date c-ip sc(Agent)\r\n2024-05-01 10.0.0.1 Mozilla\r\n#Software: IIS\r\n" +
			"#Fields: date c-ip sc(Agent)\r\n2024-05-02 10.0.0.2 -\r\n#close\r\n", Options{}, "date c-ip sc(Agent)",
			[]string{"2024-05-01/10.0.0.1/Mozilla", "2024-05-02/10.0.0.2/-"}},
		{"Zeek log", "#separator \\x09\n#fields\tts\tid.orig_h\tnote\n#types\ttime\taddr\tstring\n" +
			"1.5\t10.0.0.1\ta \"b\n2.5\t10.0.0.2\t-\n#close\t2\n",
			Options{}, "ts id.orig_h note", []string{`1.5/10.0.0.1/a "b`, "2.5/10.0.0.2/-"}},
		{"log whose fields part by tabs, not their names", "#Version: 1.0\n#Fields: date x-edge\n1\ta b\n", Options{}, "date x-edge",
			[]string{"1/a b"}},
		{"log of a model without its names", "#Version: 1.0\n#Fields: date x\n1,2\n3,4\n", Options{Columns: []string{"c1", "c2"}}, "c1 c2",
			[]string{"1/2", "3/4"}},
	})
}

// A log that goes on with other columns ends there, since its later rows would be read under the names of the first ones.
func TestOtherFields(t *testing.T) {
	r := filetest.Must(New(strings.NewReader("#Fields: a b\n1 2\n#Fields: b a\n2 1\n"), "t", Options{}))(t)
	filetest.Must(r.Read())(t)
	for range 2 {
		filetest.WantError(t, filetest.Failure(r.Read()), `line 3 of t names other columns from there on, ["b" "a"]; make the rest`)
	}
}

func TestCSVOpenErrors(t *testing.T) {
	const same = "; rename one of them, or say that the file has no header if this line is data"
	testOpenErrors(t, []openError{
		{"equal names", "a,b,a\n1,2,3\n", Options{}, "t, line 1, column a: columns 1 and 3 have the same name" + same},
		{"a name equal to a number", "c2,\n1,2\n", Options{Header: HeaderYes},
			"t, line 1, column c2: columns 1 and 2 have the same name" + same},
		{"broken header", "a,\"b\n1,2\n", Options{}, "t, line 1, column c2" + openQuote},
		{"too few names", "1,2\n", Options{Columns: []string{"a"}},
			"the first line of t has 2 columns, but Columns names 1; name each column"},
		{"another header", "a,b\n1,2\n", Options{Columns: []string{"a", "c"}},
			`t has no column "c"; its columns are ["a" "b"]`},
	})
}

// A pipe gives bytes when it likes. Each reading must find the same.
func TestSmallReads(t *testing.T) {
	const table = "\xef\xbb\xbfa,b\r\n1,\"x\r\ny\"\r\n3,4"
	r := filetest.Must(New(iotest.OneByteReader(strings.NewReader(table)), "t", Options{}))(t)
	all, final := readAll(t, r, len(table))
	filetest.Want(t, joined(all), []string{"1/x\ny", "3/4"}, "the records")
	filetest.Want(t, final, io.EOF, "the end")
}

func TestIsHeader(t *testing.T) {
	for _, test := range []struct {
		name, first, later string
		want               bool
	}{
		{"numbers below text", "name,age", "ann,5\nbob,7", true},
		{"numbers at once", "ann,5", "bob,7", false},
		{"text alone", "color,shape", "red,round\nblue,square", true},
		{"no later line", "a,b", "", true},
		{"a date", "2024-01-31,x", "2024-02-01,y", false},
		{"a time stamp", "2024-01-31T10:00:00Z,x", "", false},
		{"an amount", "12.50 €,x", "3 €,y", false},
		{"names with digits", "q1,2nd,x-3", "1,2,3", true},
		{"number and exponent", "1e3,x", "", false},
		{"infinity is a name", "inf,nan", "1,2", true},
		{"the index of a data frame", ",a,b", "0,x,1.5", true},
		{"equal fields above numbers", "a,a", "1,2", true},
		{"equal fields above text", "p,x,p", "e,b,q", false},
		{"half of the values come again", "p,x,s,n", "e,x,y,w\nb,f,s,w", false},
		{"one value comes again", "other,color,shape", "other,red,round", true},
		{"the header comes again", "color,shape", "red,round\ncolor,shape\nblue,square", true},
		{"a missing value is no text", "red,NA,yes", "blue,5,no\nred,3,yes", false},
		{"nothing but missing values", "NA,?", "1,2", true},
		{"lines of other lengths", "a,b", "1\n1,2,3", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var later [][]string
			for line := range strings.SplitSeq(test.later, "\n") {
				later = append(later, strings.Split(line, ","))
			}
			filetest.Want(t, isHeader(strings.Split(test.first, ","), later), test.want, "header")
		})
	}
}

// The names of the columns decide about the first line of a pipe. A pipe whose first line fits them is read no further.
func TestFirstLine(t *testing.T) {
	for _, c := range []struct{ columns, text, ignored, record string }{
		{"user,2019", "2019;user;x\n", "[x]", ""}, // a number in it, and no line below
		{"c1,c2", "red,blue\n", "[]", "red/blue"}, // else a header
		{"c1,label", "red\n", "[]", "red/"},
		{"a,b,label", "1,2,3\n", "[]", "1/2/3"},
		{"user,label", `{"x":1}` + "\n", "[]", "/"},
		{"user,city", "Visitors of May\n+city,user\nRome,ann\n", "[]", "ann/Rome"}, // a title, perhaps
		{"user,city", "sep=;\n+city;user\nRome;ann\n", "[]", "ann/Rome"},
	} {
		o := Options{Columns: strings.Split(c.columns, ",")}
		o.Needed = slices.DeleteFunc(slices.Clone(o.Columns), func(name string) bool { return name == "label" })
		first, more, _ := strings.Cut(c.text, "+")
		end := iotest.ErrReader(errors.New("it reads on"))
		r, err := New(io.MultiReader(strings.NewReader(first), strings.NewReader(more), end), "pipe", o)
		if err != nil || more == "" && r.text.err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		ignored := fmt.Sprint(r.Aside().Ignored)
		record, _ := r.Read()
		filetest.Want(t, r.Columns(), o.Columns, "%q: columns", c.text)
		filetest.Want(t, ignored, c.ignored, "%q: ignored", c.text)
		filetest.Want(t, strings.Join(record, "/"), c.record, "%q: the record", c.text)
	}
}
