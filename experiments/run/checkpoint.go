package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"os"
	"path/filepath"

	"github.com/pkg/errors"

	"gophe/experiments/result"
)

// A checkpoint file is a line that names its format, the SHA-256 of the rest, and a job's state as gob writes it. A change of
// jobState or of its fields' types needs another format. The line must not begin as the files of phe/checkpoint do. Until
// commit a3a629c it did, before the same content.
const (
	checkpointFormat = "gophe run state 4\n"
	formerFormat     = "gophe checkpoint 3\n"
)

// writeCheckpoint stores a job's state whole or not at all.
func writeCheckpoint(path string, state jobState) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return errors.Wrap(err, "cannot keep a checkpoint; choose another folder with --out")
	}
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(state); err != nil {
		return errors.Wrap(err, "encoding the checkpoint")
	}
	sum := sha256.Sum256(body.Bytes())
	return result.WriteWhole(path, bytes.Join([][]byte{[]byte(checkpointFormat), sum[:], body.Bytes()}, nil))
}

// readCheckpoint loads a job's state. A file that is damaged, or of another version of the program, is an error: a run that
// went on from it would end with other numbers.
func readCheckpoint(path string, state *jobState) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return errors.Wrap(err, "no checkpoint")
	}
	const remedy = "delete it, or start anew with --force"
	rest, ok := bytes.CutPrefix(content, []byte(checkpointFormat))
	if !ok {
		rest, ok = bytes.CutPrefix(content, []byte(formerFormat))
	}
	if !ok {
		return errors.Errorf("the checkpoint %s was not written by this version of the program; %s", path, remedy)
	}
	if len(rest) < sha256.Size || sha256.Sum256(rest[sha256.Size:]) != [sha256.Size]byte(rest[:sha256.Size]) {
		return errors.Errorf("the checkpoint %s is damaged: its checksum is wrong; %s", path, remedy)
	}
	if err := gob.NewDecoder(bytes.NewReader(rest[sha256.Size:])).Decode(state); err != nil {
		return errors.Wrapf(err, "cannot read the checkpoint %s; %s", path, remedy)
	}
	for _, s := range state.Streams { // gob forgets lists that are empty, and results tell them from none
		for k, run := range s.Runs {
			s.Runs[k].Rows = append([]int{}, run.Rows...)
		}
	}
	return nil
}
