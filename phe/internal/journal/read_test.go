package journal

import (
	"fmt"
	"os"
	"runtime"
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
		if !slices.Equal(got, want[after:to]) {
			t.Errorf("after %d: %q, want %q", after, got, want[after:to])
		}
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
	if len(names) < 4 {
		t.Fatalf("only %q", names)
	}
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
	if got, err := readAll(folder, o, 0); err == nil || len(got) == 0 || !slices.Equal(got, want[:len(got)]) {
		t.Errorf("%q, %v", got, err)
	}
	filetest.Check(t, os.Remove(names[1]))
	_, err := readAll(folder, Options{Identity: owner}, 0)
	filetest.WantError(t, err, "lacks the records")
	filetest.Check(t, os.Remove(names[0]))
	_, err = readAll(folder, Options{Identity: owner}, 0)
	filetest.WantError(t, err, "begins with record", "after 0 are wanted")
	got, err := readAll(folder+"-none", Options{Identity: owner}, 0)
	if len(got) > 0 || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	_, err = readAll(folder+"-none", o, 0)
	filetest.WantError(t, err, "is missing")
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
		if isBorder != (err == nil) || err != nil && (w != err.Error() || !errors.Is(err, ErrTorn)) || err == nil && w != "" {
			t.Errorf("cut at %d: Read says %v, and Open %q", at, err, w)
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
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := readAll(folder, Options{Identity: owner}, 0)
		if runtime.ReadMemStats(&after); !slices.Equal(got, []string{"1:one", "2:two"}) || after.TotalAlloc-before.TotalAlloc > 100<<20 {
			t.Errorf("read %q, with %d MB", got, (after.TotalAlloc-before.TotalAlloc)>>20)
		}
		filetest.WantError(t, err, name, "is damaged after record 2")
		_, err = Open(folder, Options{Identity: owner})
		filetest.WantError(t, err, "is damaged after record 2")
		f := filetest.Must(os.OpenFile(name, os.O_WRONLY, 0))(t)
		for at := int64(MaxRecord); at < 1<<31; at += MaxRecord / 2 { // islands in the hole
			filetest.Must(f.WriteAt([]byte("x"), at))(t)
		}
		filetest.Check(t, f.Close())
	}
}
