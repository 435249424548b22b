package serve

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream"
)

// Some tests start this test program again, as a server that is killed or has little disk. These variables tell the child its role
// and the folder of its model.
const (
	roleVariable   = "GOPHE_TEST_SERVE_ROLE"
	folderVariable = "GOPHE_TEST_SERVE_FOLDER"
)

// roles are the children's programs. Files with build constraints add theirs in init.
var roles = map[string]func(folder string) error{
	"serve": func(folder string) error {
		return serveChild(folder, newLearner, Options{Checkpoint: 40 * time.Millisecond}, nil)
	},
	"serve with few keys": func(folder string) error {
		return serveChild(folder, newLearner, Options{Checkpoint: 15 * time.Millisecond, Keys: 200, Queue: 20, MaxBody: 4 << 10, MaxRecords: 30}, nil)
	},
	"serve without checkpoints": func(folder string) error {
		return serveChild(folder, newLearner, Options{Checkpoint: time.Hour, Keys: 2000}, nil)
	},
	"plain": func(folder string) error { return serveChild(folder, newLearner, Options{}, nil) },
}

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := roles[role](os.Getenv(folderVariable)); err != nil {
		fmt.Fprintf(os.Stderr, "the child %s: %+v\n", role, err)
		os.Exit(1)
	}
}

// serveChild serves the model in a folder and prints the address, until a signal comes.
func serveChild(folder string, begin func() (*stream.Learner, error), o Options, opened func() error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := Open(filepath.Join(folder, "model"), begin, o)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if opened != nil {
		if err := opened(); err != nil {
			return err
		}
	}
	fmt.Printf("http://%s.\n", listener.Addr())
	return s.Run(ctx, listener)
}

// child is a server in a process of its own.
type child struct {
	*exec.Cmd
	url    string
	errors bytes.Buffer
}

// startChild starts a server. It returns false if the child ended before it served, since it was killed.
func startChild(t testing.TB, role, folder string, killAfter time.Duration) (*child, bool) {
	t.Helper()
	c := &child{Cmd: exec.Command(os.Args[0])}
	c.Env = append(os.Environ(), roleVariable+"="+role, folderVariable+"="+folder)
	c.Stderr = &c.errors
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	filetest.Check(t, err)
	t.Cleanup(func() { _ = c.Process.Kill() })
	if killAfter > 0 {
		time.AfterFunc(killAfter, func() { _ = c.Process.Kill() })
	}
	lines := bufio.NewScanner(out)
	if lines.Scan() && strings.HasSuffix(lines.Text(), ".") {
		c.url = strings.TrimSuffix(lines.Text(), ".")
		return c, true
	}
	err = c.Wait()
	if killAfter == 0 || c.errors.Len() > 0 {
		t.Fatalf("the server does not start: %v: %s", err, &c.errors)
	}
	return c, false
}

// stop sends SIGTERM and waits for the end.
func (c *child) stop(t testing.TB) {
	t.Helper()
	filetest.Check(t, c.Process.Signal(syscall.SIGTERM))
	if err := c.Wait(); err != nil {
		t.Fatalf("after SIGTERM: %v: %s", err, &c.errors)
	}
}

// client returns an HTTP client with enough open connections for a number of goroutines.
func client(goroutines int) *http.Client {
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConns: goroutines, MaxIdleConnsPerHost: goroutines}}
}
