package checkpoint

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"
	"github.com/pkg/errors"

	"gophe/phe/disk"
)

// Loaded is a state that Peek found.
type Loaded struct {
	Payload    []byte
	Generation uint64    // number of the save, counted from 1
	Saved      time.Time // to the second, by the clock of the machine
	Path       string    // file that holds the state: PATH or PATH.old
	Warning    string    // the fault of PATH if the state comes from PATH.old, or why PATH.old or the lock cannot be read; else empty
	Held       bool      // Peek found that a process has the store open, or may have
}

// ErrNone is the error of Peek if no generation exists. Test for it with errors.Is.
var ErrNone = errors.New("there is no checkpoint yet")

// Peek returns the newest whole generation. If PATH is damaged or missing it returns the state in PATH.old, and Loaded.Warning
// says why. If neither file exists the error is ErrNone, and if neither is whole it names both. A PATH of a later format, of another
// kind, or that the system fails to read is an error too: it may be whole, and PATH.old is older. So is a PATH that is older than PATH.old.
//
// Peek keeps no lock, so a writer may run meanwhile. On a file system without hard links it may warn that PATH is missing if it reads in
// the middle of a save.
func Peek(path string) (Loaded, error) {
	loaded, err := find(path)
	if loaded.Payload != nil && isRefusal(err) { // PATH.old is refused, and only a save needs it
		loaded.Warning, err = err.Error(), nil
	}
	held, unasked := isHeld(path)
	if loaded.Held = held; held && unasked != nil {
		loaded.Warning = cmp.Or(loaded.Warning, unasked.Error())
	}
	return loaded, err
}

// isHeld reports whether a process has the store at path open. It makes and changes no file. A lock that it fails to ask about counts as
// held, with the error.
func isHeld(path string) (held bool, unasked error) {
	if err := disk.CheckPlain(lockName(path)); err != nil {
		return true, errors.WithMessagef(err, "nothing tells whether %s is in use", path)
	}
	l := flock.New(lockName(path), flock.SetFlag(os.O_RDONLY)) // without O_CREATE
	defer l.Close()
	free, err := l.TryRLock()
	return !free && !isMissing(err), errors.Wrapf(err, "nothing tells whether %s is in use; %s", path, disk.Advice(err, "try again"))
}

// find returns the newest whole generation.
func find(path string) (Loaded, error) {
	newest, err := readFile(path)
	if err == nil {
		return newest, checkOrder(path, newest)
	}
	if isRefusal(err) {
		return Loaded{}, errors.Errorf("%s %s", path, describe(err))
	}
	older, olderErr := readFile(olderName(path))
	switch {
	case olderErr == nil:
		older.Warning = fmt.Sprintf("the checkpoint %s %s; %s is used in its place: generation %d, saved %s",
			path, describe(err), older.Path, older.Generation, older.Saved.Format(time.RFC3339))
		return older, nil
	case isMissing(err) && isMissing(olderErr):
		return Loaded{}, errors.WithMessage(ErrNone, path)
	case isRefusal(olderErr):
		return Loaded{}, errors.Errorf("%s %s, and %s %s", path, describe(err), olderName(path), describe(olderErr))
	default:
		return Loaded{}, errors.Errorf("no checkpoint can be loaded: %s %s, and %s %s; "+
			"restore a copy of either, or remove both to start afresh",
			path, describe(err), olderName(path), describe(olderErr))
	}
}

// checkOrder returns an error if PATH.old holds a newer generation than PATH. An older copy was then put into the place of PATH,
// and the next save would destroy the newer generation.
func checkOrder(path string, newest Loaded) error {
	h, err := readHeader(olderName(path))
	older := Loaded{Generation: h.Generation}
	if err == nil && h.Generation > newest.Generation {
		older, err = readFile(olderName(path)) // its header may be damaged
	}
	switch {
	case disk.Failed(err) || errors.Is(err, errIrregular):
		return refusal{errors.Errorf("nothing tells whether %s is newer than %s: it %s", olderName(path), path, describe(err))}
	case err != nil || older.Generation <= newest.Generation:
		return nil
	}
	if h, err := readHeader(path); isMissing(err) || err == nil && h.Generation > newest.Generation {
		return nil // another process has saved twice meanwhile
	}
	return errors.Errorf("%s is an older copy (generation %d, saved %s) than %s (generation %d, saved %s); "+
		"remove %s to go on with the newer one, or %s to go on with the older one",
		path, newest.Generation, newest.Saved.Format(time.RFC3339), olderName(path), older.Generation,
		older.Saved.Format(time.RFC3339), path, olderName(path))
}

// describe completes a sentence that begins with a file's name.
func describe(err error) string {
	switch {
	case isMissing(err):
		return "is missing"
	case errors.Is(err, errForeign):
		return err.Error()
	case disk.Failed(err):
		return fmt.Sprintf("cannot be read (%s); %s", err, disk.Advice(err, "choose another path"))
	case isRefusal(err):
		return fmt.Sprintf("cannot be used (%s)", err)
	default:
		return fmt.Sprintf("is damaged (%s)", err)
	}
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func isRefusal(err error) bool {
	var r refusal
	return errors.As(err, &r) || disk.Failed(err)
}
