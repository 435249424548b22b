package checkpoint

import (
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/pkg/errors"
)

// patiently calls do again for up to two seconds until it succeeds, on Windows. There a rename fails while a reader has the
// file open, and opening fails during a rename. Both end soon. Elsewhere it calls do once.
func patiently(do func() error) error {
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := do()
		if err == nil || runtime.GOOS != "windows" || errors.Is(err, fs.ErrNotExist) || time.Now().After(deadline) {
			return err
		}
	}
}

func (s *Store) rename(from, to string) error {
	return patiently(func() error { return s.disk.Rename(from, to) })
}

func open(name string) (f *os.File, err error) {
	err = patiently(func() error {
		f, err = os.Open(name)
		return err
	})
	return f, err
}
