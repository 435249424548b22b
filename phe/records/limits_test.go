package records

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
)

// again gives a text again and again, without an end.
type again struct {
	text string
	at   int
}

// Read implements io.Reader.
func (a *again) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		copied := copy(p[n:], a.text[a.at:])
		n += copied
		a.at = (a.at + copied) % len(a.text)
	}
	return n, nil
}

// heapLimit is more than two blocks and two records of 16 MiB with their copies.
const heapLimit = 128 << 20

// readLong counts records and bad records, and fails if the heap grows above the limit.
func readLong(t *testing.T, r *Reader, limit uint64) (good, bad int, lastBad error) {
	t.Helper()
	var memory runtime.MemStats
	runtime.GC() // memory of other tests does not count
	for {
		_, err := r.Read()
		switch {
		case err == io.EOF:
			return good, bad, lastBad
		case errors.As(err, new(*RecordError)):
			bad, lastBad = bad+1, err
		case err != nil:
			t.Fatal(err)
		default:
			good++
		}
		if (good+bad)%100_000 == 1 {
			if runtime.ReadMemStats(&memory); memory.HeapAlloc > limit {
				t.Fatalf("%d MiB after %d records", memory.HeapAlloc>>20, good)
			}
		}
	}
}

// TestMemory reads 200 MB.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	const size, line = 60_000_000, "alice,Paris,42,red,2024-01-02,1.5,yes,\"no, never\"\n"
	text := io.LimitReader(&again{text: line}, int64(size/len(line)*len(line)))
	r := filetest.Must(New(text, "t", Options{}))(t)
	good, bad, _ := readLong(t, r, 32<<20)
	filetest.Want(t, [2]int{good, bad}, [2]int{size / len(line), 0}, "good and bad records")
	filetest.Want(t, len(r.rows.(*csvRows).buffer), blockSize, "the buffer")
}

// TestLongRecords reads records of more than maxRecord bytes. Each is one bad record, and the records after it are good.
func TestLongRecords(t *testing.T) {
	const tooLong = "t, line 3: the record is longer than 16 MiB; close a quote that is open, or remove the line"
	for _, test := range []struct {
		name, head, body, tail string
		good                   int
		want                   string
	}{
		{"line", "a,b\n1,2\n", "x", "\n3,4\n", 2, tooLong},
		{"last line", "a,b\n1,2\n", "x", "", 1, tooLong},
		{"quote that is open", "a,b\n1,2\n3,\"", "\n", "5,6\n", 2, tooLong},
		{"JSON", "{\"a\":1}\n\n", "{\"a\":", "\n{\"a\":1}\n", 2, "t, line 3: the line is longer than 16 MiB" + one},
	} {
		t.Run(test.name, func(t *testing.T) {
			body := io.LimitReader(&again{text: test.body}, int64(17<<20/len(test.body)*len(test.body)))
			r := filetest.Must(New(io.MultiReader(strings.NewReader(test.head), body, strings.NewReader(test.tail)), "t", Options{}))(t)
			good, bad, lastBad := readLong(t, r, heapLimit)
			filetest.Want(t, [2]int{good, bad}, [2]int{test.good, 1}, "good and bad records")
			filetest.Want(t, fmt.Sprint(lastBad), test.want, "the error")
		})
	}
	_, err := New(&again{text: "x"}, "t", Options{})
	filetest.Want(t, fmt.Sprint(err), strings.Replace(tooLong, "line 3", "line 1", 1), "the error")
}
