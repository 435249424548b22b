package counttree

import (
	"encoding/binary"
	"testing"

	"gophe/phe/disk/filetest"
)

// No slot leaves its range after any counts, and the item counted last is found.
func FuzzSlots(f *testing.F) {
	f.Add([]byte("12345678abcdefgh12345678"), uint8(2))
	f.Add(make([]byte, 8*300), uint8(0))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 1, 0}, uint8(5))
	f.Fuzz(func(t *testing.T, rows []byte, size uint8) {
		table := make(slots, slotsPerBucket<<(size%6))
		for ; len(rows) >= 8; rows = rows[8:] {
			hash := binary.LittleEndian.Uint64(rows)
			before := table.find(hash).n()
			left := float64(hash >> 20 & 1)
			table.add(hash, left)
			s := table.find(hash)
			filetest.Want(t, s.n(), min(before+1, maxSeen), "n after %v", before)
			filetest.True(t, s.n() != 1 || s.p() == min(max(left, 0.5/unitsOfP), 1-0.5/unitsOfP),
				"P %v after one row at %v", s.p(), left)
		}
		for _, s := range table {
			if n, p := s.n(), s.p(); n < 0 || n > maxSeen || !(p > 0 && p < 1) || (s == 0) != (s.check() == 0) {
				t.Errorf("slot %x holds n %v and P %v", uint64(s), n, p)
			}
			filetest.True(t, s == 0 || binOf(s.n()) < bins, "n %v has bin %d", s.n(), binOf(s.n()))
		}
	})
}
