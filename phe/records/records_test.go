package records

import (
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

func TestRefused(t *testing.T) {
	const utf16 = "t is text in UTF-16; save it as UTF-8, for example with: iconv -f UTF-16 -t UTF-8"
	testOpenErrors(t, []openError{
		{"empty", "", Options{}, "t is empty; give a file with at least one record"},
		{"blank lines", "\r\n\n", Options{}, "t is empty; give a file with at least one record"},
		{"only a mark", "\xef\xbb\xbf", Options{}, "t is empty; give a file with at least one record"},
		{"little-endian UTF-16", "\xff\xfea\x00,\x00", Options{}, utf16},
		{"big-endian UTF-16", "\xfe\xff\x00a\x00,", Options{}, utf16},
		{"UTF-16 without a mark", "a\x00,\x00", Options{},
			"t is binary or UTF-16: its text has a zero byte; save the table as CSV in UTF-8"},
		{"zip", "PK\x03\x04\x14", Options{}, "t is a zip or Excel (xlsx) file; unpack it, or save the table as CSV"},
		{"zip, said to be CSV", "PK\x03\x04\x14", Options{Format: CSV},
			"t is a zip or Excel (xlsx) file; unpack it, or save the table as CSV"},
		{"web page", "<!DOCTYPE html>\n<p>not found", Options{}, "t is a web page; download the table itself"},
		{"carriage returns", "a,b\r1,2\r", Options{},
			"the lines of t end with a carriage return alone; give them line feeds, for example with: tr '\\r' '\\n'"},
		{"JSON array", "[\n {\"a\": 1}\n]", Options{}, "t is one JSON array; write one object on each line, for example with: jq -c '.[]'"},
		{"Parquet from a stream", "PAR1", Options{}, "t is Parquet, which cannot be read from a stream; save it to a file and open that"},
		{"Parquet, said to be CSV", "PAR1", Options{Format: CSV}, "t is a Parquet file, not csv; leave the format empty"},
		{"CSV, said to be Parquet", "a,b\n", Options{Format: Parquet},
			"t is not a Parquet file, which begins with PAR1; leave the format empty"},
		{"gzip of Parquet", string(compressed(t, []byte("PAR1"))[0]), Options{},
			"t is a Parquet file that is compressed as a whole; unpack it"},
		{"unfinished first line", "a,b", Options{Growing: true},
			"the first line of t is not complete; wait until its line end is written, or add it"},
	})
}

func TestOptions(t *testing.T) {
	testOpenErrors(t, []openError{
		{"format", "a", Options{Format: "xml"},
			`options to read t: format "xml" is not known; use csv, tsv, jsonl, parquet or leave it empty`},
		{"header", "a", Options{Header: "maybe"}, `options to read t: header "maybe" is not known; use yes, no or leave it empty`},
		{"quote", "a", Options{Comma: '"'},
			`options to read t: '"' cannot separate fields; use a comma, semicolon, bar, tab or another character`},
		{"letter", "a", Options{Comma: 'x'},
			`options to read t: 'x' cannot separate fields, because fields contain letters and digits; use a comma or a tab`},
		{"no columns", "a", Options{Columns: []string{}},
			"options to read t: the list of columns is empty; name the columns, or leave out the list"},
		{"equal columns", "a", Options{Columns: []string{"x", "y", "x"}},
			`options to read t: column "x" stands at places 1 and 3 of the list of columns; name each column once`},
	})
}

func TestGuessFormat(t *testing.T) {
	for _, test := range []struct {
		name, text string
		format     Format
		comma      rune
	}{
		{"comma", "a,b\n1,2\n", CSV, ','},
		{"tab", "a\tb, c\n1\t2\n", CSV, '\t'},
		{"semicolon before decimal commas", "1,5;2,5\n3,5;4,5\n", CSV, ';'},
		{"bar", "a|b|c\n1|2|3\n", CSV, '|'},
		{"lists with bars", "1,a|b\n2,a|c\n", CSV, ','},
		{"comma in quotes", "a;b\n\"1,2,3\";x\n\"1,2\";y\n", CSV, ';'},
		{"semicolons in quotes", "\"1;2\",x\n\"3;4\",y\n", CSV, ','},
		{"semicolons after doubled quotes", "\"a\"\";\",x\n\"b\"\";\",y\n", CSV, ','},
		{"line feed in quotes", "a,b\n\"x\ny,z\",1\n", CSV, ','},
		{"one column", "name\nx\ny\n", CSV, ','},
		{"an irregular line", "a,b,c\n1,2,3\n1,2\n", CSV, ','},
		{"JSON", "\n {\"a\": 1}\n", JSONLines, ','},
		{"brackets that are no array", "[id],[name]\n1,x\n", CSV, ','},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := filetest.Must(New(strings.NewReader(test.text), "t", Options{}))(t)
			filetest.Want(t, r.format, test.format, "format")
			if c, ok := r.rows.(*csvRows); ok {
				filetest.Want(t, c.comma, test.comma, "separator")
			}
		})
	}
}

func TestRecordError(t *testing.T) {
	for _, test := range []struct {
		err  RecordError
		want string
	}{
		{RecordError{File: "t", Line: 3, Record: 2, Column: "price", Problem: "bad", Remedy: "mend it"},
			"t, line 3, column price: bad; mend it"},
		{RecordError{File: "t", Record: 2, Problem: "bad"}, "t, record 2: bad"},
		{RecordError{File: "t", Problem: "bad"}, "t: bad"},
	} {
		filetest.Want(t, test.err.Error(), test.want, "the error")
	}
}
