package checkpoint

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
)

// Some tests start this test program again, as a child that is killed or has little disk. These variables tell the child what
// to do, on which path, and with which number.
const (
	roleVariable   = "GOPHE_TEST_CHECKPOINT_ROLE"
	pathVariable   = "GOPHE_TEST_CHECKPOINT_PATH"
	numberVariable = "GOPHE_TEST_CHECKPOINT_NUMBER"
)

// roles are the children's programs. Files with build constraints add theirs in init.
var roles = map[string]func(path string, number int) error{}

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	number, err := strconv.Atoi(os.Getenv(numberVariable))
	if err == nil {
		err = roles[role](os.Getenv(pathVariable), number)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "the child %s: %+v\n", role, err)
		os.Exit(1)
	}
}

// child is a process of a role.
type child struct {
	*exec.Cmd
	lines  *bufio.Scanner // what it prints
	errors bytes.Buffer
}

func startChild(t *testing.T, role, path string, number int) *child {
	t.Helper()
	c := &child{Cmd: exec.Command(os.Args[0])}
	c.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path, numberVariable+"="+strconv.Itoa(number))
	c.Stderr = &c.errors
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	filetest.Check(t, err)
	c.lines = bufio.NewScanner(out)
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c
}

// number returns the number on the child's next line, or false at the end of its output. A line that a kill has cut off does
// not count.
func (c *child) number(t *testing.T) (int, bool) {
	t.Helper()
	if !c.lines.Scan() || !strings.HasSuffix(c.lines.Text(), ".") {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSuffix(c.lines.Text(), "."))
	if err != nil {
		t.Fatalf("the child said %q", c.lines.Text())
	}
	return n, true
}

// report prints a number as number reads it.
func report(n int) { fmt.Printf("%d.\n", n) }

// state returns the state number n: n and up to 200 kB of noise that depends on n.
func state(n int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	b := binary.LittleEndian.AppendUint64(nil, uint64(n))
	for range r.IntN(4) * r.IntN(8000) {
		b = binary.LittleEndian.AppendUint64(b, r.Uint64())
	}
	return b
}

// numberOf returns the number of a state, and an error if any byte of it is wrong.
func numberOf(b []byte) (int, error) {
	if len(b) < 8 {
		return 0, errors.Errorf("a state of %d bytes", len(b))
	}
	n := int(binary.LittleEndian.Uint64(b))
	if !bytes.Equal(b, state(n)) {
		return 0, errors.Errorf("a mixture: it says that it is state %d", n)
	}
	return n, nil
}

// saving returns a function for Save that writes b.
func saving(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}

func mustOpen(t testing.TB, path string) *Store {
	t.Helper()
	s := filetest.Must(Open(disk.System, path))(t)
	t.Cleanup(func() {
		filetest.Check(t, s.Close())
	})
	return s
}

func mustSave(t testing.TB, s *Store, b []byte) {
	t.Helper()
	filetest.Check(t, s.Save(saving(b)))
}

// wantLoaded checks what Peek returned: a payload and a generation, unless it is 0, without a warning.
func wantLoaded(loaded Loaded, err error) func(t *testing.T, payload string, generation uint64) {
	return func(t *testing.T, payload string, generation uint64) {
		t.Helper()
		if err != nil || string(loaded.Payload) != payload || generation > 0 && loaded.Generation != generation || loaded.Warning != "" {
			t.Errorf("%+v, %v; want %q of generation %d", loaded, err, payload, generation)
		}
	}
}

// wantFiles checks which files the folder of a store holds.
func wantFiles(t *testing.T, folder string, names ...string) {
	t.Helper()
	entries := filetest.Must(os.ReadDir(folder))(t)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("the folder holds %q, want %q", got, names)
	}
}
