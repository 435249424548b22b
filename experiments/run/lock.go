package run

import (
	"path/filepath"

	"github.com/pkg/errors"

	"gophe/phe/disk"
)

// lock keeps other processes from writing the same result.
func (s shelf) lock() (release func(), err error) {
	path := filepath.Join(s.out, "."+s.name+".lock")
	l, err := disk.TakeLock(path)
	switch {
	case err != nil:
		return nil, errors.Wrapf(err, "cannot lock %s; choose another folder with --out", path)
	case l == nil:
		return nil, errors.Errorf("another process is computing %s; wait until it ends, stop it, or choose another folder with --out", s.path())
	}
	return func() { _ = disk.ReleaseLock(l) }, nil
}
