package checkpoint

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/disktest"
)

func init() {
	roles["hold"] = hold
}

// hold opens the store and keeps it open.
func hold(path string, _ int) error {
	if _, err := Open(disk.System, path); err != nil {
		return err
	}
	report(0)
	time.Sleep(time.Minute)
	return nil
}

// TestLock: only one process has a store open, others may look, and a kill frees it.
func TestLock(t *testing.T) {
	path, _ := twoGenerations(t, []byte("1"), []byte("2"))
	c := startChild(t, "hold", path, 0)
	if _, ok := c.number(t); !ok {
		_ = c.Wait()
		t.Fatalf("the holder says nothing: %s", &c.Errors)
	}
	_, err := Open(disk.System, path)
	filetest.WantError(t, err, "another process uses the checkpoint "+path, "wait", "stop it", "another path")
	wantLoaded(Peek(path))(t, "2", 0)
	filetest.Check(t, c.Process.Kill())
	_ = c.Wait()
	s := mustOpen(t, path)
	err = filetest.Failure(Open(disk.System, path))
	filetest.True(t, err != nil, "one process opens a store twice")
	filetest.Check(t, s.Close())
	mustOpen(t, path)
}

// TestMode: a model that its owner hid from others stays hidden, in both generations.
func TestMode(t *testing.T) {
	path, _ := twoGenerations(t, []byte("1"), []byte("2"))
	filetest.Check(t, os.Chmod(path, 0o600))
	want := filetest.Must(os.Stat(path))(t).Mode() // Windows knows fewer modes
	s := mustOpen(t, path)
	mustSave(t, s, []byte("3"))
	mustSave(t, s, []byte("4"))
	for _, name := range Files(path)[:2] {
		filetest.Want(t, filetest.Must(os.Stat(name))(t).Mode(), want, "mode of %s", name)
	}
}

// TestFresh follows a store from its beginning until its files are removed.
func TestFresh(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "state")
	for _, name := range Files(path)[2:4] { // remains of an interrupted save
		write(t, name, []byte("gophe check"))
	}
	s := mustOpen(t, path)
	filetest.WantFiles(t, folder, "state.lock")
	err := filetest.Failure(Peek(s.Path))
	filetest.True(t, errors.Is(err, ErrNone), "an empty store: %v", err)
	filetest.WantError(t, err, path)
	for n := range 3 {
		begin := time.Now().Truncate(time.Second)
		mustSave(t, s, []byte{byte(n)})
		loaded := filetest.Must(Peek(s.Path))(t)
		filetest.Want(t, loaded, Loaded{Payload: []byte{byte(n)}, Generation: uint64(n + 1), Path: path, Saved: loaded.Saved,
			Held: true}, "the state")
		isNow := !loaded.Saved.Before(begin) && !loaded.Saved.After(time.Now())
		filetest.True(t, isNow, "saved at %v, not after %v", loaded.Saved, begin)
	}
	older := filetest.Must(readFile(olderName(path)))(t)
	filetest.Want(t, older.Payload, []byte{1}, "the older generation")
	filetest.Want(t, older.Generation, 2, "its number")
	filetest.WantFiles(t, folder, "state", "state.lock", "state.old")
	for range 2 {
		filetest.Check(t, s.Close())
	}
	filetest.WantError(t, s.Save(saving(nil)), "closed")
	filetest.WantFiles(t, folder, "state", "state.old")
	for _, name := range Files(path) {
		filetest.Check(t, removeFile(disk.System, name))
	}
	filetest.WantFiles(t, folder)
	err = filetest.Failure(Peek(path))
	filetest.True(t, errors.Is(err, ErrNone), "after all files are removed: %v", err)
}

// TestWriteFails: an error or a panic of the caller's function saves nothing.
func TestWriteFails(t *testing.T) {
	folder := t.TempDir()
	s := mustOpen(t, filepath.Join(folder, "state"))
	mustSave(t, s, []byte("1"))
	own := errors.New("the caller's own")
	err := s.Save(func(w io.Writer) error {
		_, _ = w.Write(make([]byte, 1<<20))
		return own
	})
	if !errors.Is(err, own) || strings.Contains(err.Error(), "space") { // it is no error of the disk
		t.Errorf("Save returns %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = s.Save(func(io.Writer) error { panic("the caller's own") })
	}()
	filetest.WantFiles(t, folder, "state", "state.lock")
	mustSave(t, s, []byte("2"))
	wantLoaded(Peek(s.Path))(t, "2", 2)
}

// TestKind: a state of another kind is neither loaded nor replaced.
func TestKind(t *testing.T) {
	path, _ := twoGenerations(t, []byte("1"), []byte("2"))
	other := handMadeOf("another", "gophe checkpoint 1\n", "3")
	write(t, path, other)
	s := mustOpen(t, path)
	filetest.WantError(t, filetest.Failure(Peek(s.Path)), path, `kind "another", not of kind "gophe stream"`, "another path")
	filetest.WantError(t, s.Save(saving([]byte("4"))), `kind "another"`)
	wantFile(t, path, other, "a state of another kind")
}

// TestPlaces opens paths that cannot hold a checkpoint.
func TestPlaces(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	write(t, file, []byte("a,b\n1,2\n"))
	link := filepath.Join(folder, "link")
	if err := os.Symlink(file, link); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	for path, word := range map[string]string{
		"":                                     "the path of the checkpoint is empty",
		filepath.Join(folder, "none", "state"): "does not exist; make it",
		filepath.Join(file, "state"):           "choose another path",
		folder:                                 "not a plain file",
		link:                                   "not a plain file",
	} {
		if runtime.GOOS == "windows" && path == link {
			continue
		}
		filetest.WantError(t, filetest.Failure(Open(disk.System, path)), word)
	}
	filetest.WantError(t, filetest.Failure(Peek(folder)), folder, "not a plain file", "choose another path")
	model, _ := twoGenerations(t, []byte("1"), []byte("2"))
	for _, own := range Files(model)[1:] {
		filetest.WantError(t, filetest.Failure(Open(disk.System, own)), own+" belongs to the model "+model+"; choose another path")
	}
	filetest.WantError(t, mustOpen(t, file).Save(saving(nil)), file+" is no model, but a file of another kind; choose another path")
	wantFile(t, file, []byte("a,b\n1,2\n"), "a file of the user's")
}

// TestForeign puts a user's file where a store has its files. Peek falls back to the older generation after damage, and not for such a
// file: a save would replace it.
func TestForeign(t *testing.T) {
	for place := range 5 {
		path, _ := twoGenerations(t, []byte("1"), []byte("2"))
		file, word := Files(path)[place], "move the file away"
		if place == 0 {
			word = "is no model"
		}
		for _, content := range []string{"visit,customer\nv1,c1\n", "x", "PAR1\x15\x04\x15\x80\x00\x00binary"} {
			write(t, file, []byte(content))
			s, err := Open(disk.System, path)
			if err == nil {
				err = s.Save(saving([]byte("3")))
				filetest.Check(t, s.Close())
			}
			filetest.WantError(t, err, file, word)
			wantFile(t, file, []byte(content), "a file of the user's")
		}
	}
	path, _ := twoGenerations(t, []byte("1"), []byte("2"))
	write(t, olderName(path), []byte("a,b\n"))
	filetest.Check(t, os.Remove(path))
	err := filetest.Failure(Peek(path))
	filetest.WantError(t, err, "is no model")
	filetest.WantNone(t, err.Error(), "remove")
}

// TestReadersBesideWriter loads states while another goroutine saves. Each state must be whole, and none older than the state
// loaded before.
func TestReadersBesideWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	s := mustOpen(t, path)
	mustSave(t, s, state(1))
	done := make(chan error, 1)
	go func() {
		var err error
		for n := 2; n <= 40 && err == nil; n++ {
			err = s.Save(saving(state(n)))
		}
		done <- err
	}()
	for last := 1; last < 40; {
		loaded := filetest.Must(Peek(path))(t)
		filetest.Want(t, loaded.Warning, "", "the warning")
		n, err := numberOf(loaded.Payload)
		if err != nil || n < last || loaded.Generation != uint64(n) {
			t.Fatalf("state %d of generation %d after %d: %v", n, loaded.Generation, last, err)
		}
		last = n
	}
	filetest.Check(t, <-done)
}

// TestStepFails makes each link and each rename of a save fail, with and without hard links. Save must return the error, Peek
// must find the state before or the new one, and the next save must succeed.
func TestStepFails(t *testing.T) {
	for _, c := range []struct {
		links  bool
		failAt int // number of the rename that fails
		want   string
	}{{true, 0, "2"}, {true, 1, "3"}, {false, 0, "2"}, {false, 1, "2"}} {
		t.Run(fmt.Sprintf("links %t, rename %d", c.links, c.failAt), func(t *testing.T) {
			folder := t.TempDir()
			d := disktest.New(1)
			s := filetest.Must(Open(d, filepath.Join(folder, "state")))(t)
			defer s.Close()
			mustSave(t, s, []byte("1"))
			mustSave(t, s, []byte("2"))
			renames := 0
			d.NoLinks = !c.links
			d.Before = func(kind, _ string) error {
				if kind == "rename" {
					renames++
				}
				if kind == "rename" && renames == c.failAt+1 {
					return errors.New("a rename that fails")
				}
				return nil
			}
			err := s.Save(saving([]byte("3")))
			filetest.WantError(t, err, "a rename that fails", "cannot rename", "make the folder writable")
			wantLoaded(Peek(s.Path))(t, c.want, 0)
			mustSave(t, s, []byte("4"))
			wantLoaded(Peek(s.Path))(t, "4", 0)
			filetest.WantFiles(t, folder, "state", "state.lock", "state.old")
		})
	}
}

// TestNewestMissing: PATH is gone, as after a kill between two renames, or because it was removed.
func TestNewestMissing(t *testing.T) {
	path, _ := twoGenerations(t, []byte("1"), []byte("2"))
	s := mustOpen(t, path)
	mustSave(t, s, []byte("3"))
	filetest.Check(t, os.Remove(path))
	filetest.WantError(t, s.Save(saving([]byte("4"))), "cannot rename") // the store remembers PATH as whole
	loaded, err := Peek(path)
	want := path + " is missing; " + path + ".old is used in its place: generation 2, saved "
	filetest.Check(t, err)
	filetest.Want(t, string(loaded.Payload), "2", "the state")
	filetest.WantWords(t, loaded.Warning, want)
	mustSave(t, s, []byte("5")) // it has looked again
	wantLoaded(Peek(s.Path))(t, "5", 3)
}
