// Package journal keeps an append-only log of records on the disk. A record whose Sync has returned nil survives a kill and a power
// failure.
//
// Several goroutines that wait for the disk share one sync (group commit). The log is a folder of segments, so that Trim can remove
// old records by removing files.
//
// Open tells a torn end from damage. A record that a kill cut short was never acknowledged: Open removes it and warns. Every other
// fault is an error, because it may hide records that were acknowledged.
package journal

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/pkg/errors"

	"gophe/phe/disk"
)

// Options describe a journal. The zero value is the default.
type Options struct {
	// Identity names the owner of the records, in at most 16 letters and digits. Open refuses a journal with another identity.
	Identity string
	// First is the number of the first record of a journal that has no file yet; 1 if it is 0.
	First uint64
	// Newest is the number with which the newest file began when the owner last looked; 0 if it does not know. Open refuses a journal
	// that has lost this file and all later ones.
	Newest uint64
	// Disk changes the files; the system's if it is nil.
	Disk disk.FS
}

func (o Options) withDefaults() Options {
	if o.First == 0 {
		o.First = 1
	}
	if o.Disk == nil {
		o.Disk = disk.System
	}
	return o
}

// Journal is an open log. Its methods may be called concurrently. It takes no lock: the caller keeps other processes out.
type Journal struct {
	folder  string
	options Options
	disk    disk.FS

	mu      sync.Mutex
	changed *sync.Cond // synced, err or busy have changed
	buffer  []byte     // records that are not in the file yet
	spare   []byte     // the buffer before, to be used again
	last    uint64     // number of the last record
	synced  uint64     // number of the last record that is safe on the disk
	busy    bool       // one goroutine writes, rotates or trims; the fields below are its
	err     error      // error of the disk; nothing is written after it
	closed  bool

	file     disk.File
	segments []segment // oldest first; the last one is the file
	warning  string
	syncs    int64
	bytes    int64 // size of all segments
}

// segment is one file of the log.
type segment struct {
	first uint64 // number of its first record
	bytes int64
}

// Open opens the journal in a folder, which it makes if there is none. It reads and checks every record.
func Open(folder string, o Options) (*Journal, error) {
	o = o.withDefaults()
	if err := checkIdentity(o.Identity); err != nil {
		return nil, err
	}
	firsts, err := list(folder, o.Newest)
	if err != nil {
		return nil, err
	}
	if err := o.Disk.Mkdir(folder, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, errors.Wrap(err, "making the journal's folder; make the folder above it, and the right to write it")
	}
	if err := o.Disk.SyncFolder(filepath.Dir(folder)); err != nil {
		return nil, err
	}
	j := &Journal{folder: folder, options: o, disk: o.Disk}
	j.changed = sync.NewCond(&j.mu)
	if err := j.examine(firsts); err != nil {
		return nil, err
	}
	if len(j.segments) == 0 {
		j.last = o.First - 1
		if err := j.begin(); err != nil {
			return nil, err
		}
	}
	j.synced = j.last
	return j, nil
}

// Write adds a record and returns its number, without waiting for the disk. Numbers grow by 1. The record is safe only when Sync
// of its number has returned nil.
func (j *Journal) Write(record []byte) (uint64, error) {
	if len(record) > MaxRecord {
		return 0, errors.Errorf("the record has %d bytes; a journal takes at most %d", len(record), MaxRecord)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.broken(); err != nil {
		return 0, err
	}
	j.last++
	j.buffer = appendRecord(j.buffer, j.last, record)
	return j.last, nil
}

// Sync waits until the record with a number is safe on the disk, and with it all records before. Callers at the same time share
// one sync.
//
// After an error of the disk, every later Write and Sync returns that error. The records whose Sync has failed may be found by the
// next Open, or may not.
func (j *Journal) Sync(number uint64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.synced < number {
		if j.err != nil {
			return j.err
		}
		if j.busy {
			j.changed.Wait()
			continue
		}
		if number > j.last {
			return errors.Errorf("there is no record %d to sync; the last one is %d", number, j.last)
		}
		j.flush()
	}
	return nil
}

// flush takes the buffer to the disk. It lets go of the lock meanwhile.
func (j *Journal) flush() {
	j.busy = true
	records, upTo := j.buffer, j.last
	j.buffer = j.spare[:0]
	j.mu.Unlock()
	err := j.put(records)
	j.mu.Lock()
	j.busy = false
	const maxSpare = 4 << 20 // a rare large buffer is not kept
	if j.spare = records; cap(records) > maxSpare {
		j.spare = nil
	}
	if err != nil {
		j.err = err
	} else {
		j.synced = upTo
		j.syncs++
	}
	j.changed.Broadcast()
}

// put writes and syncs records.
func (j *Journal) put(records []byte) error {
	_, err := j.file.Write(records)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return onDisk(err, "writing the journal")
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.bytes += int64(len(records))
	j.newest().bytes += int64(len(records))
	return nil
}

// broken returns why nothing can be written.
func (j *Journal) broken() error {
	if j.closed {
		return errors.New("this journal is closed; open it again before use")
	}
	return j.err
}

// newest returns the segment that the file is.
func (j *Journal) newest() *segment { return &j.segments[len(j.segments)-1] }

// Stats is the state of a journal.
type Stats struct {
	First, Last uint64 // numbers of the oldest record that is kept and of the newest; Last is First−1 if there is none
	Newest      uint64 // number with which the newest file begins
	NewestBytes int64  // size of this file
	Bytes       int64  // size of all files
	Segments    int
	Syncs       int64  // since Open
	Warning     string // what Open has removed from the end of the journal; empty if nothing
	Err         error  // error of the disk after which nothing is written; nil if there was none
}

// Stats returns the state of the journal.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	newest := j.newest()
	return Stats{First: j.segments[0].first, Last: j.last, Newest: newest.first, NewestBytes: newest.bytes, Bytes: j.bytes,
		Segments: len(j.segments), Syncs: j.syncs, Warning: j.warning, Err: j.err}
}

// Close syncs what was written and closes the file. A closed journal may be closed again.
func (j *Journal) Close() error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil
	}
	j.closed = true
	last := j.last
	j.mu.Unlock()
	err := j.Sync(last)
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.busy {
		j.changed.Wait()
	}
	return cmp.Or(err, onDisk(j.file.Close(), "closing the journal"))
}

// onDisk wraps an error of the disk.
func onDisk(err error, doing string) error {
	return errors.Wrapf(err, "%s; free some space on the disk and start again", doing)
}
