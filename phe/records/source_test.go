package records

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
)

// write writes a file into a folder of the test.
func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	filetest.Check(t, os.WriteFile(path, content, 0o600))
	return path
}

// numbered returns a table of n records.
func numbered(n int) []byte {
	var text bytes.Buffer
	text.WriteString("number,square\n")
	for i := range n {
		fmt.Fprintf(&text, "%d,%d\n", i, i*i)
	}
	return text.Bytes()
}

func TestOpen(t *testing.T) {
	for _, content := range append(compressed(t, numbered(1000)), numbered(1000)) {
		path := write(t, "table", content)
		all := checkResume(t, func() (*Reader, error) { return Open(path, Options{}) }, 1<<20)
		filetest.True(t, len(all) == 1000 && all[999].fields[1] == "998001", "%d records", len(all))
		r := filetest.Must(Open(path, Options{}))(t)
		readAll(t, r, 1<<20)
		read, size := r.Progress()
		filetest.Want(t, [2]int64{read, size}, [2]int64{int64(len(content)), int64(len(content))}, "bytes read, and all")
		filetest.Check(t, r.Seek(all[500].before))
		readAll(t, r, 1<<20)
		read, size = r.Progress()
		filetest.Want(t, read, size, "bytes read after going back")
		filetest.Check(t, r.Close())
		_, err := r.Read()
		filetest.True(t, err != nil && err != io.EOF, "reading a closed file: %v", err)
	}
}

// TestProgress: a buffer holds all of a small plain file, and the progress counts the records that were read.
func TestProgress(t *testing.T) {
	r := filetest.Must(Open(write(t, "table", []byte("a,b\n1,2\n3,4\n5,6\n")), Options{}))(t)
	defer r.Close()
	for range 2 {
		filetest.Must(r.Read())(t)
	}
	read, size := r.Progress()
	filetest.Want(t, [2]int64{read, size}, [2]int64{12, 16}, "bytes of the header and two records, and of the file")
}

func TestOpenFolder(t *testing.T) {
	folder := t.TempDir()
	filetest.WantError(t, filetest.Failure(Open(folder, Options{})), "is a folder; name a file in it;")
	err := filetest.Failure(Open(filepath.Join(folder, "missing"), Options{}))
	filetest.True(t, errors.Is(err, os.ErrNotExist), "%v", err)
}

func TestStandardInput(t *testing.T) {
	in, out, err := os.Pipe()
	filetest.Check(t, err)
	stdin := os.Stdin
	os.Stdin = in
	defer func() { os.Stdin = stdin }()
	out.Write(numbered(3))
	out.Close()
	r := filetest.Must(Open("-", Options{}))(t)
	all, final := readAll(t, r, 100)
	filetest.Want(t, len(all), 3, "records")
	filetest.Want(t, final, io.EOF, "the end")
	_, size := r.Progress()
	filetest.Want(t, size, 0, "the size")
	err = r.Seek(all[1].before)
	filetest.Want(t, fmt.Sprint(err), "standard input is a stream and cannot go to a position; save it to a file first", "the error")
}

// TestManyMembers reads the output of `cat a.gz b.gz`.
func TestManyMembers(t *testing.T) {
	for i := range 2 {
		packed := append(compressed(t, []byte("a,b\n1,"))[i], compressed(t, []byte("2\n3,4\n"))[i]...)
		all := checkResume(t, func() (*Reader, error) { return New(bytes.NewReader(packed), "t", Options{}) }, 100)
		filetest.Want(t, joined(all), []string{"1/2", "3/4"}, "the records")
	}
}

// flusher is a compressor that can write everything that it holds.
type flusher interface {
	io.WriteCloser
	Flush() error
}

// inPieces compresses 50 bytes at a time, so that a reader gets parts of lines.
func inPieces(t *testing.T, text []byte, compressor func(io.Writer) flusher) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := compressor(&packed)
	for piece := range slices.Chunk(text, 50) {
		filetest.Must(w.Write(piece))(t)
		filetest.Check(t, w.Flush())
	}
	filetest.Check(t, w.Close())
	return packed.Bytes()
}

// TestCutOff cuts compressed files at every byte. Only whole records may be read.
func TestCutOff(t *testing.T) {
	table := numbered(20)
	lines := bytes.Split(table, []byte("\n"))[1:21]
	objects := bytes.Join(lines, []byte("}\n{\"number\":"))
	objects = []byte(`{"number":` + strings.ReplaceAll(string(objects), ",", `,"square":`) + "}\n")
	zipped := func(w io.Writer) flusher { return gzip.NewWriter(w) }
	zstded := func(w io.Writer) flusher {
		return filetest.Must(zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)))(t)
	}
	cutOff(t, "gzip", table, inPieces(t, table, zipped))
	cutOff(t, "zstd", table, inPieces(t, table, zstded))
	cutOff(t, "gzip", objects, inPieces(t, objects, zipped))
	cutOff(t, "zstd", objects, inPieces(t, objects, zstded))
}

func cutOff(t *testing.T, compression string, text, packed []byte) {
	t.Helper()
	r := filetest.Must(New(bytes.NewReader(text), "t", Options{}))(t)
	all, _ := readAll(t, r, len(text))
	most := 0
	for cut := 4; cut < len(packed); cut++ {
		r, err := New(bytes.NewReader(packed[:cut]), "t", Options{Columns: []string{"number", "square"}})
		if err == nil {
			var some []outcome
			some, err = readAll(t, r, len(text))
			filetest.Want(t, joined(some), joined(all[:len(some)]), "%s cut at %d: records", compression, cut)
			most = len(some)
		}
		want := "t is cut off: its " + compression + " data ends too early; copy or download it again"
		filetest.Want(t, err.Error(), want, "%s cut at %d", compression, cut)
	}
	filetest.Want(t, most, 20, "records before the checksum")
}

func TestDamaged(t *testing.T) {
	for _, packed := range compressed(t, numbered(500)) {
		packed[len(packed)-1]++ // part of the checksum
		r, err := New(bytes.NewReader(packed), "t", Options{})
		if err == nil {
			_, err = readAll(t, r, 1<<20)
			filetest.Want(t, filetest.Failure(r.Read()), err, "the next error")
		}
		filetest.WantError(t, err, " data; copy or download it again: ")
	}
}

func TestWindow(t *testing.T) {
	var packed bytes.Buffer
	w := filetest.Must(zstd.NewWriter(&packed, zstd.WithWindowSize(2*maxWindow)))(t)
	for range 2 { // the first flush makes a frame of unknown size, which states its window
		w.Write(numbered(10))
		w.Flush()
	}
	w.Close()
	_, err := New(&packed, "t", Options{})
	filetest.Want(t, fmt.Sprint(err), "t needs more than 64 MiB to decompress; compress it again with zstd without --long", "the error")
}

// TestLivePipe opens a pipe that has given one line so far. Another read would wait for the program that writes.
func TestLivePipe(t *testing.T) {
	for _, test := range []struct {
		name, line string
		options    Options
	}{
		{"JSON", "{\"a\":1}\n", Options{Format: JSONLines, Columns: []string{"a"}}},
		{"header", "a,b\n", Options{Comma: ',', Header: HeaderYes}},
		{"no header", "1\t2\n", Options{Format: TSV, Header: HeaderNo}},
	} {
		t.Run(test.name, func(t *testing.T) {
			filetest.Must(New(io.MultiReader(strings.NewReader(test.line), waiting{t}), "t", test.options))(t)
		})
	}
}

// waiting is a pipe to which nobody writes.
type waiting struct{ t *testing.T }

// Read implements io.Reader.
func (w waiting) Read([]byte) (int, error) {
	w.t.Error("a read that waits")
	return 0, io.EOF
}
