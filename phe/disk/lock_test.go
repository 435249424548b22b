package disk

import (
	"os"
	"path/filepath"
	"testing"

	"gophe/phe/disk/filetest"
)

// TestLockFileReplaced: a lock on a file that its former holder has removed keeps no process out, and must not count.
func TestLockFileReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	l := filetest.Must(take(path))(t)
	defer l.Unlock()
	if !isAt(l, path) {
		t.Error("the lock just taken does not count")
	}
	if err := os.Rename(path, path+".away"); err != nil {
		t.Skip("this system renames no open file")
	}
	if isAt(l, path) {
		t.Error("a lock without its file counts")
	}
	unlock := filetest.Must(TakeLock(path))(t)
	defer unlock()
	if isAt(l, path) {
		t.Error("a lock on another file counts")
	}
}
