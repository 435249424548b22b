package driver

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/source"
)

// rowsOf returns some rows of a table, with its header.
func rowsOf(table [][]byte, from, to int) []byte {
	return append(bytes.Clone(table[0]), bytes.Join(table[1+from:1+to], nil)...)
}

// zipped packs a file.
func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	filetest.Must(w.Write(content))(t)
	filetest.Check(t, w.Close())
	return b.Bytes()
}

// split writes a table as files of a folder, which it returns.
func split(t *testing.T, table [][]byte) (folder string) {
	folder = t.TempDir()
	rows := len(table) - 1
	for i := range 7 {
		part := rowsOf(table, i*rows/7, (i+1)*rows/7)
		if i%2 == 1 {
			part = zipped(t, part)
		}
		write(t, folder, fmt.Sprint(i), part)
	}
	return folder
}

// TestSeveral learns the files of a folder, in pieces, as one, with the bits of one file. A new file continues the stream, and a file
// that has changed is named.
func TestSeveral(t *testing.T) {
	alone(t)
	t.Parallel()
	parts, table := t.TempDir(), lines(generate(300, "number"))
	j := job{Input: parts, Folder: filetest.Folder(t), Target: "number", Delay: 7}
	one := j
	one.Input = write(t, t.TempDir(), "one.csv", rowsOf(table, 0, 300))
	want := undisturbed(t, one, nil, 300)
	a := write(t, parts, "a.csv", rowsOf(table, 0, 100))
	write(t, parts, "b.csv.gz", zipped(t, rowsOf(table, 100, 150)))
	for _, record := range []int{40, 80, 120} {
		j = stopped(t, j, record)
	}
	for range 2 { // the last file of a moment ago is no longer the last, and this one ends in a half line
		write(t, parts, "c.csv", append(rowsOf(table, 150, 299), table[300][:1]...))
		s := j.mustRun(t).State
		filetest.True(t, s.Rows == 299 && !s.Ended, "before a half line the state is %+v", s)
	}
	write(t, parts, "c.csv", rowsOf(table, 150, 300))
	for range 2 { // the second start finds nothing new
		s := j.mustRun(t).State
		filetest.Want(t, s.Rows, 300, "rows")
		filetest.Want(t, string(s.Several), parts, "the files as they were given")
		filetest.Want(t, string(s.Input.Name), filepath.Join(parts, "c.csv"), "the last file")
		filetest.True(t, s.Ended, "the last file has not ended")
	}
	got := filetest.Must(j.result())(t)
	filetest.True(t, withoutState(got.payload) == withoutState(want.payload), "the learner is another than that of one file")
	filetest.True(t, bytes.Equal(got.output, want.output), "the forecasts are others than those of one file")
	const changed = " was learned before the files after it, and has changed or is missing"
	for name, c := range map[string]struct {
		file    string
		content []byte // gone if it is nil
		words   string // of the error
	}{
		"earlier name": {"aa.csv", rowsOf(table, 0, 1),
			"aa.csv comes before " + parts + "/b.csv.gz, which was learned; give it a name that comes after"},
		"changed":       {"a.csv", rowsOf(table, 1, 100), "a.csv" + changed},
		"grown":         {"a.csv", rowsOf(table, 0, 101), "a.csv" + changed},
		"gone":          {"b.csv.gz", nil, "b.csv.gz" + changed + "; put it back, or give new files alone"},
		"first gone":    {"a.csv", nil, "a.csv" + changed}, // b.csv.gz is no input of its own
		"other columns": {"d.csv", []byte("user,thing,amount,label\nu1,x,1,0\n"), `d.csv has no column "item"`},
		"more columns": {"d.csv", []byte("user,item,amount,label,price\nu1,x,1,0,5\n"),
			`d.csv has a column "price", which ` + a + " has not"},
	} {
		t.Run(name, func(t *testing.T) {
			put := func(content []byte) {
				if write(t, parts, c.file, content); content == nil {
					filetest.Check(t, os.Remove(filepath.Join(parts, c.file)))
				}
			}
			before, _ := os.ReadFile(filepath.Join(parts, c.file)) // nil if it is not there
			put(c.content)
			filetest.WantError(t, filetest.Failure(j.run()), c.words)
			put(before)
		})
	}
	filetest.WantError(t, filetest.Failure(source.Open(t.Context(), source.Options{}, parts, a)), "is given twice")
	for _, name := range []string{"a.csv", "b.csv.gz"} { // the file that was read last is there
		filetest.Check(t, os.Remove(filepath.Join(parts, name)))
		filetest.WantError(t, filetest.Failure(j.run()), "a.csv"+changed)
	}
}
