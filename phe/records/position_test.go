package records

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

func TestSeekErrors(t *testing.T) {
	const table = "a,b\n1,2\n3,4"
	for _, test := range []struct {
		name, text string
		to         Position
		want       string
	}{
		{"before the first record", table, Position{1, 2, 1},
			"record 1 at byte 2, line 1 is no position of t; start from the beginning of the file"},
		{"negative", table, Position{-1, 8, 2}, "record -1 at byte 8, line 2 is no position of t; start from the beginning of the file"},
		{"behind the end", table, Position{9, 99, 9}, "t is shorter than the position, 99 bytes; start from the beginning of the file"},
		{"inside a line", table, Position{1, 6, 2}, "line 2 of t was record 1 when it ended at byte 6, " +
			"and now it is longer or another one; put it back, or start from the beginning of the file"},
		{"behind the end of compressed text", string(compressed(t, []byte(table))[0]), Position{9, 99, 9},
			"t has 11 bytes of text, but the position is at byte 98; start from the beginning of the file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := filetest.Must(New(strings.NewReader(test.text), "t", Options{}))(t)
			filetest.Want(t, fmt.Sprint(r.Seek(test.to)), test.want, "the error")
			filetest.Want(t, fmt.Sprint(filetest.Failure(r.Read())), test.want, "reading after the error")
			filetest.Check(t, r.Seek(Position{}))
			all, _ := readAll(t, r, 100)
			filetest.Want(t, len(all), 2, "records after going back")
		})
	}
}

// TestGrowing reads a file that grows by a few bytes. A record must be read once, after its end has come, and each byte passed once.
func TestGrowing(t *testing.T) {
	for _, test := range []struct {
		name  string
		steps [][2]string // text to append, and what is read of it: records, and the unfinished line
	}{
		{"CSV", [][2]string{{"a,b\n1,2\n3,", "1/2 3"}, {"52", "3"}, {"07", "3"}, {"\n", "3/5207"}, {"6,7\n\n8,9\n1", "6/7 8/9 7"}}},
		{"CRLF", [][2]string{{"\xef\xbb\xbfa,b\r\n1,52", "2"}, {"07\r", "2"}, {"\n3,4\r", "1/5207 3"}, {"\n\r\n", "3/4"}}},
		{"an open quote in the last line", [][2]string{{"a,b\n1,\"x", "2"}, {"y\"", "2"}, {"\n", "1/xy"}}},
		{"an open quote before the last line", [][2]string{{"a,b\n1,\"x\n2,3\n4,", "! 2/3 4"}, {"5\n", "4/5"}}},
		{"header alone", [][2]string{{"a,b\n", ""}, {"1,2\n", "1/2"}}},
		{"JSON lines", [][2]string{{"{\"a\":1}\n{\"a\"", "1 2"}, {":52", "2"}, {"07}", "5207"}, {"\n\n{\"a\":6}\n", "6"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := Options{Growing: true, Header: HeaderYes}
			if strings.HasPrefix(test.name, "JSON") {
				o.Columns = []string{"a"}
			}
			text, at := "", Position{}
			var passed []byte
			for i, step := range test.steps {
				text += step[0]
				r := filetest.Must(New(strings.NewReader(text), "t", o))(t)
				filetest.Check(t, r.Seek(at))
				if i == 0 {
					passed = append(passed, text[:r.Position().Offset]...)
				}
				r.Watch(func(b []byte) { passed = append(passed, b...) })
				all, final := readAll(t, r, 100)
				var got []string
				for _, record := range joined(all) {
					got = append(got, strings.SplitN(record, " t,", 2)[0])
				}
				if line := r.Unfinished(); line > 0 {
					got = append(got, strconv.FormatInt(line, 10))
				}
				filetest.Want(t, strings.Join(got, " "), step[1], "step %d: read", i)
				filetest.Want(t, final, io.EOF, "step %d: the end", i)
				at = r.Position()
				filetest.Want(t, string(passed), text[:at.Offset], "step %d: passed", i)
			}
		})
	}
	for _, packed := range compressed(t, []byte("a,b\n1,2")) { // the end of compressed data is final
		r := filetest.Must(New(bytes.NewReader(packed), "t", Options{Growing: true}))(t)
		all, _ := readAll(t, r, 10)
		filetest.Want(t, len(all), 1, "records")
		filetest.Want(t, r.Unfinished(), 0, "the unfinished line")
	}
}

// TestGrownLine continues from a position behind a last line without a line end. The line may have grown since.
func TestGrownLine(t *testing.T) {
	for _, test := range []struct {
		grown string
		want  int
	}{
		{"", 0}, {"\n", 0}, {"\n5,6\n", 1}, {"\r\n5,6\n", 1}, {"5,6\n", -1},
	} {
		r := filetest.Must(New(strings.NewReader("a,b\n3,4"), "t", Options{}))(t)
		_, err := readAll(t, r, 10)
		filetest.Want(t, err, io.EOF, "the end")
		grown := filetest.Must(New(strings.NewReader("a,b\n3,4"+test.grown), "t", Options{}))(t)
		got := -1
		if err := grown.Seek(r.Position()); err == nil {
			all, _ := readAll(t, grown, 100)
			got = len(all)
		}
		filetest.Want(t, got, test.want, "%q: more records", test.grown)
	}
}
