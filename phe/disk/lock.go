package disk

import (
	"os"
	"time"

	"github.com/gofrs/flock"
	"github.com/pkg/errors"
)

// TakeLock makes and locks a file, so that no other process can lock it, and returns the function that unlocks it. It returns nil if
// another process has the lock. The system releases the lock when the process ends, even by a kill.
func TakeLock(name string) (unlock func() error, err error) {
	l, err := take(name)
	if err != nil || l == nil {
		return nil, err
	}
	return func() error {
		if info, err := l.Stat(); err == nil && info.Size() == 0 { // it is no other file of this name
			_ = os.Remove(name) // while it is locked, so that no other process's lock is removed; Windows keeps the open file, without harm
		}
		return errors.Wrapf(l.Unlock(), "cannot unlock %s; it is free when this process ends", name)
	}, nil
}

// take returns a lock on the file with this name; nil if another process has it.
func take(name string) (*flock.Flock, error) {
	for {
		l := flock.New(name)
		taken, err := l.TryLock()
		for asked := 1; !taken && err == nil && asked < 5; asked++ { // perhaps a process only asks for it, for a moment
			time.Sleep(5 * time.Millisecond)
			taken, err = l.TryLock()
		}
		if err != nil || !taken {
			return nil, err
		}
		if isAt(l, name) {
			return l, nil
		}
		// The last holder removed the file between our opening it and our locking it. That lock keeps no process out.
		if err := l.Unlock(); err != nil {
			return nil, errors.Wrapf(err, "cannot unlock %s; try again", name)
		}
	}
}

// isAt reports whether the locked file is still the file with this name.
func isAt(l *flock.Flock, name string) bool {
	now, err := os.Stat(name)
	if err != nil {
		return false
	}
	locked, err := l.Stat()
	return err == nil && os.SameFile(now, locked)
}
