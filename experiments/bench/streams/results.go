package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/phe/disk/outfile"
	"gophe/phe/terminal"
)

// results hold what was measured.
type results struct {
	Machine  string            `json:"machine"`
	Jobs     int               `json:"jobs"`   // contenders that ran at the same time
	Commit   string            `json:"commit"` // of gophe
	Versions map[string]string `json:"versions"`
	Streams  []measured        `json:"streams"`
	Runs     []run             `json:"runs"`
}

// measured is a stream of the results.
type measured struct {
	Name    string `json:"name"`
	Rows    int    `json:"rows"`
	Numeric bool   `json:"numeric,omitempty"`
	SHA256  string `json:"sha256"` // of the table
}

// run is one task with its outcome.
type run struct {
	task
	Version string `json:"version"`
	Data    string `json:"data"` // the beginning of the files' checksum
	Score   scores `json:"score"`
	cost
}

// cost holds the time and the memory of a process.
type cost struct {
	CPU  float64 `json:"cpu_s"`      // processor time of the process, start and reading included
	Wall float64 `json:"wall_s"`     // from start to end
	Peak float64 `json:"peak_bytes"` // the most memory of the process
}

// read reads results. A file that is not there has none.
func read(path string) (*results, error) {
	r := &results{}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, errors.Wrap(err, "reading the results")
	}
	return r, errors.Wrapf(json.Unmarshal(content, r), "the results %s are damaged; move them away to start anew", path)
}

// write replaces results.
func (r *results) write(path string) error {
	content, err := json.MarshalIndent(r, "", " ")
	if err == nil {
		err = result.WriteWhole(path, outfile.Kind{Name: "a comparison of streams", Begins: `\{\s*"machine":`}, append(content, '\n'))
	}
	return errors.Wrap(err, "keeping the results")
}

// find returns the run of a task; nil without it.
func (r *results) find(t task) *run {
	if i := slices.IndexFunc(r.Runs, func(own run) bool { return own.task == t }); i >= 0 {
		return &r.Runs[i]
	}
	return nil
}

// put adds an element, or replaces the first one that is the same.
func put[E any](list []E, own E, same func(E) bool) []E {
	if i := slices.IndexFunc(list, same); i >= 0 {
		list[i] = own
		return list
	}
	return append(list, own)
}

// String is a line about the run.
func (r run) String() string {
	text := fmt.Sprintf("%-10s %s", r.Stream, entryName(r.Contender, r.Setting, r.Memory))
	if r.Seed > 0 {
		text += fmt.Sprintf(", seed %d", r.Seed)
	}
	return fmt.Sprintf("%-70s late %.4f, all %.4f; %.1f s, %.0f MB", text, r.Score.Late, r.Score.All, r.CPU, r.Peak/1e6)
}

// entryName names a contender with its setting and its memory.
func entryName(contender, setting string, memory int) string {
	if setting != "" {
		contender += ", " + setting
	}
	if memory > 0 {
		contender += ", " + terminal.Size(memory)
	}
	return contender
}
