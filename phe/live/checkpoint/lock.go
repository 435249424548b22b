package checkpoint

import (
	"io/fs"
	"os"

	"github.com/gofrs/flock"
	"github.com/pkg/errors"
)

// Held reports whether a process has the checkpoint at path open. It makes and changes no file. A lock that this user may not ask about
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
