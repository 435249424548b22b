package log

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/text"
	"gophe/phe/records"
)

// choosing holds the files of TestChoose and the states that it begins with.
type choosing struct {
	folder string

	a          State // half of a.csv is learned, and b.csv was learned before
	ended      State // a.csv is learned to its end
	unfinished State // half of a.csv is learned; it held other rows at that time
	replaced   State // a.csv is learned to its end; it held other rows at that time
	unread     State // b.csv has begun, and no row of it is learned
	pipe       State // some rows of a pipe are learned
	pipeEnded  State // a pipe is learned to its end
}

func (c *choosing) path(name string) string { return filepath.Join(c.folder, name) }

// newChoosing writes the files and makes the states.
func newChoosing(t *testing.T) *choosing {
	t.Helper()
	c := &choosing{folder: t.TempDir()}
	content := generate(100, "number")
	half := int64(bytes.LastIndexByte(content[:len(content)/2], '\n') + 1)
	write(t, c.folder, "a.csv", content)
	write(t, c.folder, "short.csv", content[:half-1])
	write(t, c.folder, "copy.csv", content)
	write(t, c.folder, "b.csv", generate(100, "count"))
	write(t, c.folder, "c.csv", generate(100, "two classes"))
	identity := func(name string, bytes, rows int64) Input {
		in := filetest.Must(identify(c.path(name), bytes))(t)
		in.Rows = rows
		return in
	}
	c.a = State{Input: identity("a.csv", half, 0), Position: at(records.Position{Record: 50, Offset: half, Line: 51}), Rows: 50,
		Earlier: []Input{identity("b.csv", half, 80)}}
	c.ended = c.a
	c.ended.Ended = true
	c.replaced = c.ended
	c.replaced.Input = identity("b.csv", half, 0)
	c.replaced.Input.Name, c.replaced.Earlier = text.Name(c.path("a.csv")), nil
	c.unfinished = c.replaced
	c.unfinished.Ended = false
	c.unread = State{Input: identity("b.csv", 0, 0)}
	c.pipe = State{Input: Input{Name: "standard input"}, Position: at(records.Position{Record: 50}), Rows: 50}
	c.pipeEnded = c.pipe
	c.pipeEnded.Ended = true
	return c
}

// at returns a position in one file.
func at(p records.Position) Position { return place(filePosition{Position: p}) }

// TestChoose goes through every case of Choose, without the option again and with it.
func TestChoose(t *testing.T) {
	t.Parallel()
	from := newChoosing(t)
	a, b, c := from.path("a.csv"), from.path("b.csv"), from.path("c.csv")
	for _, test := range []struct {
		name        string
		state       State
		file        string
		next, again bool     // whether the file is the next input, and whether it is one with the option
		words       []string // of the error; with the option there is none if the file is the next input
	}{
		{"the first input", State{}, "a.csv", true, true, nil},
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
		{"no file", from.a, "missing.csv", false, false, []string{"opening the input; check its path and the right to read it", "missing.csv"}},
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
	file, pipe := Input{Name: "a", beginning: beginning{"1", 10}}, Input{Name: "standard input"}
	flags := map[string]text.String{"target": "label"}
	s := State{Flags: flags}
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
		filetest.Want(t, s, State{Input: c.in, Earlier: s.Earlier, Flags: flags, last: s.last}, "the state")
		s.Rows, s.Position, s.Ended, s.Output = c.records, at(records.Position{Record: c.records}), true, 1
	}
	for range maxEarlier {
		s.begin(file)
		s.Rows = 1
	}
	s.begin(file)
	filetest.Want(t, len(s.Earlier), maxEarlier, "earlier inputs")
	filetest.Want(t, s.Earlier[0].Rows, 1, "rows of the earliest")
}

// TestInputs feeds one input after the other. One of them is left before its end, while its labels are late.
func TestInputs(t *testing.T) {
	alone(t)
	t.Parallel()
	folder := t.TempDir()
	first, second := generate(400, "number"), generate(300, "two classes")
	second = bytes.ReplaceAll(bytes.ReplaceAll(second, []byte("yes"), []byte("1")), []byte("no"), []byte("0"))
	j := job{Input: write(t, folder, "first.csv", first), Target: "number", Delay: 500}
	next := write(t, folder, "second.csv", second)
	j = stopped(t, j, 199)
	filetest.Want(t, j.state(t).Rows, 200, "rows of the first input")
	j.Input = next
	filetest.WantError(t, filetest.Failure(j.run()), "200 records of", "first.csv were learned, and the rest was not")
	j.Again = true
	f := j.mustRun(t)
	filetest.Want(t, []int64{f.Learner.Rows(), f.State.Rows}, []int64{500, 300}, "all rows, and new ones")
	filetest.Want(t, f.State.Earlier[0].Rows, 200, "rows of the earlier input")
	filetest.Want(t, bytes.Count(filetest.Must(os.ReadFile(j.output()))(t), []byte("\n")), 301, "lines of the output, which begins anew")
	j.Again = false
	j.Input = filepath.Join(folder, "first.csv")
	filetest.WantError(t, filetest.Failure(j.run()), "was learned before: 200 rows")
	j.Input = next
	filetest.Want(t, j.mustRun(t).Learner.Rows(), 500, "rows learned after a run of an input that has not grown")
	write(t, folder, "second.csv", append(bytes.Clone(second), "u1,x,3,1\nu2,x,4,0\n"...))
	s := stopped(t, j, 300).state(t)
	filetest.True(t, !s.Ended && s.Rows == 301, "an input that has grown was stopped before its end: %+v", s)
	f = j.mustRun(t)
	filetest.Want(t, [2]int64{f.Learner.Rows(), f.State.Rows}, [2]int64{502, 302}, "all rows, and new ones, with two appended")
	filetest.True(t, f.State.Ended, "the input has not ended")
}

// TestEmptyInput reads an input without records. It must not be taken for every other file.
func TestEmptyInput(t *testing.T) {
	alone(t)
	t.Parallel()
	folder := t.TempDir()
	j := job{Input: write(t, folder, "empty.csv", []byte(header)), Folder: filetest.Folder(t), Target: "number"}
	j.mustRun(t)
	j.Input = write(t, folder, "table.csv", generate(50, "number"))
	filetest.Want(t, len(j.mustRun(t).State.Earlier), 0, "earlier inputs")
	same(t, j, undisturbed(t, j, nil, 50))
}
