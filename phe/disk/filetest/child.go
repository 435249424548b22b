package filetest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
)

// These variables tell a child its role and what else it must know.
const roleVariable, argumentVariable = "GOPHE_TEST_ROLE", "GOPHE_TEST_ARGUMENT"

// Main is TestMain where tests start their own program again, as a child that is killed or has little disk. A child does its role.
func Main(m *testing.M, do func(role, argument string) error) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := do(role, os.Getenv(argumentVariable)); err != nil {
		fmt.Fprintf(os.Stderr, "the child %s: %+v\n", role, err)
		os.Exit(1)
	}
}

// Child is a process of a role.
type Child struct {
	*exec.Cmd
	Lines  *bufio.Scanner // its output
	Errors bytes.Buffer
}

// Start starts a child that ends with the test. It reads in, which may be nil.
func Start(t testing.TB, role, argument string, in io.Reader) *Child {
	t.Helper()
	c := &Child{Cmd: exec.Command(os.Args[0])}
	c.Env = append(os.Environ(), roleVariable+"="+role, argumentVariable+"="+argument)
	c.Stdin, c.Stderr = in, &c.Errors
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	Check(t, err)
	c.Lines = bufio.NewScanner(out)
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c
}
