package streaming

import (
	"strings"
	"syscall"
	"testing"

	"gophe/phe/disk/filetest"
)

// TestServeFewFiles: a server says at the start that its connections need more open files than the system allows.
func TestServeFewFiles(t *testing.T) {
	_, _, model := learned(t, 50)
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
		filetest.Want(t, strings.Contains(told.String(), want), warns, "it warns, with --connections %s", connections)
	}
}
