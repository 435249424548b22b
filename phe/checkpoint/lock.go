package checkpoint

import (
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"
	"github.com/pkg/errors"
)

// takeLock locks the checkpoint at path. The system releases the lock when the process ends, even by a kill.
func takeLock(path string) (*flock.Flock, error) {
	name := lockName(path)
	for {
		l := flock.New(name)
		taken, err := l.TryLock()
		for asked := 1; !taken && err == nil && asked < 5; asked++ { // perhaps Held holds it, for a moment
			time.Sleep(5 * time.Millisecond)
			taken, err = l.TryLock()
		}
		if err != nil {
			return nil, errors.Wrapf(err, "cannot lock %s; make its folder writable, or choose another path for the checkpoint", name)
		}
		if !taken {
			return nil, errors.Errorf("another process uses the checkpoint %s; wait until it ends, stop it, or choose another path", path)
		}
		if isAt(l, name) {
			return l, nil
		}
		// The last holder removed the file between our opening it and our locking it. That lock keeps nobody out.
		if err := l.Unlock(); err != nil {
			return nil, errors.Wrapf(err, "cannot unlock %s; try again", name)
		}
	}
}

// Held tells whether a process has the checkpoint at path open. It makes and changes no file. A lock that this user may not ask about
// counts as held.
func Held(path string) (bool, error) {
	l := flock.New(lockName(path), flock.SetFlag(os.O_RDONLY)) // without O_CREATE
	free, err := l.TryRLock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, fs.ErrPermission):
		return true, nil
	case err != nil:
		return false, errors.Wrapf(err, "cannot ask for the lock %s; try again", lockName(path))
	}
	return !free, errors.Wrapf(l.Unlock(), "cannot unlock %s; it is free when this process ends", l.Path())
}

// isAt tells whether the locked file is still the file with this name.
func isAt(l *flock.Flock, name string) bool {
	now, err := os.Stat(name)
	if err != nil {
		return false
	}
	locked, err := l.Stat()
	return err == nil && os.SameFile(now, locked)
}

// releaseLock removes the lock's file while it is locked, so that nobody else's lock is removed. Windows removes no open
// file: there the file stays, without harm.
func releaseLock(l *flock.Flock) error {
	_ = os.Remove(l.Path())
	return errors.Wrapf(l.Unlock(), "cannot unlock %s; it is free when this process ends", l.Path())
}
