package records

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"gophe/phe/disk/filetest"
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
			"! t, line 2, column b: a quote stands inside a field that does not begin with one; put the whole field in quotes and double each quote inside",
			"3/4"}},
		{"text after a quote", "a,b\n\"5\" pipe,1\n3,4\n", Options{}, "a b", []string{
			"! t, line 2, column a: text follows the closing quote of a field; double each quote inside a field", "3/4"}},
		{"open quote", "a,b\n1,\"2\n3,4\n5,6\n", Options{}, "a b", []string{
			"! t, line 2, column b: a quote is opened and not closed properly; close it at the end of the field, and double each quote inside", "3/4", "5/6"}},
		{"open quote before another", "a,b\n1,\"2\n3,\"4\"\n5,6\n", Options{}, "a b", []string{
			"! t, line 2, column b: a quote is opened and not closed properly; close it at the end of the field, and double each quote inside", "3/4", "5/6"}},
		{"open quote in the last line", "a,b\n1,2\n3,\"4", Options{}, "a b", []string{"1/2",
			"! t, line 3, column b: a quote is opened and not closed properly; close it at the end of the field, and double each quote inside"}},
		{"zero byte", "a,b\n1,2\n\x00\x00\n3,4\n", Options{Comma: ',', Header: HeaderYes}, "a b", []string{"1/2",
			"! t, line 3: the line has a zero byte; remove the line; a crash while it was written can be the cause", "3/4"}},
	})
}

func TestCSVOpenErrors(t *testing.T) {
	testOpenErrors(t, []openError{
		{"equal names", "a,b,a\n1,2,3\n", Options{},
			"t, line 1, column a: columns 1 and 3 have the same name; rename one of them, or say that the file has no header if this line is data"},
		{"a name equal to a number", "c2,\n1,2\n", Options{Header: HeaderYes},
			"t, line 1, column c2: columns 1 and 2 have the same name; rename one of them, or say that the file has no header if this line is data"},
		{"broken header", "a,\"b\n1,2\n", Options{},
			"t, line 1, column c2: a quote is opened and not closed properly; close it at the end of the field, and double each quote inside"},
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
