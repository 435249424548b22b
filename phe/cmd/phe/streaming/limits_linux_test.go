package streaming

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gophe/phe/disk/filetest"
)

// TestServeFewFiles: a server says at the start that its connections need more open files than the system allows.
func TestServeFewFiles(t *testing.T) {
	folder := t.TempDir()
	model := filepath.Join(folder, "m.phe")
	mustPhe(t, "stream", write(t, folder, "visits.csv", visits(50)), "--target", "bought", "--model", model)
	var limit syscall.Rlimit
	filetest.Check(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	few := limit
	few.Cur = min(few.Cur, 300)
	filetest.Check(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few))
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	for connections, warns := range map[string]bool{"1000": true, "237": true, "236": false} {
		_, told, stop := startServe(t, model, "--connections", connections)
		filetest.Check(t, stop())
		want := "warning: only 300 files may be open, too few for --connections " + connections + "; `ulimit -n "
		if strings.Contains(told.String(), want) != warns {
			t.Errorf("%s", told)
		}
	}
}
