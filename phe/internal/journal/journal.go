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
	// Last is the number of the last record that the owner knows; 0 if it knows none. Open and Read refuse a journal that ends before it.
	Last uint64
	// Disk changes the files; the system's if it is nil.
	Disk disk.FS
}

// Journal is an open log. Its methods may be called concurrently. It takes no lock: the caller keeps other processes out.
type Journal struct {
	folder  string
	options Options
	disk    disk.FS

	// files is held while the files change. Callers that wait for it share the next sync. The fields below it change only under both
	// locks, so the holder of either may read them.
	files    sync.Mutex
	file     disk.File
	segments []segment // oldest first; the last one is the file
	synced   uint64    // number of the last record that is safe on the disk
	syncs    int64
	err      error // error of the disk; nothing is written after it

	mu      sync.Mutex // held for a moment only, never while the disk is waited for
	buffer  []byte     // records that are not in the file yet
	last    uint64     // number of the last record
	closed  bool
	warning string
}

// segment is one file of the log.
type segment struct {
	first uint64 // number of its first record
	bytes int64
}

// Open opens the journal in a folder, which it makes if there is none. It reads and checks every record.
func Open(folder string, o Options) (*Journal, error) {
	o.First, o.Disk = max(o.First, 1), cmp.Or(o.Disk, disk.System)
	w, err := walk(folder, o, 0, nil)
	if err != nil {
		return nil, err
	}
	if err := o.Disk.Mkdir(folder, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, errors.Wrapf(err, "making the journal's folder; %s", disk.Advice(err, "make the folder above it"))
	}
	if err := o.Disk.SyncFolder(filepath.Dir(folder)); err != nil {
		return nil, err
	}
	j := &Journal{folder: folder, options: o, disk: o.Disk, segments: w.segments, last: w.last, synced: w.last}
	if w.torn != nil { // j.open cuts it
		j.warning = w.torn.Error()
	}
	if len(j.segments) > 0 {
		j.file, err = j.open(j.newest(), 0)
	} else {
		j.last, j.synced = o.First-1, o.First-1
		err = j.begin()
	}
	if err != nil {
		return nil, err
	}
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
	if j.isSynced(number) { // does not wait for the disk
		return nil
	}
	j.files.Lock()
	defer j.files.Unlock()
	if j.synced >= number { // by the caller before
		return nil
	}
	if j.err != nil {
		return j.err
	}
	j.mu.Lock()
	records, last := j.buffer, j.last
	j.buffer = nil
	j.mu.Unlock()
	_, err := j.file.Write(records)
	if err == nil {
		err = j.file.Sync()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.err = onDisk(err, "writing the journal")
		return j.err
	}
	j.synced = last
	j.syncs++
	j.newest().bytes += int64(len(records))
	return nil
}

func (j *Journal) isSynced(number uint64) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.synced >= number
}

// broken returns why nothing can be written. The caller holds mu.
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
	s := Stats{First: j.segments[0].first, Last: j.last, Newest: newest.first, NewestBytes: newest.bytes,
		Segments: len(j.segments), Syncs: j.syncs, Warning: j.warning, Err: j.err}
	for _, each := range j.segments {
		s.Bytes += each.bytes
	}
	return s
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
	j.files.Lock()
	defer j.files.Unlock()
	return cmp.Or(err, onDisk(j.file.Close(), "closing the journal"))
}

// onDisk wraps an error of the disk.
func onDisk(err error, doing string) error {
	return errors.Wrapf(err, "%s; %s and start again", doing, disk.Advice(err, "free some space on the disk"))
}
