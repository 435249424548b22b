package checkpoint

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/disktest"
)

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
