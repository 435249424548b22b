//go:build linux || darwin

package checkpoint

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
)

func init() { roles["forbidden"] = forbidden }

// forbidden tries to use a folder that this user may not write. It gives up the rights of root first, which may write anywhere.
func forbidden(path string, _ int) error {
	if os.Getuid() == 0 {
		const nobody = 65534
		if err := syscall.Setuid(nobody); err != nil {
			return err
		}
	}
	if _, err := Open(disk.System, path); err == nil || !strings.Contains(err.Error(), "make its folder writable, or choose another path") {
		return errors.Errorf("Open returns %v", err)
	}
	loaded, err := Peek(path)
	if err != nil || string(loaded.Payload) != "2" {
		return errors.Errorf("Peek returns %+v, %v", loaded, err)
	}
	for name, want := range map[string]bool{path: false, path + "-secret": true} { // no lock, and a lock that nobody may read
		if held := isHeld(name); held != want {
			return errors.Errorf("isHeld of %s returns %t", name, held)
		}
	}
	_, err = Peek(path + "-secret")
	if err == nil || !strings.Contains(err.Error(), "change its permissions") {
		return errors.Errorf("Peek of a file that may not be read returns %v", err)
	}
	return nil
}

// TestReadOnly uses a folder that may be read and not written, and a file that may not be read.
func TestReadOnly(t *testing.T) {
	path, file := twoGenerations(t, []byte("1"), []byte("2"))
	write(t, path+"-secret", file)
	write(t, olderName(path+"-secret"), file)
	write(t, lockName(path+"-secret"), nil)
	folder := filepath.Dir(path)
	for name, mode := range map[string]os.FileMode{filepath.Dir(folder): 0o755, path + "-secret": 0, lockName(path + "-secret"): 0, folder: 0o555} {
		filetest.Check(t, os.Chmod(name, mode))
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o755) })
	c := startChild(t, "forbidden", path, 0)
	if err := c.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &c.errors)
	}
}
