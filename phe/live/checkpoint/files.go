package checkpoint

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/disk/outfile"
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

// removeFile removes a file that need not exist.
func removeFile(d disk.FS, name string) error {
	if err := d.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Wrapf(err, "cannot remove %s; %s", name, disk.Advice(err, "remove it yourself, or choose another path"))
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
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return errors.Errorf("the folder %s does not exist; make it, or choose another path for the checkpoint", folder)
	}
	if err := (outfile.Place{Path: path}).Avoid(); err != nil {
		return err
	}
	for i, name := range Files(path) {
		model, isOf := strings.CutSuffix(path, strings.TrimPrefix(name, path))
		if _, err := readHeader(model); i > 0 && isOf && err == nil {
			return errors.Errorf("%s belongs to the model %s; choose another path", path, model)
		}
		if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
			return errors.Errorf("%s is a folder, a link or a device, not a plain file; choose another path for the checkpoint", name)
		}
		switch _, err := readHeader(name); {
		case disk.Failed(err):
			return errors.Errorf("%s %s", name, describe(err))
		case errors.Is(err, errForeign) && i > 0: // Save looks at the first one
			return errors.Errorf("%s is a file of another kind, and the model %s needs that name; "+
				"move the file away, or choose another path", name, path)
		}
	}
	return nil
}
