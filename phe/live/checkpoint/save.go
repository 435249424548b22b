package checkpoint

import (
	"bufio"
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
)

// Save writes a new generation. The bytes that write writes become the newest state, and the newest state so far the older
// one. When Save returns nil the state is synced to the disk.
//
// If Save returns an error, such as a full disk, Peek finds the same state as before or the new one, and the next Save may
// succeed. Save replaces no files that Peek refuses. To start afresh, remove the files that Files names.
func (s *Store) Save(write func(w io.Writer) error) error {
	if s.unlock == nil {
		return errClosed
	}
	if !s.examined {
		loaded, err := find(s.Path)
		if err != nil && !errors.Is(err, ErrNone) {
			return err
		}
		s.generation, s.whole = loaded.Generation, loaded.Path == s.Path
	}
	s.examined = false                      // until every step has succeeded
	defer s.disk.Remove(savingName(s.Path)) // not there after a success
	h := header{Kind: kind, Generation: s.generation + 1, Saved: time.Now().UTC().Truncate(time.Second)}
	if err := s.create(savingName(s.Path), h, write); err != nil {
		return errors.WithMessagef(err, "cannot save the checkpoint %s, which stays as it was", s.Path)
	}
	if err := s.rotate(); err != nil {
		return err
	}
	if err := s.disk.SyncFolder(filepath.Dir(s.Path)); err != nil {
		return err
	}
	s.examined, s.generation, s.whole = true, h.Generation, true
	return nil
}

// create writes a whole file and syncs it.
func (s *Store) create(name string, h header, write func(io.Writer) error) (err error) {
	if err := removeFile(s.disk, name); err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(s.Path); err == nil {
		mode = info.Mode().Perm() // a person may have hidden the model from others
	}
	f, err := s.disk.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return onDisk(err, "making a file beside it")
	}
	defer func() { // Windows renames no open file
		if closeErr := f.Close(); err == nil {
			err = onDisk(closeErr, "closing the file beside it")
		}
	}()
	if err := encode(f, h, write); err != nil {
		return err
	}
	return onDisk(f.Sync(), "syncing the file beside it")
}

// onDisk wraps an error of the disk.
func onDisk(err error, doing string) error {
	return errors.Wrapf(err, "%s; %s", doing, disk.Advice(err, "free some space on the disk, or choose another path"))
}

// encode streams a file. It holds no copy of the payload.
func encode(f disk.File, h header, write func(io.Writer) error) error {
	lines, err := h.lines()
	if err != nil {
		return err
	}
	if _, err := f.Write(lines); err != nil {
		return onDisk(err, "writing the header")
	}
	sum := sha256.New()
	buffered := bufio.NewWriterSize(io.MultiWriter(f, sum), 64<<10)
	own := write(buffered)
	if err := buffered.Flush(); err != nil { // also an earlier error of the disk, which write may have ignored
		return onDisk(err, "writing the payload")
	}
	if own != nil {
		return own
	}
	end, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return onDisk(err, "writing the payload")
	}
	h.Payload = end - int64(len(lines))
	if lines, err = h.lines(); err != nil {
		return err
	}
	if _, err := f.WriteAt(lines, 0); err != nil {
		return onDisk(err, "writing the header")
	}
	sum.Write(lines)
	_, err = f.Write(sum.Sum(nil))
	return onDisk(err, "writing the checksum")
}
