package checkpoint_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/disktest"
	"gophe/phe/live/checkpoint"
)

// numbered returns state number n, which is as long as three sectors at most.
func numbered(n uint64) []byte {
	return bytes.Repeat(binary.LittleEndian.AppendUint64(nil, n), 1+int(n%7*n%190))
}

// history is what happened to a checkpoint, from a seed.
type history struct {
	*rand.Rand
	disk        *disktest.Disk
	path        string
	tried       uint64 // number of the last state that Save was given
	safe, older uint64 // numbers of the last state that was saved, and of the state before it
}

// load returns the number of the newest state.
func (h *history) load(s *checkpoint.Store) (n uint64, warning string, err error) {
	loaded, err := checkpoint.Peek(s.Path)
	if err != nil {
		return 0, "", err
	}
	n = binary.LittleEndian.Uint64(loaded.Payload)
	if n > h.tried || !bytes.Equal(loaded.Payload, numbered(n)) {
		err = errors.Errorf("state %d is mixed with others", n)
	}
	return n, loaded.Warning, err
}

// live saves states until the process ends.
func (h *history) live(fault error, last bool) error {
	flipped := ""
	if last {
		var err error
		if flipped, err = h.disk.Flip(h.path, h.path+".old"); err != nil {
			return err
		}
	}
	s, err := checkpoint.Open(h.disk, h.path)
	if err != nil {
		if fault != nil && errors.Is(err, fault) {
			err = nil
		}
		return err
	}
	defer s.Close()
	now, warning, err := h.load(s)
	switch {
	case errors.Is(err, checkpoint.ErrNone) && h.safe == 0:
	case err != nil && flipped != "" && strings.Contains(err.Error(), flipped) &&
		(h.older == 0 || h.disk.NoLinks || strings.Contains(err.Error(), "its format is version")):
		return nil // there was no other generation, or the bit was in the version
	case err != nil:
		return errors.WithMessagef(err, "state %d is safe, %q is damaged", h.safe, flipped)
	case flipped == h.path && (now < h.older || !strings.Contains(warning, flipped)):
		return errors.Errorf("%s is damaged; state %d is found, and state %d was safe; warning %q", flipped, now, h.older, warning)
	case flipped != h.path && (now < h.safe || warning != "" && !h.disk.NoLinks):
		return errors.Errorf("state %d is found, and state %d was safe; warning %q", now, h.safe, warning)
	}
	for range h.IntN(8) {
		h.tried++
		err := s.Save(func(w io.Writer) error {
			_, err := w.Write(numbered(h.tried))
			return err
		})
		if err == nil {
			h.safe, h.older, now = h.tried, now, h.tried
			continue
		}
		if fault == nil || !errors.Is(err, fault) {
			return err
		}
		if now, _, err = h.load(s); err != nil && h.safe > 0 {
			return errors.WithMessagef(err, "state %d is safe, and the next Save has failed", h.safe)
		}
	}
	return nil
}

// TestDisk: whatever the disk does, the next life finds the last state that was saved, or a later one. If that file is damaged, it finds
// the state before.
func TestDisk(t *testing.T) {
	crashes := 150
	if filetest.Long() {
		crashes = 4000
	}
	top := filetest.Folder(t)
	disktest.Crashes(t, crashes, func(r *rand.Rand, d *disktest.Disk) func(error, bool) error {
		d.NoLinks = r.IntN(4) == 0
		h := &history{Rand: r, disk: d, path: filepath.Join(filetest.Must(os.MkdirTemp(top, ""))(t), "state")}
		return h.live
	})
}
