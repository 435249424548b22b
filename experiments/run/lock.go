package run

import (
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/pkg/errors"
)

// lock keeps other processes from writing the same result. The system releases it when the process ends, however it ends.
func (s shelf) lock() (release func(), err error) {
	path := filepath.Join(s.out, "."+s.name+".lock")
	for {
		l := flock.New(path)
		taken, err := l.TryLock()
		if err != nil {
			return nil, errors.Wrapf(err, "cannot lock %s; choose another folder with --out", path)
		}
		if !taken {
			return nil, errors.Errorf("another process is computing %s; wait until it ends, stop it, or choose another folder with --out", s.path())
		}
		if s.holds(l, path) {
			return func() {
				_ = os.Remove(path) // while it is held, so that nobody else's is removed
				_ = l.Unlock()
			}, nil
		}
		_ = l.Unlock()
	}
}

// holds tells whether the file that was locked is still the one at path: its former holder removes it.
func (s shelf) holds(l *flock.Flock, path string) bool {
	now, err := os.Stat(path)
	if err != nil {
		return false
	}
	mine, err := l.Stat()
	return err == nil && os.SameFile(now, mine)
}
