package disk

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
)

// TestLockFileReplaced: a lock on a file that its former holder has removed keeps no process out, and must not count.
func TestLockFileReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	l := filetest.Must(take(path))(t)
	defer l.Unlock()
	filetest.True(t, isAt(l, path), "the lock just taken does not count")
	if err := os.Rename(path, path+".away"); err != nil {
		t.Skip("this system renames no open file")
	}
	filetest.True(t, !isAt(l, path), "a lock without its file counts")
	unlock := filetest.Must(TakeLock(path))(t)
	defer unlock()
	filetest.True(t, !isAt(l, path), "a lock on another file counts")
}

// TestLockRemovedMeanwhile: a holder removes the file after another has opened it and before it locks it. A lock that take returns is
// on the file that is there.
func TestLockRemovedMeanwhile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(filetest.Folder(t), "lock")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for taken := 0; taken < 700 && !t.Failed(); { // one in 150 meets the moment
				l, err := take(path)
				if l == nil && err == nil {
					continue
				}
				if err != nil || !isAt(l, path) {
					t.Errorf("after %d locks: %v, or a lock on a file that was removed", taken, err)
					return
				}
				taken++
				_ = os.Remove(path)
				_ = l.Unlock()
			}
		})
	}
	all.Wait()
}

// TestFailed: an error of the system says nothing about a file's content, and gets the advice that fits it.
func TestFailed(t *testing.T) {
	t.Parallel()
	filetest.True(t, !Failed(nil), "no error is one of the system")
	for cause, want := range map[error]string{syscall.EMFILE: "ulimit", syscall.ENFILE: "ulimit", syscall.ENOMEM: "ulimit",
		syscall.EIO: "the disk fails", syscall.EACCES: "permissions", syscall.EPERM: "permissions", syscall.EROFS: "permissions",
		syscall.ENOSPC: "otherwise", fs.ErrNotExist: "", syscall.ENOENT: "", io.ErrUnexpectedEOF: ""} {
		err := errors.Wrap(&fs.PathError{Op: "open", Path: "model", Err: cause}, "reading")
		filetest.Want(t, Failed(err), want != "", "%v is of the system", err)
		filetest.WantWords(t, Advice(err, "otherwise"), want)
	}
}
