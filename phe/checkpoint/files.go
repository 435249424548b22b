package checkpoint

import (
	"bufio"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
)

func olderName(path string) string  { return path + ".old" }
func savingName(path string) string { return path + ".saving" } // a save writes it, then renames it to PATH
func spareName(path string) string  { return path + ".spare" }  // the newest generation on its way to PATH.old
func lockName(path string) string   { return path + ".lock" }

// Files returns the names of all files that a store at path may have, the newest generation first. Some exist only during a
// save, or while the store is open.
func Files(path string) []string {
	return []string{path, olderName(path), savingName(path), spareName(path), lockName(path)}
}

// Remove removes all files of the store at path, for a fresh start. It returns an error and removes nothing if another
// process has the store open, or if a generation does not begin like a checkpoint: the path may be mistyped.
func Remove(path string) error {
	s, err := Open(path)
	if err != nil {
		return err
	}
	defer s.Close()
	generations := []string{path, olderName(path)}
	for _, name := range generations {
		if err := checkOurs(name); err != nil {
			return err
		}
	}
	for _, name := range generations {
		if err := removeFile(name); err != nil {
			return err
		}
	}
	if err := syncFolder(path); err != nil {
		return err
	}
	return s.Close() // it removes the lock's file
}

// removeFile removes a file that need not exist.
func removeFile(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Wrapf(err, "cannot remove %s; remove it yourself, or choose another path", name)
	}
	return nil
}

// checkOurs returns an error for a file that does not begin like a checkpoint. An empty or missing file is fine.
func checkOurs(name string) error {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return errors.Wrapf(err, "cannot read %s; make it readable, or choose another path", name)
	}
	defer f.Close()
	start, err := bufio.NewReader(f).Peek(len(formatName))
	if err != nil && err != io.EOF {
		return errors.Wrapf(err, "cannot read %s; remove it yourself, or choose another path", name)
	}
	if !bytes.HasPrefix([]byte(formatName), start) {
		return errors.Errorf("%s does not begin like a checkpoint; choose another path, or remove the file yourself", name)
	}
	return nil
}

// checkPlace returns an error if path cannot hold a checkpoint: its folder is missing, or it is no regular file. A rename
// would replace a symbolic link instead of its target, or a device.
func checkPlace(path string) error {
	if path == "" {
		return errors.New("the path of the checkpoint is empty; name a file")
	}
	folder := filepath.Dir(path)
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.Errorf("the folder %s does not exist; make it, or choose another path for the checkpoint", folder)
	case err != nil:
		return errors.Wrapf(err, "cannot look into the folder %s; choose another path for the checkpoint", folder)
	case !info.IsDir():
		return errors.Errorf("%s is not a folder; choose another path for the checkpoint", folder)
	}
	for _, name := range Files(path) {
		if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
			return errors.Errorf("%s is a folder, a link or a device, not a plain file; choose another path for the checkpoint", name)
		}
	}
	return nil
}
