package streams

import (
	"encoding/json"
	"io/fs"
	"os"
	"slices"

	"github.com/pkg/errors"
)

// Result is what was measured.
type Result struct {
	Machine  string            `json:"machine"`
	Jobs     int               `json:"jobs"`   // contenders that ran at the same time
	Commit   string            `json:"commit"` // of gophe
	Versions map[string]string `json:"versions"`
	Streams  []Measured        `json:"streams"`
	Runs     []Run             `json:"runs"`
}

// Measured is a stream of a result.
type Measured struct {
	Name    string `json:"name"`
	Rows    int    `json:"rows"`
	Numeric bool   `json:"numeric,omitempty"`
	SHA256  string `json:"sha256"` // of the table
}

// Run is one task with its outcome.
type Run struct {
	Task
	Version string  `json:"version"`
	Data    string  `json:"data"` // the beginning of the table's checksum
	Score   Score   `json:"score"`
	CPU     float64 `json:"cpu_s"`      // processor time of the process, start and reading included
	Wall    float64 `json:"wall_s"`     // from start to end
	Peak    float64 `json:"peak_bytes"` // the most memory of the process
}

// Read reads a result. One that is not there is empty.
func Read(path string) (*Result, error) {
	r := &Result{}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, errors.Wrap(err, "reading the results")
	}
	return r, errors.Wrapf(json.Unmarshal(content, r), "the results %s are damaged; move them away to start anew", path)
}

// Write replaces a result.
func (r *Result) Write(path string) error {
	content, err := json.MarshalIndent(r, "", " ")
	if err == nil {
		err = os.WriteFile(path+".part", append(content, '\n'), 0o644)
	}
	if err == nil {
		err = os.Rename(path+".part", path)
	}
	return errors.Wrap(err, "keeping the results")
}

// same tells whether two tasks are the same run.
func (t Task) same(other Task) bool {
	return t.Stream == other.Stream && t.Contender == other.Contender && t.Setting == other.Setting && t.Memory == other.Memory && t.Seed == other.Seed
}

// find returns the run of a task; nil without it.
func (r *Result) find(t Task) *Run {
	if i := slices.IndexFunc(r.Runs, func(run Run) bool { return run.same(t) }); i >= 0 {
		return &r.Runs[i]
	}
	return nil
}

// put adds a run, or replaces an older one of the same task.
func (r *Result) put(run Run) {
	if old := r.find(run.Task); old != nil {
		*old = run
		return
	}
	r.Runs = append(r.Runs, run)
}

// stream adds a stream, or replaces what was said of it.
func (r *Result) stream(m Measured) {
	if i := slices.IndexFunc(r.Streams, func(s Measured) bool { return s.Name == m.Name }); i >= 0 {
		r.Streams[i] = m
		return
	}
	r.Streams = append(r.Streams, m)
}
