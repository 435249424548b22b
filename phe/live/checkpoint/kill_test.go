package checkpoint

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/disktest"
)

// noLinks is the number that makes a child's store act as on a file system without hard links.
const noLinks = 1

func init() {
	roles["save"] = saveForever
}

// goOn opens the store and returns the number of its newest state, 0 if there is none.
func goOn(d disk.FS, path string) (*Store, int, error) {
	s, err := Open(d, path)
	if err != nil {
		return nil, 0, err
	}
	loaded, err := Peek(s.Path)
	if errors.Is(err, ErrNone) {
		return s, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	n, err := numberOf(loaded.Payload)
	return s, n, err
}

// saveForever saves states of growing numbers and reports each after Save has returned.
func saveForever(path string, number int) error {
	d := disktest.New(1)
	d.NoLinks = number == noLinks
	s, n, err := goOn(d, path)
	if err != nil {
		return err
	}
	for {
		n++
		if err := s.Save(saving(state(n))); err != nil {
			return err
		}
		report(n)
	}
}

// TestKill kills a child at a random moment, many times. A state that the child has reported must never be lost.
func TestKill(t *testing.T) {
	kills := 100
	if filetest.Long() {
		kills = 500
	}
	r := rand.New(rand.NewPCG(1, 2)) // the moments also depend on the machine
	for _, mode := range []struct {
		name   string
		number int
	}{{"hard links", 0}, {"no hard links", noLinks}} {
		t.Run(mode.name, func(t *testing.T) {
			path, reported, between := filepath.Join(filetest.Folder(t), "state"), 0, 0
			for kill := range kills / 2 {
				c := startChild(t, "save", path, mode.number)
				if kill%5 > 0 { // else kill it as it opens the store
					n, ok := c.number(t)
					if !ok {
						_ = c.Wait()
						t.Fatalf("the child saves nothing: %s", &c.Errors)
					}
					reported = n
				}
				time.Sleep(time.Duration(r.IntN(20_000)) * time.Microsecond)
				filetest.Check(t, c.Process.Kill())
				for n, ok := c.number(t); ok; n, ok = c.number(t) {
					reported = n
				}
				_ = c.Wait()
				found := afterKill(t, path, reported, mode.number)
				if found > reported {
					between++
				}
				reported = found
			}
			t.Logf("%d kills, %d of them after a state was in place and before it was reported; %d states", kills/2, between, reported)
		})
	}
}

// afterKill restarts after a kill, checks the state that it finds, and returns the state's number.
func afterKill(t *testing.T, path string, reported, mode int) int {
	t.Helper()
	s, n, err := goOn(disk.System, path)
	filetest.Check(t, err)
	if n != reported && n != reported+1 {
		t.Fatalf("state %d was saved, and state %d is found", reported, n)
	}
	if n > 0 {
		loaded, err := Peek(s.Path)
		if err != nil || mode != noLinks && loaded.Warning != "" {
			t.Fatalf("after state %d was saved: %q, %v", reported, loaded.Warning, err)
		}
	}
	filetest.Check(t, s.Close())
	filetest.Want(t, filetest.Must(filepath.Glob(path+".[^o]*"))(t), nil, "what opening and closing leaves")
	return n
}

// roles are the programs of children. Files with build constraints add theirs in init.
var roles = map[string]func(path string, number int) error{}

func TestMain(m *testing.M) {
	filetest.Main(m, func(role, argument string) error {
		first, path, _ := strings.Cut(argument, " ")
		number, err := strconv.Atoi(first)
		if err != nil {
			return err
		}
		return roles[role](path, number)
	})
}

// child is a process of a role.
type child struct{ *filetest.Child }

func startChild(t *testing.T, role, path string, number int) child {
	t.Helper()
	return child{filetest.Start(t, role, fmt.Sprint(number, " ", path), nil)}
}

// number returns the number on the child's next line, or false at the end of its output. A line that a kill has cut off does
// not count.
func (c child) number(t *testing.T) (int, bool) {
	t.Helper()
	if !c.Lines.Scan() || !strings.HasSuffix(c.Lines.Text(), ".") {
		return 0, false
	}
	n := filetest.Must(strconv.Atoi(strings.TrimSuffix(c.Lines.Text(), ".")))(t)
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
		filetest.Check(t, err)
		filetest.Want(t, string(loaded.Payload), payload, "the state")
		filetest.True(t, generation == 0 || loaded.Generation == generation, "%+v, want generation %d", loaded, generation)
		filetest.Want(t, loaded.Warning, "", "the warning")
	}
}
