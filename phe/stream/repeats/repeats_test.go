package repeats_test

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/cespare/xxhash/v2"

	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
	"gophe/phe/stream/repeats"
)

// see shows a row to a memory: an id, a feature, and a label unless it is negative.
func see(m *repeats.Memory, id, feature string, label int) repeats.Kind {
	h := m.Hash(id, xxhash.Sum64String(feature))
	if label >= 0 {
		h.Label(uint64(label))
	}
	return m.See(h)
}

// reread returns a memory of a number of rows that has gone through a file.
func reread(t *testing.T, m *repeats.Memory, most int) *repeats.Memory {
	t.Helper()
	var file bytes.Buffer
	filetest.Check(t, belief.Write(&file, "ids", []byte("{}"), []belief.Part{m.Part()}))
	got := repeats.New(most, 0)
	got.Restore(m.Count)
	filetest.Must(belief.Read(file.Bytes(), func(belief.Header) ([]belief.Part, error) { return []belief.Part{got.Part()}, nil }))(t)
	return got
}

// Kinds of rows after three rows, by hand. A memory that goes through a file before each row gives the same kinds.
func TestSee(t *testing.T) {
	const most = 3
	m, file := repeats.New(most, 0), repeats.New(most, 0)
	for i, c := range []struct {
		id, feature string
		label       int
		want        repeats.Kind
	}{
		{"a", "x", 1, repeats.Fresh}, {"a", "x", 1, repeats.Repeated}, {"a", "x", 0, repeats.Corrected}, {"a", "x", -1, repeats.Repeated},
		{"a", "y", 1, repeats.Reused}, {"a", "x", 1, repeats.Repeated}, {"a", "y", 0, repeats.Corrected}, // two rows of one id
		{"b", "x", -1, repeats.Fresh}, {"b", "x", -1, repeats.Repeated}, {"b", "x", 1, repeats.Fresh}, {"b", "x", 1, repeats.Repeated},
		{"a", "x", 1, repeats.Repeated}, {"c", "x", 1, repeats.Fresh}, // the oldest, and one in its place
		{"a", "x", 1, repeats.Reused}, {"a", "y", 1, repeats.Reused}, {"b", "x", 1, repeats.Fresh}, // each in the place of the next
		{"", "x", 1, repeats.Fresh}, {"", "x", 1, repeats.Fresh}, {"a", "y", 1, repeats.Repeated}, // a row without an id takes no place
	} {
		file = reread(t, file, most)
		filetest.Want(t, see(m, c.id, c.feature, c.label), c.want, "row %d", i+1)
		filetest.Want(t, see(file, c.id, c.feature, c.label), c.want, "row %d, after a file", i+1)
	}
	filetest.Want(t, [2]int{m.Len(), file.Len()}, [2]int{most, most}, "rows that are kept")
}

// A row is known up to the number of rows that are kept, and no longer, also where the numbers of rows no longer fit in 32 bits.
func TestWindow(t *testing.T) {
	for _, most := range []int{1, 2, 100} {
		for _, before := range []int64{0, 1<<32 - 150} {
			m := repeats.New(most, 0)
			m.Restore(before)
			for i := range 400 {
				filetest.Want(t, see(m, strconv.Itoa(i), "x", 1), repeats.Fresh, "row %d", i)
				filetest.Want(t, see(m, strconv.Itoa(max(0, i-most+1)), "x", 1), repeats.Repeated, "the oldest of %d at row %d", most, i)
			}
			filetest.Want(t, see(m, strconv.Itoa(400-most-1), "x", 1), repeats.Fresh, "a row before the last %d", most)
		}
	}
}

// An id of many rows costs no more than some of them.
func TestManyRowsOfOneID(t *testing.T) {
	m := repeats.New(1000, 0)
	for i := range 100 {
		filetest.Want(t, see(m, "a", strconv.Itoa(i), 1) == repeats.Reused, i > 0, "row %d has a known id", i)
	}
	filetest.Want(t, see(m, "a", "40", 1), repeats.Repeated, "60 rows before")
	filetest.Want(t, see(m, "a", "30", 1), repeats.Reused, "70 rows before")
}
