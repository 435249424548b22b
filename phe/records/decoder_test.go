package records

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

func decoded(t *testing.T, d *Decoder, message, names string) (rows []string) {
	t.Helper()
	if err := d.Open([]byte(message), names); err != nil {
		return []string{err.Error()}
	}
	for {
		record, err := d.Read()
		if err == io.EOF {
			return rows
		}
		if err != nil {
			if !errors.As(err, new(*RecordError)) {
				t.Fatal(err)
			}
			rows = append(rows, fmt.Sprint(d.Rows(), err))
			continue
		}
		rows = append(rows, strings.Join(record, "_"))
	}
}

// A message is read as the lines of a file are, whatever was read before it.
func TestDecoder(t *testing.T) {
	t.Parallel()
	d := filetest.Must(NewDecoder(Options{Columns: []string{"a", "b"}, Needed: []string{"a"}}))(t)
	for round := range 2 {
		for _, test := range []struct{ message, names, want string }{
			{`{"a":1.50,"b":"x"}`, "", "1.50_x"},
			{"{\"b\":null,\"c\":[1,2],\"a\":\"é\"}\n\n{\"a\":2}\n", "", "é_ 2_"},
			{"{\n \"a\": 1,\n \"b\": {\"c\": 2}\n}", "", "1_"},
			{`{"a":1} {"a":2}{"a":3}`, "", "1_ 2_ 3_"},
			{"{\"a\":1}\n{\"a\":\xff}\n{\"a\":3}", "",
				`1_ 2 , line 2, column 6: invalid JSON: invalid character '\xff' at start of value; ` +
					"write one JSON object in UTF-8 on each line 3_"},
			{`[{"a":1}]`, "", "1 , line 1: expected a JSON object that begins with a brace; write one JSON object in UTF-8 on each line"},
			{"1,\"x\ny\"\n\n\xff,", "", "1_x\ny \xff_"},
			{"a,b\n1,2\n", "", "1_2"},
			{"b,a\n1,2\n3,4", "", "2_1 4_3"},
			{"\"b\",a\r\n1,2\r\nb,a\r\n", "", "2_1"},
			{"1,2\nb,a\n", "", "1_2 b_a"}, // below a row it is one
			{"b,b\n1,2\n", "", "b_b 1_2"},
			{"", "", ""},
			{"\r\n", "", ""},
			{"1,2,3\n4,5", "",
				"1 , line 1: expected 2 fields, found 3; put quotes around a field that contains ',', or remove the line 4_5"},
			{"7;1,5\nb;a\n", "b;a", "1,5_7"},
			{"7", "a", "7_"},
			{"{7,8", "a,b", "{7_8"},
			{"7", "b", ` has no column "a"; its columns are ["b"]`},
			{"7,8", "a,a",
				", column a: columns 1 and 2 have the same name; rename one of them, or say that the file has no header if this " +
					"line is data"},
		} {
			filetest.Want(t, strings.Join(decoded(t, d, test.message, test.names), " "), test.want,
				"round %d, %q with %q", round, test.message, test.names)
		}
	}
	d.Typed(nil)
	filetest.Want(t, decoded(t, d, `{"a":1.234}`, "")[0], "1.234e-0_", "a number")
	filetest.Check(t, d.Open([]byte("1,2\n3,4\n\n"), ""))
	for want := 1; want <= 2; want++ {
		filetest.Must(d.Read())(t)
		filetest.Want(t, d.Rows(), want, "rows")
		filetest.Want(t, d.Ended(), want == 2, "ended after row %d", want)
	}
}

// The columns and the separator are those of a file with the same lines.
func TestDetect(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ messages, want string }{
		{"b;a\n|1;2,5|3;4", `["b" "a"] ';'`},
		{`{"b":1}|{"a":{"c":2}}`, `["b" "a.c"] '\x00'`},
		{"1,2|3,4", `["c1" "c2"] ','`},
	} {
		var messages [][]byte
		for _, m := range strings.Split(test.messages, "|") {
			messages = append(messages, []byte(m))
		}
		o := filetest.Must(Detect(messages, "it", Options{}))(t)
		filetest.Want(t, fmt.Sprintf("%q %q", o.Columns, o.Comma), test.want, "%q", test.messages)
	}
	for words, o := range map[string]Options{"their columns have names": {}, "the format is": {Columns: []string{"a"}, Format: Parquet}} {
		filetest.WantError(t, filetest.Failure(NewDecoder(o)), words)
	}
}
