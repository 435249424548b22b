package show

import (
	"bytes"
	"encoding/gob"
	"os"
	"path/filepath"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/phe/disk/output"
)

// Keep stores a value of a cell for later ones, under a name of your own, in the folder of Results.
func Keep(name string, value any) {
	var content bytes.Buffer
	Check(errors.Wrapf(gob.NewEncoder(&content).Encode(value), "%s cannot be kept", name))
	Check(result.WriteWhole(keptPath(name), output.Numbers, content.Bytes()))
}

// Kept is a value that an earlier cell stored.
func Kept[T any](name string) (value T) {
	content, err := os.ReadFile(keptPath(name))
	Check(errors.Wrapf(err, "%s is not there; run the cell that keeps it", name))
	Check(errors.Wrapf(gob.NewDecoder(bytes.NewReader(content)).Decode(&value), "%s is of another kind; run the cell that keeps it again", name))
	return value
}

func keptPath(name string) string { return filepath.Join(Results(), name+".gob") }
