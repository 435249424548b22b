package records

import (
	"io"
	"os"
	"strings"
	"testing"

	"gophe/data/datatest"
)

func TestSeekErrors(t *testing.T) {
	const table = "a,b\n1,2\n3,4"
	for _, test := range []struct {
		name, text string
		to         Position
		want       string
	}{
		{"before the first record", table, Position{1, 2, 1}, "record 1 at byte 2, line 1 is no position of t; start from the beginning of the file"},
		{"negative", table, Position{-1, 8, 2}, "record -1 at byte 8, line 2 is no position of t; start from the beginning of the file"},
		{"behind the end", table, Position{9, 99, 9}, "t is shorter than the position, 99 bytes; start from the beginning of the file"},
		{"inside a line", table, Position{1, 6, 2}, "no line of t begins at byte 6, where the position is: the last line that was read has changed or grown; " +
			"start from the beginning of the file, and use Follow while a program writes it"},
		{"behind the end of compressed text", string(compressed(t, []byte(table))[0]), Position{9, 99, 9},
			"t has 11 bytes of text, but the position is at byte 98; start from the beginning of the file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := New(strings.NewReader(test.text), "t", Options{})
			datatest.Check(t, err)
			if err := r.Seek(test.to); err == nil || err.Error() != test.want {
				t.Errorf("error %v\nwant %s", err, test.want)
			}
			if _, err := r.Read(); err == nil || err.Error() != test.want {
				t.Errorf("reading after the error: %v", err)
			}
			datatest.Check(t, r.Seek(Position{}))
			if all, _ := readAll(t, r, 100); len(all) != 2 {
				t.Errorf("%v after going back", all)
			}
		})
	}
}

// TestFollow appends text to a file between calls of Read. Each appended line must be read once, after its end has come.
func TestFollow(t *testing.T) {
	for _, test := range []struct {
		name, start string
		steps       [][2]string // text to append, and the records that Read must then return
	}{
		{"CSV", "a,b\n1,2\n3,", [][2]string{{"", "1/2"}, {"4", ""}, {"5", ""}, {"\n", "3/45"}, {"6,7\n8,9\n1", "6/7 8/9"}}},
		{"CSV with quotes", "a,b\n1,\"x\ny", [][2]string{{"", ""}, {"\n", ""}, {"z\",", ""}, {"\n", "! t"}, {"5,6\n", "5/6"}}},
		{"header alone", "a,b\n", [][2]string{{"", ""}, {"1,2\n", "1/2"}}},
		{"JSON lines", "{\"a\":1}\n{\"a\"", [][2]string{{"", "1"}, {":2}", ""}, {"\n\n{", "2"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, "t", []byte(test.start))
			r, err := Open(path, Options{Follow: true, Comma: ',', Header: HeaderYes})
			datatest.Check(t, err)
			defer r.Close()
			file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			datatest.Check(t, err)
			defer file.Close()
			for i, step := range test.steps {
				if _, err := file.WriteString(step[0]); err != nil {
					t.Fatal(err)
				}
				all, final := readAll(t, r, 100)
				got := strings.ReplaceAll(strings.Join(joined(all), " "), path, "t")
				if strings.HasPrefix(step[1], "!") && strings.HasPrefix(got, step[1]) {
					got = step[1]
				}
				if got != step[1] || final != io.EOF {
					t.Errorf("step %d: read %q, %v; want %q", i, got, final, step[1])
				}
				other, err := Open(path, Options{Follow: true, Comma: ',', Header: HeaderYes})
				datatest.Check(t, err)
				datatest.Check(t, other.Seek(r.Position()))
				if again, _ := readAll(t, other, 100); len(again) > 0 {
					t.Errorf("step %d: %v is left behind the position", i, again)
				}
				other.Close()
			}
		})
	}
}

// TestGrownLine goes on from a position behind a last line without a line end. The line may have grown since.
func TestGrownLine(t *testing.T) {
	for _, test := range []struct {
		grown string
		want  int
	}{
		{"", 0}, {"\n", 0}, {"\n5,6\n", 1}, {"\r\n5,6\n", 1}, {"5,6\n", -1},
	} {
		r, err := New(strings.NewReader("a,b\n3,4"), "t", Options{})
		datatest.Check(t, err)
		if _, err := readAll(t, r, 10); err != io.EOF {
			t.Fatal(err)
		}
		grown, err := New(strings.NewReader("a,b\n3,4"+test.grown), "t", Options{})
		datatest.Check(t, err)
		got := -1
		if err := grown.Seek(r.Position()); err == nil {
			all, _ := readAll(t, grown, 100)
			got = len(all)
		}
		if got != test.want {
			t.Errorf("%q: %d more records, want %d", test.grown, got, test.want)
		}
	}
}
