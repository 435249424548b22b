package streaming

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

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

// TestSettings: a file that a flag names may be a pipe, and the first signal ends the waiting for it. A huge one is refused by its size. A
// model and credentials are plain files: a pipe is not opened.
func TestSettings(t *testing.T) {
	folder, path, model := learned(t, 60)
	printed, _ := mustPhe(t, "stream", path, "--target", "bought", "--show-schema")
	huge, pipe, answered := write(t, folder, "huge", ""), filepath.Join(folder, "pipe"), filepath.Join(folder, "answered")
	filetest.Check(t, os.Truncate(huge, 4<<30))
	filetest.Check(t, syscall.Mkfifo(pipe, 0o600))
	filetest.Check(t, syscall.Mkfifo(answered, 0o600))
	hangs := time.AfterFunc(20*time.Second, func() { // whoever waits for a writer goes on
		for t.Context().Err() == nil {
			_ = os.WriteFile(pipe, nil, 0)
		}
	})
	for _, command := range []string{"stream PATH --model NEW --schema ", "eval PATH --schema ",
		"serve NEW --address 127.0.0.1:0 --schema ",
		"serve NEW --token-file ", "serve NEW --tls-cert PATH --tls-key ", "serve NEW --tls-key PATH --tls-cert ",
		"cluster server --folder NEW --config ", "stream nats://127.0.0.1:1/x --nats-ca ",
		"stream nats://127.0.0.1:1/x --nats-key PATH --nats-cert ", "stream nats://127.0.0.1:1/x --nats-creds "} {
		command = strings.NewReplacer("NEW", model+"2", "PATH", path).Replace(command)
		took := filetest.Allocated(func() { fails(t, strings.Fields(command+huge), "bytes, and at most as many are read") })
		filetest.True(t, took < 8<<20, "%s takes %d MB", command, took>>20)
		if strings.HasSuffix(command, "creds ") {
			fails(t, strings.Fields(command+pipe), "not a plain file")
			continue
		}
		_, stop := background(t, strings.Fields(command+pipe)...)
		cancelled(t, stop)
	}
	for _, command := range []string{"predict PIPE PATH", "inspect PIPE", "serve PIPE --read-only", "stream PATH --model PIPE"} {
		fails(t, strings.Fields(strings.NewReplacer("PIPE", pipe, "PATH", path).Replace(command)), "not a plain file")
	}
	go func() { _ = os.WriteFile(answered, []byte(printed), 0) }()
	mustPhe(t, "stream", path, "--model", model+"2", "--schema", answered)
	filetest.True(t, hangs.Stop(), "a pipe was waited for")
}
