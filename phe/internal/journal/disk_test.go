package journal_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/disktest"
	"gophe/phe/internal/journal"
)

// history is what happened to a journal, from a seed.
type history struct {
	*rand.Rand
	options journal.Options
	folder  string
	records [][]byte // records[n-1] is the record with number n, as it was last written
	safe    uint64   // number of the last record that was acknowledged or read
	trimmed uint64   // records up to this number may be gone
}

// read reads all records. They must be the safe ones and the first of the others, and are safe from now on.
func (h *history) read() error {
	next := h.trimmed + 1
	err := journal.Read(h.folder, h.options, h.trimmed, func(number uint64, record []byte) error {
		if number != next || number > uint64(len(h.records)) || !bytes.Equal(record, h.records[number-1]) {
			return errors.Errorf("record %d of %d bytes was not written, or is not the next after %d", number, len(record), next-1)
		}
		next++
		return nil
	})
	if err == nil && next <= h.safe {
		err = errors.Errorf("record %d is lost, and %d are safe", next, h.safe)
	}
	h.safe = max(next-1, h.trimmed)
	h.records = h.records[:h.safe]
	return err
}

// write writes a few records, which share a sync.
func (h *history) write(j *journal.Journal) error {
	last := uint64(0)
	for range 1 + h.IntN(3) {
		record := bytes.Repeat([]byte{byte('a' + h.IntN(26))}, 1+h.IntN(3)*h.IntN(500))
		number, err := j.Write(record)
		if err != nil {
			break
		}
		if number != uint64(len(h.records))+1 {
			return errors.Errorf("record %d comes after %d", number, len(h.records))
		}
		h.records = append(h.records, record)
		last = number
	}
	if j.Sync(last) == nil {
		h.safe = max(h.safe, last)
	}
	return nil
}

// live writes, rotates and trims until the process ends. It continues after errors: what is acknowledged must be there.
func (h *history) live(fault error, last bool) error {
	flipped := ""
	if files, err := filepath.Glob(filepath.Join(h.folder, "*")); last && err == nil {
		if flipped, err = h.options.Disk.(*disktest.Disk).Flip(files...); err != nil {
			return err
		}
	}
	j, err := journal.Open(h.folder, h.options)
	if err != nil {
		if fault != nil && errors.Is(err, fault) || flipped != "" && strings.Contains(err.Error(), flipped) {
			return nil
		}
		return errors.WithMessagef(err, "%d records are safe, %q is damaged", h.safe, flipped)
	}
	if err = h.read(); err == nil && flipped != "" && j.Stats().Warning == "" {
		err = errors.Errorf("a flipped bit in %s is not noticed", flipped)
	}
	for n := h.IntN(30); n > 0 && err == nil; n-- {
		switch h.IntN(8) {
		case 0:
			_ = j.Rotate()
		case 1:
			h.trimmed = max(h.trimmed, h.safe-min(h.safe, uint64(h.IntN(5))))
			_ = j.Trim(h.trimmed)
		default:
			err = h.write(j)
		}
	}
	if j.Close() == nil && err == nil {
		h.safe = uint64(len(h.records))
	}
	return err
}

// TestDisk: whatever the disk does, the next life has all records that were acknowledged, and no others but those whose Sync failed.
func TestDisk(t *testing.T) {
	crashes := 250
	if filetest.Long() {
		crashes = 5000
	}
	top := filetest.Folder(t)
	disktest.Crashes(t, crashes, func(r *rand.Rand, d *disktest.Disk) func(error, bool) error {
		folder := filepath.Join(filetest.Must(os.MkdirTemp(top, ""))(t), "log")
		h := &history{Rand: r, folder: folder, options: journal.Options{Identity: "disk", Disk: d}}
		return h.live
	})
}

// threeWrites returns the content of a journal of three writes, each of three records of 600 bytes, and its file.
func threeWrites(t *testing.T, folder string) (file string, content []byte) {
	t.Helper()
	j := filetest.Must(journal.Open(folder, journal.Options{}))(t)
	for n := range 9 {
		number := filetest.Must(j.Write(bytes.Repeat([]byte{byte('a' + n)}, 600)))(t)
		if n%3 == 2 {
			filetest.Check(t, j.Sync(number))
		}
	}
	filetest.Check(t, j.Close())
	file = filetest.Must(filepath.Glob(filepath.Join(folder, "*")))(t)[0]
	return file, filetest.Must(os.ReadFile(file))(t)
}

// TestHole loses each sector of a journal. The last write was not safe if it lacks a sector, though sectors behind it are there. Every
// other write was.
func TestHole(t *testing.T) {
	folder := t.TempDir()
	file, content := threeWrites(t, folder)
	const sector = 512
	each := (len(content) - 63) / 9
	last := 63 + 6*each
	for at := 0; at < len(content); at += sector {
		from := at
		if at < last && at+sector > last {
			from = last // the write before has written this sector too
		}
		holed := bytes.Clone(content)
		clear(holed[from:min(at+sector, len(content))])
		filetest.Check(t, os.WriteFile(file, holed, 0o644))
		j, err := journal.Open(folder, journal.Options{})
		if from < last {
			filetest.WantError(t, err, file)
			continue
		}
		filetest.Check(t, err)
		filetest.Want(t, j.Stats().Last, uint64((from-63)/each), "records, where the last write lacks the sector at %d of %d", at,
			len(content))
		filetest.WantWords(t, j.Stats().Warning, "cut short")
		filetest.Check(t, j.Close())
	}
}

// TestZerosOfRecord flips a bit of a record that has a few zeros of its own before the end of a sector. No power failure has left them, so
// that is damage.
func TestZerosOfRecord(t *testing.T) {
	folder := filetest.Folder(t)
	for zeros := 1; zeros < 8; zeros++ {
		record := bytes.Repeat([]byte("a"), 1200)
		clear(record[1024-79-zeros : 1024-79]) // it begins at byte 79 of the file
		log := filepath.Join(folder, fmt.Sprint(zeros))
		j := filetest.Must(journal.Open(log, journal.Options{}))(t)
		filetest.Must(j.Write(record))(t)
		filetest.Check(t, j.Close())
		file := filetest.Must(filepath.Glob(filepath.Join(log, "*")))(t)[0]
		content := filetest.Must(os.ReadFile(file))(t)
		content[100] ^= 1
		filetest.Check(t, os.WriteFile(file, content, 0o644))
		filetest.WantError(t, filetest.Failure(journal.Open(log, journal.Options{})), file+" is damaged after record 0")
	}
}

// TestTrimmedForGood: files that Trim has removed stay removed after a power failure.
func TestTrimmedForGood(t *testing.T) {
	for seed := range uint64(8) {
		folder, d := filepath.Join(filetest.Folder(t), "log"), disktest.New(seed)
		j := filetest.Must(journal.Open(folder, journal.Options{Disk: d}))(t)
		for range 4 {
			filetest.Check(t, j.Sync(filetest.Must(j.Write([]byte("record")))(t)))
			filetest.Check(t, j.Rotate())
		}
		filetest.Check(t, j.Trim(3))
		filetest.Check(t, d.PowerFails())
		_ = j.Close()
		filetest.Want(t, len(filetest.Must(filepath.Glob(filepath.Join(folder, "*")))(t)), 2, "seed %d: files", seed)
	}
}

// TestOverlap: two files hold the same records, as when an old copy is restored next to a newer journal.
func TestOverlap(t *testing.T) {
	folder, copied := t.TempDir(), t.TempDir()
	for where, first := range map[string]uint64{folder: 1, copied: 3} {
		j := filetest.Must(journal.Open(where, journal.Options{First: first}))(t)
		for range 4 {
			filetest.Check(t, j.Sync(filetest.Must(j.Write(fmt.Append(nil, where)))(t)))
		}
		filetest.Check(t, j.Close())
	}
	later := filetest.Must(filepath.Glob(filepath.Join(copied, "*")))(t)[0]
	filetest.Check(t, os.Rename(later, filepath.Join(folder, filepath.Base(later))))
	_, err := journal.Open(folder, journal.Options{})
	filetest.WantError(t, err, "records 3 to 4 twice", filepath.Base(later))
}
