package journal

import (
	"bytes"
	"testing"

	"gophe/phe/disk/filetest"
)

// scan accepts any segment. The records that it finds whole must give the same bytes when they are written again.
func FuzzScan(f *testing.F) {
	good := line(owner, 7)
	for i, record := range []string{"a", "", "three\n"} {
		good = appendRecord(good, 7+uint64(i), []byte(record))
	}
	f.Add(good)
	f.Add(good[:len(good)-3])
	f.Add(append(bytes.Clone(good), make([]byte, 100)...))
	f.Add(line(owner, 7))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		again := line(owner, 7)
		next := uint64(7)
		whole, records, err := scan(content, owner, 7, func(number uint64, payload []byte) error {
			filetest.Want(t, number, next, "the number of the next record")
			next++
			again = appendRecord(again, number, payload)
			again[len(again)-1] = content[len(again)-1] // either end
			return nil
		})
		if whole > len(content) || records != next-7 {
			t.Fatalf("%d whole bytes of %d, %d records of %d", whole, len(content), records, next-7)
		}
		filetest.True(t, whole == 0 || bytes.Equal(content[:whole], again), "%q was read as %q; %v", content[:whole],
			again, err)
		filetest.True(t, err != nil || whole == len(content), "%d bytes of %d were read, without an error", whole,
			len(content))
	})
}
