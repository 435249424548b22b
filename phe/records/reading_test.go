package records

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
)

// outcome is the result of one call of Read.
type outcome struct {
	fields []string
	err    string
	before Position
}

// readAll calls Read until a final error. A reader of n bytes gives at most one record for each byte.
func readAll(t testing.TB, r *Reader, n int) (records []outcome, final error) {
	t.Helper()
	for range n + 2 {
		before := r.Position()
		fields, err := r.Read()
		var bad *RecordError
		switch {
		case err == nil && len(fields) != len(r.Columns()):
			t.Fatalf("%d fields, %d columns", len(fields), len(r.Columns()))
		case err == nil:
			records = append(records, outcome{slices.Clone(fields), "", before})
		case errors.As(err, &bad):
			records = append(records, outcome{nil, err.Error(), before})
		default:
			return records, err
		}
		after := r.Position()
		filetest.True(t, after.Record == before.Record+1 && after.Offset > before.Offset, "position %v follows %v", after, before)
	}
	t.Fatalf("no end after %d records of %d bytes", len(records), n)
	return nil, nil
}

// checkResume compares reading straight through with reading from each of a few positions.
func checkResume(t testing.TB, open func() (*Reader, error), n int) []outcome {
	t.Helper()
	r, err := open()
	if err != nil {
		return nil
	}
	defer r.Close()
	all, final := readAll(t, r, n)
	for _, k := range []int{0, 1, len(all) / 2, len(all) - 1} {
		if k < 0 || k >= len(all) {
			continue
		}
		other := filetest.Must(open())(t)
		filetest.Check(t, other.Seek(all[k].before))
		rest, end := readAll(t, other, n)
		same := slices.EqualFunc(rest, all[k:], func(a, b outcome) bool {
			return a.err == b.err && slices.Equal(a.fields, b.fields)
		})
		filetest.True(t, same && end.Error() == final.Error(), "from %v: %v (%v); straight through: %v (%v)", all[k].before, rest, end,
			all[k:], final)
		other.Close()
	}
	return all
}

// encoder compresses for all tests, because making one takes longer than most tests.
var encoder = sync.OnceValues(func() (*zstd.Encoder, error) { return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)) })

// compressed returns text by gzip and by zstd.
func compressed(t testing.TB, text []byte) [][]byte {
	t.Helper()
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	filetest.Must(zip.Write(text))(t)
	filetest.Check(t, zip.Close())
	zst := filetest.Must(encoder())(t)
	return [][]byte{zipped.Bytes(), zst.EncodeAll(text, nil)}
}

// joined joins fields for a table of tests. A bad record is its error.
func joined(records []outcome) []string {
	var texts []string
	for _, o := range records {
		if o.err != "" {
			texts = append(texts, "! "+o.err)
		} else {
			texts = append(texts, strings.Join(o.fields, "/"))
		}
	}
	return texts
}

// readTest is a text, and the columns and records that must be read from it.
type readTest struct {
	name    string
	text    string
	options Options
	columns string // joined by spaces
	want    []string
}

// testRead reads each text plain, from every kind of position, and compressed.
func testRead(t *testing.T, tests []readTest) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			open := func() (*Reader, error) { return New(strings.NewReader(test.text), "t", test.options) }
			r := filetest.Must(open())(t)
			filetest.Want(t, strings.Join(r.Columns(), " "), test.columns, "columns")
			all := checkResume(t, open, len(test.text))
			filetest.Want(t, joined(all), test.want, "read")
			for _, packed := range compressed(t, []byte(test.text)) {
				again := checkResume(t, func() (*Reader, error) { return New(bytes.NewReader(packed), "t", test.options) }, len(test.text))
				filetest.Want(t, joined(again), test.want, "compressed")
			}
		})
	}
}

// openError is a text that Open refuses, and the error.
type openError struct {
	name    string
	text    string
	options Options
	want    string
}

func testOpenErrors(t *testing.T, tests []openError) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := New(strings.NewReader(test.text), "t", test.options)
			filetest.Want(t, fmt.Sprint(err), test.want, "the error")
		})
	}
}
