//go:build linux || darwin

package checkpoint

import (
	"fmt"
	"io/fs"
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
		if held, err := isHeld(name); held != want || held && !errors.Is(err, fs.ErrPermission) {
			return errors.Errorf("isHeld of %s returns %t, %v", name, held, err)
		}
	}
	_, err = Peek(path + "-secret")
	if err == nil || !strings.Contains(err.Error(), "change its permissions") {
		return errors.Errorf("Peek of a file that may not be read returns %v", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{}); err != nil {
		return err
	}
	for _, err := range []error{filetest.Failure(Peek(path)), filetest.Failure(Open(disk.System, path))} {
		if err == nil || !strings.Contains(err.Error(), "too many open files); close programs") {
			return errors.Errorf("without files that may be open: %v", err)
		}
	}
	return nil
}

// TestUnread: a file that the system fails to read is named, and is no damage. Peek takes no older generation in its place, advises to
// remove none, and Save leaves both as they are.
func TestUnread(t *testing.T) {
	const loop, broken = "too many levels of symbolic links", "input/output error"
	for _, c := range []struct{ failure, place, err, warning, saved string }{
		{loop, "", " cannot be read (", "", " cannot be read ("},
		{broken, "", " cannot be read (", "", " cannot be read ("},
		{loop, ".old", "<nil>", ".old is newer than", ".old is newer than"},
		{broken, ".old", "<nil>", ".old is newer than", ".old is newer than"},
		{loop, ".old, the other is damaged", "is damaged (it is empty), and ", "", ".old cannot be read ("},
		{loop, ".lock", "<nil>", "nothing tells whether", ""},
	} {
		path, _ := twoGenerations(t, []byte("1"), []byte("2"))
		s := mustOpen(t, path)
		place, isDamaged := strings.CutSuffix(c.place, ", the other is damaged")
		if isDamaged {
			write(t, path, nil)
		}
		file, target := path+place, path+place
		if c.failure == broken {
			if target = "/proc/self/mem"; filetest.Failure(os.Stat(target)) != nil {
				continue // only Linux has it
			}
		}
		filetest.Check(t, os.Remove(file))
		filetest.Check(t, os.Symlink(target, file))
		loaded, err := Peek(path)
		filetest.Want(t, err == nil, string(loaded.Payload) == "2", "%s by %s: loads %q, since %v", c.place, c.failure, loaded.Payload, err)
		for got, want := range map[string]string{"Peek: " + fmt.Sprint(err): c.err, "Warning: " + loaded.Warning: c.warning,
			"Save: " + fmt.Sprint(s.Save(saving([]byte("3")))): c.saved} {
			isNamed := strings.Contains(got, c.failure) || want == "" || want == "<nil>"
			filetest.WantWords(t, got, want)
			filetest.WantNone(t, got, "remove")
			filetest.True(t, isNamed, "%s by %s: %s", c.place, c.failure, got)
		}
		info := filetest.Must(os.Lstat(file))(t)
		filetest.True(t, !info.Mode().IsRegular(), "%s by %s was replaced", c.place, c.failure)
	}
}

// TestReadOnly uses a folder that may be read and not written, and a file that may not be read.
func TestReadOnly(t *testing.T) {
	path, file := twoGenerations(t, []byte("1"), []byte("2"))
	secret, folder := path+"-secret", filepath.Dir(path)
	write(t, secret, file)
	write(t, olderName(secret), file)
	write(t, lockName(secret), nil)
	for name, mode := range map[string]os.FileMode{filepath.Dir(folder): 0o755, secret: 0, lockName(secret): 0, folder: 0o555} {
		filetest.Check(t, os.Chmod(name, mode))
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o755) })
	c := startChild(t, "forbidden", path, 0)
	if err := c.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &c.Errors)
	}
}
