// Package disk is the part of a file system that changes files. The packages that must survive a power failure change files only
// through an FS. Tests give them a disk that fails; see package gophe/phe/internal/disktest.
//
// Bytes are safe after File.Sync, and names after FS.SyncFolder of their folder. Reading needs no FS.
package disk

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/pkg/errors"
)

// FS changes files. Its methods do what the functions of package os with these names do.
type FS interface {
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	Mkdir(folder string, perm fs.FileMode) error
	Link(from, to string) error
	Rename(from, to string) error
	Remove(name string) error
	// SyncFolder makes the names in a folder safe: new files, links and renames, and removals.
	SyncFolder(folder string) error
}

// File is an open file. An *os.File is one.
type File interface {
	io.ReaderAt
	io.ReadWriteSeeker
	io.WriterAt
	io.Closer
	Name() string
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
}

// ReadFile returns the content of a plain file of at most a number of bytes. A file with holes can be larger than memory and disk.
func ReadFile(name string, most int64) ([]byte, error) {
	if err := CheckPlain(name); err != nil {
		return nil, err
	}
	return ReadSettings(context.Background(), name, most)
}

// CheckPlain returns an error if something is there that is no plain file. Opening a pipe would wait for its writer.
func CheckPlain(name string) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return errors.Errorf("%s is a folder, a pipe or a device, not a plain file; choose another path", name)
	}
	return nil
}

// MaxSettings bounds a file of settings. A schema of the most columns has 29 MB.
const MaxSettings = 32 << 20

// ReadSettings is ReadFile for a file that may be a pipe, such as <(command). The end of ctx ends the waiting for it.
func ReadSettings(ctx context.Context, name string, most int64) ([]byte, error) {
	var b bytes.Buffer
	info, err := os.Stat(name)
	if err == nil && info.Size() <= most {
		done := make(chan error, 1)
		go func() {
			f, err := os.Open(name)
			if err == nil {
				b.Grow(int(info.Size()) + bytes.MinRead)
				_, err = b.ReadFrom(io.LimitReader(f, most+1))
				f.Close() // it was only read
			}
			done <- err
		}()
		select {
		case err = <-done:
		case <-ctx.Done():
			return nil, errors.WithStack(ctx.Err())
		}
	}
	if err == nil && max(info.Size(), int64(b.Len())) > most {
		return nil, errors.Errorf("%s has more than %d bytes, and at most as many are read; name another file, or restore a copy",
			name, most)
	}
	return b.Bytes(), errors.WithStack(err)
}

// System is the file system of this machine.
var System FS = system{}

type system struct{}

func (system) OpenFile(name string, flag int, perm fs.FileMode) (f File, err error) {
	err = retry(func() error {
		file, err := os.OpenFile(name, flag, perm)
		if err == nil { // otherwise the interface would hold a nil *os.File
			f = file
		}
		return err
	})
	return f, err
}

func (system) Mkdir(folder string, perm fs.FileMode) error { return os.Mkdir(folder, perm) }
func (system) Link(from, to string) error                  { return os.Link(from, to) }
func (system) Remove(name string) error                    { return os.Remove(name) }
func (system) Rename(from, to string) error {
	return retry(func() error { return os.Rename(from, to) })
}

// retry calls do again for up to two seconds until it succeeds, on Windows. There a rename fails while a reader has the
// file open, and opening fails during a rename. Both end soon. Elsewhere it calls do once.
func retry(do func() error) error {
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := do()
		certain := err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist)
		if certain || runtime.GOOS != "windows" || time.Now().After(deadline) {
			return err
		}
	}
}

// SyncFolder does nothing on Windows, which cannot sync a folder and relies on its journal.
func (system) SyncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(folder)
	if err != nil {
		return errors.Wrapf(err, "opening a folder to sync it; %s", Advice(err, "make it readable"))
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil // some network file systems sync no folders
	}
	return errors.Wrapf(err, "syncing the folder %s; its new names may not survive a power failure", folder)
}

// Failed reports whether the system has failed. The content of a file is then unknown, and need not be damaged.
func Failed(err error) bool {
	return errors.As(err, new(syscall.Errno)) && !errors.Is(err, fs.ErrNotExist)
}

// Advice returns what helps after an error of the system. For any other error it returns otherwise.
func Advice(err error, otherwise string) string {
	var number syscall.Errno
	_ = errors.As(err, &number)
	switch number {
	case syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM:
		return "close programs, or let this one take more (ulimit)"
	case syscall.EACCES, syscall.EPERM, syscall.EROFS:
		return "change its permissions, make its folder writable, or choose another path"
	case syscall.EIO:
		return "the disk fails: copy to another one what can still be read"
	}
	return otherwise
}
