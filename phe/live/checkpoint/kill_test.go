package checkpoint

import (
	"math/rand/v2"
	"path/filepath"
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
						t.Fatalf("the child saves nothing: %s", &c.errors)
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

// afterKill checks what a restart finds and returns the number of the state.
func afterKill(t *testing.T, path string, reported, mode int) int {
	t.Helper()
	s, n, err := goOn(disk.System, path)
	if err != nil {
		t.Fatalf("after state %d was saved: %v", reported, err)
	}
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
	if left, err := filepath.Glob(path + ".[^o]*"); err != nil || len(left) > 0 {
		t.Fatalf("opening and closing leaves %q, %v", left, err)
	}
	return n
}
