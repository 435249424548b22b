// Package checkpoint keeps the newest state of a program in a file. No state is lost silently by a kill, a full disk or a
// damaged sector.
//
// A Store keeps two generations: PATH holds the newest state, and PATH.old the state before it. Save replaces both in steps
// that a kill may interrupt anywhere. Peek verifies a checksum, and falls back to the older generation with a warning.
//
// A state is a payload of bytes. Compare payloads, not files: equal payloads make unequal files, since a file also holds the time at which
// it was saved.
package checkpoint

import (
	"github.com/pkg/errors"

	"gophe/phe/disk"
)

// Store keeps two generations of a checkpoint and the lock on them. One goroutine at a time may call its methods.
type Store struct {
	Path string // never changes

	disk   disk.FS
	unlock func() error // nil once the store is closed

	examined   bool   // the fields below describe the files
	generation uint64 // number of the newest generation; 0 if there is none
	whole      bool   // PATH holds that generation
}

// Open locks the checkpoint at path against other processes and returns its store, which changes files through the disk. It removes the
// remains of an interrupted save. The folder must exist.
func Open(d disk.FS, path string) (*Store, error) {
	if err := checkPlace(path); err != nil {
		return nil, err
	}
	unlock, err := disk.TakeLock(lockName(path))
	switch {
	case err != nil:
		return nil, errors.Wrapf(err, "cannot lock %s; %s", lockName(path), disk.Advice(err, "choose another path for the checkpoint"))
	case unlock == nil:
		return nil, errors.Errorf("another process uses the checkpoint %s; wait until it ends, stop it, or choose another path", path)
	}
	for _, left := range []string{savingName(path), spareName(path)} {
		if err := removeFile(d, left); err != nil {
			unlock()
			return nil, err
		}
	}
	return &Store{Path: path, disk: d, unlock: unlock}, nil
}

// Close releases the lock. The checkpoint stays. A closed store may be closed again.
func (s *Store) Close() error {
	if s.unlock == nil {
		return nil
	}
	unlock := s.unlock
	s.unlock = nil
	return unlock()
}

// errClosed is the error of a store used after Close.
var errClosed = errors.New("this checkpoint store is closed; open it again before use")
