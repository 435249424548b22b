//go:build linux || darwin

package checkpoint

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
)

func init() { roles["full"] = fillUp }

// generations returns the bytes of both files.
func generations(path string) (b [2][]byte, err error) {
	for i, name := range []string{path, olderName(path)} {
		if b[i], err = os.ReadFile(name); err != nil {
			return b, err
		}
	}
	return b, nil
}

// fillUp saves states of number bytes under every limit of file sizes in steps, from 0 to beyond a whole file.
func fillUp(path string, number int) error {
	s, err := Open(disk.System, path)
	if err != nil {
		return err
	}
	for _, b := range []byte("ab") {
		if err := s.Save(saving(bytes.Repeat([]byte{b}, number))); err != nil {
			return err
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	step, failed := max(1, info.Size()/40), 0
	if filetest.Long() {
		step = max(1, info.Size()/1000)
	}
	for limit := int64(0); limit < info.Size(); limit += step {
		if err := saveUnder(s, limit, number); err != nil {
			return errors.WithMessagef(err, "limit %d of %d", limit, info.Size())
		}
		failed++
	}
	if err := saveUnder(s, info.Size()-1, number); err != nil {
		return errors.WithMessage(err, "a byte too few")
	}
	const longer = 10 // digits that the generation may have gained
	if err := filetest.Limit(uint64(info.Size() + longer)); err != nil {
		return err
	}
	if err := s.Save(saving(make([]byte, number))); err != nil {
		return errors.WithMessage(err, "room for all bytes")
	}
	report(failed + 1)
	return nil
}

// saveUnder tries to save under a limit that is too small, and then without.
func saveUnder(s *Store, limit int64, number int) error {
	before, err := generations(s.Path)
	if err != nil {
		return err
	}
	state := fmt.Appendf(bytes.Repeat([]byte{'c'}, number-20), "%20d", limit)
	deaf := func(w io.Writer) error { // it ignores errors of the disk
		for part := range slices.Chunk(state, 1000) {
			_, _ = w.Write(part)
		}
		return nil
	}
	lucky := func(w io.Writer) error { // and space becomes free before it ends
		_, _ = w.Write(state)
		return filetest.Limit(math.MaxInt64)
	}
	writes := []func(io.Writer) error{saving(state), deaf}
	if int64(number) > limit && number > 64<<10 { // no buffer holds the state
		writes = append(writes, lucky)
	}
	for _, write := range writes {
		if err := filetest.Limit(uint64(limit)); err != nil {
			return err
		}
		if err := s.Save(write); !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), "free some space") {
			return errors.Errorf("Save returns %v", err)
		}
		if err := filetest.Limit(math.MaxInt64); err != nil {
			return err
		}
		after, err := generations(s.Path)
		if err != nil {
			return err
		}
		if !bytes.Equal(before[0], after[0]) || !bytes.Equal(before[1], after[1]) {
			return errors.New("a failed save changed a generation")
		}
		if _, err := os.Stat(savingName(s.Path)); err == nil {
			return errors.New("a failed save keeps its file, which fills the disk")
		}
	}
	if err := s.Save(saving(state)); err != nil {
		return err
	}
	loaded, err := Peek(s.Path)
	if err == nil && !bytes.Equal(loaded.Payload, state) {
		return errors.New("Peek returns another state")
	}
	return err
}

// TestDiskFull fills the disk at each write of a save: with a small state that one buffer holds, and with a large one.
func TestDiskFull(t *testing.T) {
	for _, number := range []int{100, 300_000} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			c := startChild(t, "full", filepath.Join(filetest.Folder(t), "state"), number)
			steps, ok := c.number(t)
			if err := c.Wait(); err != nil || !ok {
				t.Fatalf("%v: %s", err, &c.Errors)
			}
			filetest.True(t, steps >= 40, "only %d limits", steps)
			t.Logf("%d limits", steps)
		})
	}
}
