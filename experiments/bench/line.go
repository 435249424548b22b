package bench

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/pkg/errors"
)

// Key says what a line measured. Lines with equal keys measure the same, so a finished one need not be measured again.
type Key struct {
	Program  string `json:"program"` // gophe, jax, torch-eager or torch-graphs
	Version  string `json:"version"`
	Machine  string `json:"machine"`
	Backend  string `json:"backend"`          // of a rival cpu or gpu
	Device   string `json:"device,omitempty"` // as the backend describes it
	Flags    string `json:"flags,omitempty"`  // XLA_FLAGS
	Work     string `json:"work"`
	Steps    int    `json:"steps"`  // in one call of the initial phase; 0 is an epoch
	Chunks   int    `json:"chunks"` // of the stream, in one pass
	Replicas int    `json:"replicas"`
}

// Line is one line of the table: how fast a program trains a number of replicas side by side.
type Line struct {
	Key
	Step           Figure  `json:"step"` // of all replicas
	Row            Figure  `json:"row"`  // of the stream, for all replicas
	CompileSeconds float64 `json:"compile_seconds"`
	PeakBytes      float64 `json:"peak_bytes"` // of the process; estimated where both figures are left out
	Time           string  `json:"time"`
}

// Figure is a measured time, or the reason why there is none.
type Figure struct {
	Seconds float64 `json:"seconds"`            // median of the repetitions
	Needs   float64 `json:"needs"`              // least seconds that measuring takes, without compilation
	LeftOut string  `json:"left_out,omitempty"` // "left out: needs …"
}

// File keeps finished lines on disk, one JSON object a line.
type File string

// Lines reads the finished lines. A line that a kill or a full disk has cut is not finished, and is skipped.
func (f File) Lines() (lines []Line, err error) {
	in, err := os.Open(string(f))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, errors.Wrap(err, "cannot read finished lines; name another folder with --out")
	}
	defer in.Close()
	text := bufio.NewScanner(in)
	for text.Scan() {
		var line Line
		if json.Unmarshal(text.Bytes(), &line) == nil {
			lines = append(lines, line)
		}
	}
	return lines, errors.Wrapf(text.Err(), "reading %s", f)
}

// Append writes a line and waits until the disk has it.
func (f File) Append(line *Line) error {
	line.Time = time.Now().UTC().Format(time.RFC3339Nano)
	content, err := json.Marshal(line)
	if err != nil {
		return errors.Wrap(err, "encoding a line")
	}
	err = os.MkdirAll(filepath.Dir(string(f)), 0o755)
	var out *os.File
	if err == nil {
		out, err = os.OpenFile(string(f), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644)
	}
	if err != nil {
		return errors.Wrap(err, "cannot keep a finished line; name another folder with --out")
	}
	defer out.Close()
	if end, err := out.Seek(-1, io.SeekEnd); err == nil {
		last := make([]byte, 1)
		if _, err := out.ReadAt(last, end); err == nil && last[0] != '\n' { // a kill has cut the line before
			content = append([]byte("\n"), content...)
		}
	}
	if _, err = out.Write(append(content, '\n')); err == nil {
		err = out.Sync()
	}
	return errors.Wrap(err, "cannot keep a finished line; name another folder with --out")
}

// Find returns the last line with a key; nil if there is none.
func Find(lines []Line, key Key) *Line {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].Key == key {
			return &lines[i]
		}
	}
	return nil
}
