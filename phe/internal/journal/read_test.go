package journal

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
)

// readAll returns what Read finds after a record.
func readAll(folder string, o Options, after uint64) (list []string, err error) {
	err = Read(folder, o, after, func(number uint64, record []byte) error {
		list = append(list, fmt.Sprintf("%d:%s", number, record))
		return nil
	})
	return list, err
}

// TestRead: Read finds the records of a journal that another process has open, and as much of a damaged one as is whole.
func TestRead(t *testing.T) {
	folder := t.TempDir()
	j := mustOpen(t, folder, Options{})
	var records, want []string
	for n := 1; n <= 12; n++ {
		records = append(records, fmt.Sprintf("record %d", n))
		want = append(want, fmt.Sprintf("%d:record %d", n, n))
	}
	addFiles(t, j, records...)
	o := Options{Identity: owner, Newest: j.Stats().Newest}
	finds := func(after, to int, words ...string) {
		t.Helper()
		got, err := readAll(folder, o, uint64(after))
		filetest.Want(t, got, want[after:to], "records after %d", after)
		if len(words) == 0 {
			filetest.Check(t, err)
		} else {
			filetest.WantError(t, err, words...)
		}
	}
	for after := range want {
		finds(after, len(want))
	}
	names := files(t, folder)
	filetest.True(t, len(names) >= 4, "only %q", names)
	last := names[len(names)-1]
	content := filetest.Must(os.ReadFile(last))(t)
	first := int(o.Newest)
	write(t, last, append(slices.Clone(content), appendRecord(nil, 13, []byte("half"))[:9]...)) // as it is being written
	finds(0, 12, "breaks off 9 bytes after record 12", "cut short")
	write(t, last, content[:lineBytes+headBytes])
	finds(first-2, first-1, "breaks off 16 bytes")
	write(t, last, content[:lineBytes-1])
	finds(first-2, first-1, "is damaged after record")
	filetest.Check(t, os.Remove(last))
	finds(first-2, first-1, "lacks its newest file")
	damaged := filetest.Must(os.ReadFile(names[1]))(t)
	damaged[len(damaged)-2] ^= 1
	write(t, names[1], damaged)
	got, err := readAll(folder, o, 0)
	filetest.True(t, err != nil && len(got) > 0, "%q, %v", got, err)
	filetest.Want(t, got, want[:len(got)], "records before the damage")
	filetest.Check(t, os.Remove(names[1]))
	filetest.WantError(t, filetest.Failure(readAll(folder, Options{Identity: owner}, 0)), "lacks the records")
	filetest.Check(t, os.Remove(names[0]))
	_, err = readAll(folder, Options{Identity: owner}, 0)
	filetest.WantError(t, err, "begins with record", "after 0 are wanted")
	got = filetest.Must(readAll(folder+"-none", Options{Identity: owner}, 0))(t)
	filetest.Want(t, len(got), 0, "records of no journal")
	filetest.WantError(t, filetest.Failure(readAll(folder+"-none", o, 0)), "is missing")
}

// TestCuts cuts the newest file at each byte. Read says of a cut what Open says. A cut between two records is seen only by an owner who has
// more of them.
func TestCuts(t *testing.T) {
	folder := filetest.Folder(t)
	name, content, _ := threeRecords(t, folder)
	borders, known := map[int]uint64{lineBytes: 0}, Options{Identity: owner, Last: 3}
	for at, n := lineBytes, uint64(1); at < len(content); n++ {
		_, size, err := parseRecord(content[at:], n)
		filetest.Check(t, err)
		at += size
		borders[at] = n
	}
	for at := range content {
		write(t, name, content[:at])
		_, err := readAll(folder, Options{Identity: owner}, 0)
		j := mustOpen(t, folder, Options{})
		last, isBorder := borders[at]
		w := j.Stats().Warning
		filetest.Want(t, err == nil, isBorder, "cut at %d: Read says %v, so that it is whole", at, err)
		if w != "" || err != nil {
			filetest.Want(t, fmt.Sprint(err), w, "cut at %d: Read says, as Open", at)
			filetest.True(t, errors.Is(err, ErrTorn), "cut at %d: %v", at, err)
		}
		filetest.Check(t, j.Close())
		for _, err := range []error{filetest.Failure(Open(folder, known)), filetest.Failure(readAll(folder, known, 3))} {
			if isBorder {
				filetest.WantError(t, err, fmt.Sprintf("ends with record %d, and the model has learned 3", last), "restore the newer one")
			}
		}
	}
}

// TestSparse: a segment is made longer than memory, with nothing or a few bytes on the disk. Read finds the records before the hole, and
// names it. That takes little memory.
func TestSparse(t *testing.T) {
	folder := t.TempDir()
	j := mustOpen(t, folder, Options{})
	mustAdd(t, j, "one", "two")
	name := files(t, folder)[0]
	filetest.Check(t, os.Truncate(name, 1<<31))
	for range 2 {
		var got []string
		var err error
		took := filetest.Allocated(func() { got, err = readAll(folder, Options{Identity: owner}, 0) })
		filetest.Want(t, got, []string{"1:one", "2:two"}, "records")
		filetest.True(t, took <= 100<<20, "reading takes %d MB", took>>20)
		filetest.WantError(t, err, name, "is damaged after record 2")
		filetest.WantError(t, filetest.Failure(Open(folder, Options{Identity: owner})), "is damaged after record 2")
		f := filetest.Must(os.OpenFile(name, os.O_WRONLY, 0))(t)
		for at := int64(MaxRecord); at < 1<<31; at += MaxRecord / 2 { // islands in the hole
			filetest.Must(f.WriteAt([]byte("x"), at))(t)
		}
		filetest.Check(t, f.Close())
	}
}

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
