package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
)

// handMade composes a file of a given first line as the comment of the format describes it, without the package's code.
func handMade(first, payload string) []byte { return handMadeOf("gophe stream", first, payload) }

// handMadeOf composes a file that holds a state of a kind.
func handMadeOf(kind, first, payload string) []byte {
	lines := first + fmt.Sprintf(`{"kind":%q,"generation":7,"saved":"2026-07-01T12:00:00Z","payload":%d}  `, kind, len(payload)) + "\n"
	sum := sha256.Sum256([]byte(payload + lines))
	return append([]byte(lines+payload), sum[:]...)
}

// TestFormat loads a file that was composed by hand.
func TestFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	for _, payload := range []string{"", "\n", "a payload", strings.Repeat("long ", 5000)} {
		write(t, path, handMade("gophe checkpoint 1\n", payload))
		loaded := filetest.Must(Peek(path))(t)
		filetest.Want(t, string(loaded.Payload), payload, "the state")
		filetest.Want(t, loaded.Generation, 7, "its generation")
		filetest.Want(t, loaded.Saved.UTC(), time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), "its time")
	}
}

// TestLaterFormat: a newer program's file is an error even beside a whole older generation, and Save does not replace it. The
// file of an unfinished run is an error of its own.
func TestLaterFormat(t *testing.T) {
	path, file := twoGenerations(t, []byte("1"), []byte("2"))
	later := handMade("gophe checkpoint 2\n", "what this program cannot know")
	write(t, path, later)
	s := mustOpen(t, path)
	filetest.WantError(t, filetest.Failure(Peek(s.Path)), path, "version 2", "use a newer program")
	filetest.WantError(t, s.Save(saving([]byte("3"))), path, "use a newer program")
	wantFile(t, path, later, "a newer program's file")
	write(t, path, file[:100])
	write(t, olderName(path), later)
	filetest.WantError(t, filetest.Failure(Peek(s.Path)), path+" is damaged", olderName(path)+" cannot be used", "use a newer program")
	write(t, path, file) // with a whole newest generation the older one does not matter
	wantLoaded(Peek(s.Path))(t, "2", 0)
	write(t, path, handMade("gophe run state 4\n", "payload"))
	filetest.WantError(t, filetest.Failure(Peek(path)), path, "it holds an unfinished run of an experiment, not a saved model")
	long := "chxxxpoint " + strings.Repeat("x", 10_000)
	for _, first := range []string{"checkpoint 0\n", "checkpoint -1\n", "checkpoint 01\n", "checkpoint \n", long} {
		write(t, path, handMade("gophe "+first, "payload"))
		err := filetest.Failure(readFile(path))
		filetest.True(t, err != nil && !isRefusal(err), "%.20q: %v", first, err)
	}
}

// TestGolden reads a file of format 1 that must be read for ever. Never replace the file. It came from a Save that named its kind "test":
//
//	s.Save("test", func(w io.Writer) error { _, err := w.Write([]byte("a state to be kept for ever\n\x00\xff")); return err })
func TestGolden(t *testing.T) {
	file := filetest.Must(os.ReadFile(filepath.Join("testdata", "format-1.checkpoint")))(t)
	h, payload, err := parse(bytes.NewReader(file), int64(len(file)))
	filetest.Check(t, err)
	filetest.Want(t, string(payload), "a state to be kept for ever\n\x00\xff", "the state")
	filetest.Want(t, [2]uint64{h.Generation, uint64(h.Saved.Year())}, [2]uint64{1, 2026}, "its generation and year")
	filetest.Want(t, h.Kind, "test", "its kind")
}
