package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/disktest"
)

const owner = "abc123"

// failing makes changes of one kind fail, as on a full disk.
func failing(kind string) func(kind, name string) error {
	return func(k, _ string) error {
		if k == kind {
			return errors.New("no space left")
		}
		return nil
	}
}

func mustOpen(t testing.TB, folder string, o Options) *Journal {
	t.Helper()
	o.Identity = owner
	j := filetest.Must(Open(folder, o))(t)
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// add writes a record and waits until it is safe.
func add(j *Journal, record string) (number uint64, err error) {
	if number, err = j.Write([]byte(record)); err == nil {
		err = j.Sync(number)
	}
	return number, err
}

func mustAdd(t testing.TB, j *Journal, records ...string) {
	t.Helper()
	for _, r := range records {
		filetest.Must(add(j, r))(t)
	}
}

// addFiles adds records, two to a file.
func addFiles(t testing.TB, j *Journal, records ...string) {
	t.Helper()
	for two := range slices.Chunk(records, 2) {
		filetest.Check(t, j.Rotate())
		mustAdd(t, j, two...)
	}
}

func wantContents(t testing.TB, j *Journal, after uint64, want ...string) {
	t.Helper()
	filetest.Want(t, filetest.Must(readAll(j.folder, Options{Identity: owner}, after))(t), want, "the journal after %d", after)
}

// files returns the names of a journal's files.
func files(t testing.TB, folder string) []string {
	t.Helper()
	return filetest.Must(filepath.Glob(filepath.Join(folder, "*")))(t)
}

// fortyRecords returns a journal of several segments and its contents. The journal is closed and opened again after every ten
// records.
func fortyRecords(t *testing.T, folder string) (j *Journal, want []string) {
	t.Helper()
	j = mustOpen(t, folder, Options{})
	wantContents(t, j, 0)
	for n := 1; n <= 40; n++ {
		mustAdd(t, j, fmt.Sprintf("record %d", n))
		want = append(want, fmt.Sprintf("%d:record %d", n, n))
		if n%5 == 3 {
			filetest.Check(t, j.Rotate())
		}
		if n%10 == 0 {
			filetest.Check(t, j.Close())
			err := filetest.Failure(j.Write(nil))
			filetest.True(t, err != nil, "a closed journal takes records")
			j = mustOpen(t, folder, Options{First: 99})
			filetest.Want(t, j.Stats().Warning, "", "the warning after %d records", n)
			filetest.Want(t, j.Stats().Last, uint64(n), "the last record")
		}
	}
	filetest.True(t, j.Stats().Segments >= 5, "%+v", j.Stats())
	filetest.Want(t, j.Stats().Segments, len(files(t, folder)), "segments")
	return j, want
}

// TestReopen follows a journal through several lives, over segments.
func TestReopen(t *testing.T) {
	j, want := fortyRecords(t, filepath.Join(t.TempDir(), "log"))
	wantContents(t, j, 0, want...)
	wantContents(t, j, 25, want[25:]...)
	wantContents(t, j, 40)
}

// TestReopenTrimmed trims a journal step by step, until it is empty, and continues in another life.
func TestReopenTrimmed(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "log")
	j, want := fortyRecords(t, folder)
	before := j.Stats()
	for through := uint64(1); through <= 25; through++ {
		filetest.Check(t, j.Trim(through))
		if first := j.Stats().First; first > through+1 {
			t.Fatalf("trimmed through %d, the journal begins with record %d", through, first)
		}
	}
	after := j.Stats()
	filetest.True(t, after.First > 15 && after.First <= 26, "trimmed to %+v", after)
	filetest.True(t, after.Segments < before.Segments && after.Bytes < before.Bytes, "trimmed to %+v from %+v", after, before)
	filetest.Want(t, after.Segments, len(files(t, folder)), "segments")
	wantContents(t, j, 25, want[25:]...)
	_, err := readAll(folder, Options{Identity: owner}, 3)
	filetest.WantError(t, err, "begins with record", "after 3")
	for range 2 { // the new file is empty, so it stays when the journal rotates again
		filetest.Check(t, j.Rotate())
	}
	filetest.Check(t, j.Trim(40))
	s := j.Stats()
	filetest.Want(t, []uint64{s.First, s.Last, uint64(s.Segments), uint64(s.Bytes)}, []uint64{41, 40, 1, uint64(lineBytes)},
		"first, last, segments and bytes when it is emptied")
	filetest.Check(t, j.Trim(40))
	filetest.Want(t, len(files(t, folder)), 1, "files")
	filetest.Check(t, j.Close())
	j = mustOpen(t, folder, Options{})
	mustAdd(t, j, "next")
	wantContents(t, j, 40, "41:next")
	filetest.Want(t, j.Stats().Bytes, bytesOf(t, files(t, folder)), "bytes of the files")
}

// bytesOf returns the size of all files together.
func bytesOf(t *testing.T, names []string) (total int64) {
	t.Helper()
	for _, name := range names {
		info := filetest.Must(os.Stat(name))(t)
		total += info.Size()
	}
	return total
}

// threeRecords makes a journal and returns its only file, its content and where the last record begins.
func threeRecords(t *testing.T, folder string) (name string, content []byte, last int) {
	t.Helper()
	j := mustOpen(t, folder, Options{})
	mustAdd(t, j, "one", "two")
	last = int(j.Stats().Bytes)
	mustAdd(t, j, `{"three":3}`)
	filetest.Check(t, j.Close())
	name = files(t, folder)[0]
	return name, filetest.Must(os.ReadFile(name))(t), last
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	filetest.Check(t, os.WriteFile(name, content, 0o644))
}

// TestTornEnd cuts the file at every byte of its last record, and of its first line. The records before stay, with a warning, and
// the journal takes new ones.
func TestTornEnd(t *testing.T) {
	folder := t.TempDir()
	name, content, last := threeRecords(t, folder)
	check := func(what string, torn []byte, want ...string) {
		write(t, name, torn)
		j := mustOpen(t, folder, Options{})
		filetest.WantWords(t, j.Stats().Warning, "cut short")
		mustAdd(t, j, "next")
		want = append(want, fmt.Sprintf("%d:next", len(want)+1))
		wantContents(t, j, 0, want...)
		filetest.Check(t, j.Close())
		j = mustOpen(t, folder, Options{})
		filetest.Want(t, j.Stats().Warning, "", "%s: the warning, opened again", what)
		wantContents(t, j, 0, want...)
		filetest.Check(t, j.Close())
	}
	for at := last + 1; at < len(content); at++ {
		check(fmt.Sprintf("cut at %d of %d", at, len(content)), content[:at], "1:one", "2:two")
	}
	for at := range lineBytes {
		check(fmt.Sprintf("cut at %d", at), content[:at])
	}
	// After a power failure a file may have its length and not its bytes.
	for at := last; at < len(content)-8; at++ {
		unwritten := append(slices.Clone(content[:at]), make([]byte, len(content)-at+100)...)
		check(fmt.Sprintf("zeros from %d", at), unwritten, "1:one", "2:two")
	}
	check("zeros after all records", append(slices.Clone(content), make([]byte, 4096)...), "1:one", "2:two", `3:{"three":3}`)
	check("zeros alone", make([]byte, 4096))
}

// TestDamage flips every bit of a journal. Each is an error, whether it is in the middle or at the end.
func TestDamage(t *testing.T) {
	folder := t.TempDir()
	name, content, _ := threeRecords(t, folder)
	for at := range content {
		for bit := range 8 {
			damaged := slices.Clone(content)
			damaged[at] ^= 1 << bit
			write(t, name, damaged)
			j, err := Open(folder, Options{Identity: owner})
			if err == nil {
				_ = j.Close()
				t.Fatalf("bit %d of byte %d of %d is flipped and not noticed; warning %q", bit, at, len(content), j.Stats().Warning)
			}
			if !strings.Contains(err.Error(), "restore") && !strings.Contains(err.Error(), "move it out") {
				t.Fatalf("the error says no remedy: %s", err)
			}
		}
	}
}

// TestDamagedSegments: a file before the last one must be whole, and none may be missing.
func TestDamagedSegments(t *testing.T) {
	folder := t.TempDir()
	j := mustOpen(t, folder, Options{})
	addFiles(t, j, "one", "two", "three", "four", "five", "six", "seven")
	filetest.Check(t, j.Close())
	names := files(t, folder)
	filetest.True(t, len(names) >= 3, "only %q", names)
	content := filetest.Must(os.ReadFile(names[1]))(t)
	refused := func(words ...string) {
		t.Helper()
		filetest.WantError(t, filetest.Failure(Open(folder, Options{Identity: owner})), words...)
	}
	write(t, names[1], content[:len(content)-3])
	refused("is damaged after record", "restore a copy")
	write(t, names[1], nil)
	refused("is damaged after record")
	filetest.Check(t, os.Remove(names[1]))
	refused("the journal lacks the records")
	write(t, names[1], content)
	write(t, filepath.Join(folder, "notes.txt"), nil)
	refused("notes.txt is no file of a journal")
	filetest.Check(t, os.Remove(filepath.Join(folder, "notes.txt")))
	filetest.Check(t, os.Rename(names[0], filepath.Join(folder, "00000000000000000000.journal")))
	refused("begins with record 1")
	filetest.Check(t, os.Rename(filepath.Join(folder, "00000000000000000000.journal"), names[0]))
	_, err := Open(folder, Options{Identity: "another"})
	filetest.WantError(t, err, "the journal of another model", owner)
	mustOpen(t, folder, Options{})
}

// TestDiskFull: after a write or a sync that fails, nothing is acknowledged any more, and everything acknowledged before is found.
func TestDiskFull(t *testing.T) {
	for _, c := range []struct {
		name string
		kind string
		want []string // what may be found
	}{
		{"a part of the record is written", "write", []string{"1:safe"}},
		{"the sync fails", "sync", []string{"1:safe", "2:lost"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder, d := t.TempDir(), disktest.New(1)
			j := mustOpen(t, folder, Options{Disk: d})
			mustAdd(t, j, "safe")
			d.Before = failing(c.kind)
			filetest.WantError(t, filetest.Failure(add(j, "lost")), "no space left", "free some space")
			d.Before = nil // there is space again, but the file's content is unknown
			filetest.WantError(t, filetest.Failure(add(j, "later")), "no space left")
			filetest.WantError(t, j.Sync(2), "no space left")
			filetest.WantError(t, j.Trim(1), "no space left")
			filetest.WantError(t, j.Stats().Err, "no space left")
			filetest.Check(t, j.Sync(1)) // what was safe is so still
			_ = j.Close()
			wantContents(t, mustOpen(t, folder, Options{}), 0, c.want...)
		})
	}
}

// TestRotationFails: the new segment is there, and its name may be lost. A record in the old segment would have the number with which
// the new one begins.
func TestRotationFails(t *testing.T) {
	folder, d := t.TempDir(), disktest.New(1)
	j := mustOpen(t, folder, Options{Disk: d})
	mustAdd(t, j, "one")
	d.Before = failing("sync a folder")
	filetest.WantError(t, j.Rotate(), "no space left")
	d.Before = nil
	want := []string{"1:one"}
	if _, err := add(j, "two"); err == nil {
		want = append(want, "2:two")
	}
	_ = j.Close()
	wantContents(t, mustOpen(t, folder, Options{}), 0, want...)
}

// TestTogether: goroutines that append at the same time share syncs, and each finds its record under the number that it got.
func TestTogether(t *testing.T) {
	folder, d := t.TempDir(), disktest.New(1)
	j := mustOpen(t, folder, Options{Disk: d})
	const clients, each = 16, 25
	var after atomic.Uint64
	d.Before = func(kind, _ string) error {
		if kind == "sync" { // as slow as a disk
			time.Sleep(time.Millisecond)
		}
		return nil
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	said := map[uint64]string{}
	for c := range clients {
		group.Go(func() {
			for i := range each {
				record := fmt.Sprintf("client %d, record %d", c, i)
				number, err := add(j, record)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				said[number] = record
				mu.Unlock()
				if i == each/2 && c%4 == 0 {
					after.Store(number)
					err := j.Rotate()
					if err == nil {
						err = j.Trim(number)
					}
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	group.Wait()
	s := j.Stats()
	filetest.Want(t, s.Last, clients*each, "the last number")
	filetest.Want(t, len(said), clients*each, "records")
	filetest.True(t, s.Syncs < clients*each/2, "%d records by %d clients took %d syncs", len(said), clients, s.Syncs)
	filetest.Check(t, j.Close())
	j = mustOpen(t, folder, Options{})
	from, next := j.Stats().First-1, j.Stats().First
	filetest.True(t, from <= after.Load()+clients*each/2, "records up to %d were trimmed, and %d are gone",
		after.Load(), from)
	err := Read(folder, Options{Identity: owner}, from, func(number uint64, record []byte) error {
		filetest.Want(t, number, next, "the number of the next record")
		filetest.Want(t, string(record), said[number], "record %d", number)
		next++
		return nil
	})
	filetest.Check(t, err)
	filetest.Want(t, next, clients*each+1, "the number after the last record")
}

// TestSizes: large records are taken, and larger ones refused.
func TestSizes(t *testing.T) {
	folder := t.TempDir()
	j := mustOpen(t, folder, Options{})
	large := strings.Repeat("x", MaxRecord)
	mustAdd(t, j, large)
	filetest.WantError(t, filetest.Failure(add(j, large+"x")), "takes at most")
	got := filetest.Must(readAll(folder, Options{Identity: owner}, 0))(t)
	filetest.Want(t, len(got), 1, "records")
	filetest.Want(t, len(got[0]), MaxRecord+2, "the record's size")
}
