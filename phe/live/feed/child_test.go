package feed

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"gophe/phe/disk/filetest"
)

// Some tests start this test program again, as a child that is killed. These variables tell the child its
// role and its job.
const (
	roleVariable = "GOPHE_TEST_FEED_ROLE"
	jobVariable  = "GOPHE_TEST_FEED_JOB"
)

// roles are the children's programs.
var roles = map[string]func(job) error{"feed": feed}

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	j := job{pipe: os.Stdin}
	err := json.Unmarshal([]byte(os.Getenv(jobVariable)), &j)
	if err == nil {
		err = roles[role](j)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "the child %s: %+v\n", role, err)
		os.Exit(1)
	}
}

// feed does the job and prints a line when its first checkpoint is saved.
func feed(j job) error {
	var once sync.Once
	j.progress = func(State) { once.Do(func() { fmt.Println("begun") }) }
	_, err := j.run()
	return err
}

// child is a process of a role.
type child struct {
	*exec.Cmd
	lines  *bufio.Scanner // its output
	errors bytes.Buffer
}

// startChild starts a child. A job whose input is "-" reads the content of in from a pipe.
func startChild(t *testing.T, role string, j job, in []byte) *child {
	t.Helper()
	line := filetest.Must(json.Marshal(j))(t)
	c := &child{Cmd: exec.Command(os.Args[0])}
	c.Env = append(os.Environ(), roleVariable+"="+role, jobVariable+"="+string(line))
	c.Stderr = &c.errors
	if in != nil {
		c.Stdin = struct{ io.Reader }{bytes.NewReader(in)} // hidden in a struct, so that exec makes a pipe
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	filetest.Check(t, err)
	c.lines = bufio.NewScanner(out)
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

// size returns a size for the short form of a test, for its long form, and for the race detector.
func size(short, thorough, race int) int {
	switch {
	case raceEnabled:
		return race
	case filetest.Long():
		return thorough
	}
	return short
}

// nothingConcurrent is why the race detector skips some tests.
const nothingConcurrent = "one goroutine does it all, and the race detector is ten times as slow"

// alone skips a test of one goroutine under the race detector.
func alone(t *testing.T) {
	t.Helper()
	if raceEnabled {
		t.Skip(nothingConcurrent)
	}
}

// write writes a file into a folder and returns its path.
func write(t testing.TB, folder, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(folder, name)
	filetest.Check(t, os.WriteFile(path, content, 0o644))
	return path
}
