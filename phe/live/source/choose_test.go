package source

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/text"
	"gophe/phe/records"
)

// choosing holds the files of TestChoose and the pasts that it begins with.
type choosing struct {
	folder string

	a          Past // half of a.csv is learned, and b.csv was learned before
	ended      Past // a.csv is learned to its end
	unfinished Past // half of a.csv is learned; it held other rows at that time
	replaced   Past // a.csv is learned to its end; it held other rows at that time
	unread     Past // b.csv has begun, and no row of it is learned
	pipe       Past // some rows of a pipe are learned
	pipeEnded  Past // a pipe is learned to its end
}

func (c *choosing) path(name string) string { return filepath.Join(c.folder, name) }

// table returns rows with a label.
func table(rows int, label string) []byte {
	b := []byte("user,item,label\n")
	for i := range rows {
		b = fmt.Appendf(b, "u%d,x,%s\n", i, label)
	}
	return b
}

// newChoosing writes the files and makes the pasts.
func newChoosing(t *testing.T) *choosing {
	t.Helper()
	c := &choosing{folder: t.TempDir()}
	put := func(name string, content []byte) { filetest.Check(t, os.WriteFile(c.path(name), content, 0o600)) }
	content := table(100, "1")
	half := int64(bytes.LastIndexByte(content[:len(content)/2], '\n') + 1)
	put("a.csv", content)
	put("short.csv", content[:half-1])
	put("copy.csv", content)
	put("b.csv", table(100, "2"))
	put("c.csv", table(100, "yes"))
	identity := func(name string, bytes, rows int64) Input {
		in := filetest.Must(identify(c.path(name), bytes))(t)
		in.Rows = rows
		return in
	}
	c.a = Past{Input: identity("a.csv", half, 0), Position: at(records.Position{Record: 50, Offset: half, Line: 51}), Rows: 50,
		Earlier: []Input{identity("b.csv", half, 80)}}
	c.ended = c.a
	c.ended.Ended = true
	c.replaced = c.ended
	c.replaced.Input = identity("b.csv", half, 0)
	c.replaced.Input.Name, c.replaced.Earlier = text.Name(c.path("a.csv")), nil
	c.unfinished = c.replaced
	c.unfinished.Ended = false
	c.unread = Past{Input: identity("b.csv", 0, 0)}
	c.pipe = Past{Input: Input{Name: "standard input"}, Position: at(records.Position{Record: 50}), Rows: 50}
	c.pipeEnded = c.pipe
	c.pipeEnded.Ended = true
	return c
}

// at returns a position in one file.
func at(p records.Position) Position { return encode(filePosition{Position: p}) }

// TestChoose goes through every case of Choose, without the option again and with it.
func TestChoose(t *testing.T) {
	t.Parallel()
	from := newChoosing(t)
	a, b, c := from.path("a.csv"), from.path("b.csv"), from.path("c.csv")
	for _, test := range []struct {
		name        string
		state       Past
		file        string
		next, again bool     // whether the file is the next input, and whether it is one with the option
		words       []string // of the error; with the option there is none if the file is the next input
	}{
		{"the first input", Past{}, "a.csv", true, true, nil},
		{"an input of which nothing was read", from.unread, "a.csv", true, true, nil},
		{"the same input", from.a, "a.csv", false, false, nil},
		{"the same input with another name", from.a, "copy.csv", false, false, nil},
		{"the same input after its end", from.ended, "a.csv", false, true, nil},
		{"another input", from.a, "c.csv", false, true,
			[]string{"50 records of " + a + " were learned, and the rest", "give that input again before " + c, "remedy: learn again"}},
		{"a part of the input", from.a, "short.csv", false, true, []string{"and the rest was not"}},
		{"another input after the end", from.ended, "c.csv", true, true, nil},
		{"an earlier input", from.ended, "b.csv", false, true,
			[]string{b + " was learned before: 80 rows of " + b, "remedy: learn once more"}},
		{"other rows in the same file", from.unfinished, "a.csv", false, true,
			[]string{a + " has changed in the part that was learned, its first 50 records", "put that part back", "remedy: learn again"}},
		{"other rows in the same file after its end", from.replaced, "a.csv", false, true,
			[]string{a + " was learned to its end, and that part has changed", "remedy: learn again if new"}},
		{"a file after a pipe", from.pipe, "a.csv", false, true,
			[]string{"50 records of standard input were learned, and the rest was not"}},
		{"a file after the end of a pipe", from.pipeEnded, "a.csv", true, true, nil},
		{"no file", from.a, "missing.csv", false, false,
			[]string{"opening the input; check its path and the right to read it", "missing.csv"}},
		{"a folder", from.a, ".", false, false, []string{"is a folder, a pipe or a device", "standard input"}},
	} {
		for again, next := range map[bool]bool{false: test.next, true: test.again} {
			t.Run(fmt.Sprintf("%s, again %t", test.name, again), func(t *testing.T) {
				s := test.state
				got, err := s.choose([]string{from.path(test.file)}, again, nil)
				if test.words != nil && !next {
					filetest.WantError(t, err, test.words...)
					return
				}
				filetest.Check(t, err)
				filetest.Want(t, got, next, "the input is the next one")
				filetest.True(t, got || string(s.Input.Name) == from.path(test.file), "the input is called %s", s.Input.Name)
			})
		}
	}
}

// TestBegin begins one input after the other.
func TestBegin(t *testing.T) {
	t.Parallel()
	file, pipe := Input{Name: "a", Beginning: disk.Beginning{SHA256: "1", Bytes: 10}}, Input{Name: "standard input"}
	s := Past{}
	for _, c := range []struct {
		in      Input
		records int64 // read after it has begun
		earlier []int64
	}{
		{file, 0, nil}, // no record is read, so it is not an earlier input
		{file, 3, nil},
		{pipe, 5, []int64{3}}, // nobody can compare a later file with a pipe
		{file, 7, []int64{3}},
		{file, 9, []int64{3, 7}},
		{pipe, 0, []int64{3, 7, 9}},
	} {
		s.begin(c.in)
		var rows []int64
		for _, in := range s.Earlier {
			rows = append(rows, in.Rows)
		}
		filetest.Want(t, rows, c.earlier, "rows of the earlier inputs")
		filetest.Want(t, s, Past{Input: c.in, Earlier: s.Earlier}, "the past")
		s.Rows, s.Position, s.Ended = c.records, at(records.Position{Record: c.records}), true
	}
	for range maxEarlier {
		s.begin(file)
		s.Rows = 1
	}
	s.begin(file)
	filetest.Want(t, len(s.Earlier), maxEarlier, "earlier inputs")
	filetest.Want(t, s.Earlier[0].Rows, 1, "rows of the earliest")
}
