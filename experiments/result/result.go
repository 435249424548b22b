// Package result is what a run leaves behind: one JSON file a spec, holding every score of every step of every seed
// and the manifest that says how they came about. Tables, figures and notebooks read these files and nothing else.
package result

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

// Status of a run, and of a file (the least finished of its runs).
const (
	Complete = "complete" // every step is there
	Partial  = "partial"  // stopped early; `phe run --resume` goes on from it
	Diverged = "diverged" // a parameter or score stopped being finite at step DivergedAt
)

// File is the content of <out>/<spec name>.json.
type File struct {
	Name     string   `json:"name"` // the spec's
	Status   string   `json:"status"`
	Manifest Manifest `json:"manifest"`
	Stream   Stream   `json:"stream"`
	Methods  []Method `json:"methods"`
}

// Stream describes what the methods met.
type Stream struct {
	Initial int      `json:"initial"`           // rows of the initial phase
	Steps   int      `json:"steps"`             // updates that follow
	Changes []Change `json:"changes,omitempty"` // where something new begins, ascending in Step
	Days    []string `json:"days,omitempty"`    // of each step, YYYY-MM-DD, where steps are days
	Users   []int    `json:"users,omitempty"`   // seen by the end of each step, those of the initial phase among them; of ratings
	Tests   []Test   `json:"tests,omitempty"`   // fixed sets of rows that Run.Tests scores
}

// Change is the first step that shows something new.
type Change struct {
	Step int    `json:"step"`
	What string `json:"what"`
}

// Test is a fixed set of rows, on which is tested what a model knows.
type Test struct {
	Name  string   `json:"name"`            // group 1, …
	Items []string `json:"items,omitempty"` // of the incremental column, where the set is theirs
	Train int      `json:"train,omitempty"` // rows of its kind that are learned in all
	Rows  int      `json:"rows"`            // rows of the set
}

// Manifest says how the numbers came about, so that another machine can make them again.
type Manifest struct {
	Spec         json.RawMessage   `json:"spec"`
	SpecHash     string            `json:"spec_hash"` // SHA-256 of Spec in canonical form
	Commit       string            `json:"commit"`
	Versions     map[string]string `json:"versions"` // Go and the modules that do the arithmetic
	Backend      string            `json:"backend"`
	Device       string            `json:"device"`
	Dataset      string            `json:"dataset"`
	DataSHA256   string            `json:"data_sha256"` // of the uncompressed file
	DataVerified bool              `json:"data_verified"`
	Started      string            `json:"started"` // RFC 3339
	Seconds      float64           `json:"seconds"` // wall time, all sessions of a resumed run together
	PeakMemoryMB float64           `json:"peak_memory_mb"`
	Parallel     string            `json:"parallel"` // how seeds shared the machine
}

// Method is one row of a table: a way to represent items and a way to keep learning, run once a seed.
type Method struct {
	Name       string `json:"name"`       // PHE, EE, P-EE, SlowAda, MediumAda, FastAda, or a variant's own name
	Frozen     bool   `json:"frozen"`     // the same initial model, never updated afterwards
	Dataset    string `json:"dataset"`    // adult, bank, …
	Protocol   string `json:"protocol"`   // online, …
	Convention string `json:"convention"` // authors or paper: whose choice where they part
	Scheme     string `json:"scheme"`     // how the expectation over the posterior is taken
	Loss       string `json:"loss"`       // what was done with a row's samples in training
	Parameters int    `json:"parameters"` // numbers in the embedding module (Table 4)
	Hash       string `json:"hash"`       // SHA-256 of all in the spec that its runs depend on
	Runs       []Run  `json:"runs"`       // ascending in Seed
}

// Base is the first word of the name: variations of one method, such as "PHE B=3" and "PHE B=7", share it.
func (m *Method) Base() string {
	base, _, _ := strings.Cut(m.Name, " ")
	return base
}

// Label is the method's name, with " (frozen)" where nothing was learned online.
func (m *Method) Label() string {
	if m.Frozen {
		return m.Name + " (frozen)"
	}
	return m.Name
}

// Run finds a seed's run; nil where there is none.
func (m *Method) Run(seed int64) *Run {
	for i := range m.Runs {
		if m.Runs[i].Seed == seed {
			return &m.Runs[i]
		}
	}
	return nil
}

// Put stores a seed's run, in place of one that is there, in order of seeds.
func (m *Method) Put(run Run) {
	if old := m.Run(run.Seed); old != nil {
		*old = run
		return
	}
	at, _ := slices.BinarySearchFunc(m.Runs, run.Seed, func(r Run, seed int64) int { return cmp.Compare(r.Seed, seed) })
	m.Runs = slices.Insert(m.Runs, at, run)
}

// Method finds a row of the file; nil where there is none.
func (f *File) Method(name string, frozen bool) *Method {
	for i := range f.Methods {
		if m := &f.Methods[i]; m.Name == name && m.Frozen == frozen {
			return m
		}
	}
	return nil
}

// Run is one seed of a method. Step t's scores were taken before the model learned from step t.
type Run struct {
	Seed          int64     `json:"seed"`
	Status        string    `json:"status"`
	DivergedAt    int       `json:"diverged_at,omitempty"`    // step, where Status is Diverged
	Rows          []int     `json:"rows"`                     // rows scored at each step
	Accuracy      []float64 `json:"accuracy,omitempty"`       // share of rows classified right, in [0, 1]
	LogLikelihood []float64 `json:"log_likelihood,omitempty"` // mean log predictive probability of the label, in nats; of counts, of whole windows
	// Scores are what else was measured at each step, by the metric's name.
	Scores map[string][]float64 `json:"scores,omitempty"`
	// Calibration is how many of all counts scored fell into equal cells of their probability integral transform, from 0 to
	// 1, each count spread over its interval (count.PIT): calibrated forecasts fill the cells evenly.
	Calibration []float64 `json:"calibration,omitempty"`
	// Tallies are the absolute errors of a recommender by how many ratings of the user, or of the film, came before: none, 1,
	// 2 to 4, 5 to 9, more. "user first" counts all that the stream showed before, "user learned" those of earlier days only;
	// likewise the film's.
	Tallies map[string][]Tally `json:"tallies,omitempty"`
	// Memory is what the whole process held now and then, whatever else it ran.
	Memory       []Memory  `json:"memory,omitempty"`
	Prediction   []float64 `json:"prediction,omitempty"` // of a number, where the target is one (Supp. F)
	Tests        []Score   `json:"tests,omitempty"`      // of the fixed sets, ascending in After
	InitialSteps int       `json:"initial_steps"`
	UpdateSteps  int       `json:"update_steps"`
	Seconds      Seconds   `json:"seconds"`
}

// Memory is a measurement of the process's resident memory.
type Memory struct {
	Step      int     `json:"step"`      // done
	Megabytes float64 `json:"megabytes"` // MiB
}

// Tally adds up errors.
type Tally struct {
	Rows  float64 `json:"rows"`
	Error float64 `json:"error"` // sum of absolute errors, not their mean
}

// Tally adds errors to Tallies.
func (r *Run) Tally(tallies map[string][]Tally) {
	if r.Tallies == nil && len(tallies) > 0 {
		r.Tallies = map[string][]Tally{}
	}
	for name, cells := range tallies {
		if r.Tallies[name] == nil {
			r.Tallies[name] = make([]Tally, len(cells))
		}
		for i, c := range cells {
			r.Tallies[name][i].Rows += c.Rows
			r.Tallies[name][i].Error += c.Error
		}
	}
}

// Untrained, as Score.After, means parameters as drawn, before the initial phase.
const Untrained = -1

// Score is how well a run did on one of the stream's fixed sets.
type Score struct {
	After         int     `json:"after"` // steps of the stream learned: 0 right after the initial phase, or Untrained
	Set           int     `json:"set"`   // index into Stream.Tests
	Accuracy      float64 `json:"accuracy,omitempty"`
	AbsoluteError float64 `json:"absolute_error,omitempty"` // of counts: mean over the set's rows
	LogLikelihood float64 `json:"log_likelihood,omitempty"` // mean over the set's rows, in nats
}

// Seconds is the wall time one seed took. Where seeds train together in one program, each is given its equal share.
// Compilation is counted apart, since a program is compiled once for all seeds and steps.
type Seconds struct {
	Initial float64 `json:"initial"`
	Predict float64 `json:"predict"`
	Update  float64 `json:"update"`
	Compile float64 `json:"compile"`
}

// Total is the time spent in all phases, compilation included.
func (s Seconds) Total() float64 { return s.Initial + s.Predict + s.Update + s.Compile }

// Names of the series that a run keeps apart from Scores.
const (
	accuracy      = "accuracy"
	logLikelihood = "log_likelihood"
)

// Append adds a step's value of a metric.
func (r *Run) Append(metric string, value float64) {
	switch metric {
	case accuracy:
		r.Accuracy = append(r.Accuracy, value)
	case logLikelihood:
		r.LogLikelihood = append(r.LogLikelihood, Rounded(value))
	default:
		if r.Scores == nil {
			r.Scores = map[string][]float64{}
		}
		r.Scores[metric] = append(r.Scores[metric], Rounded(value))
	}
}

// Series are a metric's values step by step; nil where it was not measured.
func (r *Run) Series(metric string) []float64 {
	switch metric {
	case accuracy:
		return r.Accuracy
	case logLikelihood:
		return r.LogLikelihood
	}
	return r.Scores[metric]
}

// calibrationCells is how many equal cells Calibration has.
const calibrationCells = 20

// Calibrate adds intervals of probability integral transforms, within [0, 1], to Calibration.
func (r *Run) Calibrate(transforms [][2]float64) {
	if len(transforms) > 0 && r.Calibration == nil {
		r.Calibration = make([]float64, calibrationCells)
	}
	for _, t := range transforms {
		from, to := calibrationCells*t[0], calibrationCells*t[1]
		first, last := min(int(from), calibrationCells-1), min(int(to), calibrationCells-1)
		if first == last {
			r.Calibration[first]++
			continue
		}
		for cell := first; cell <= last; cell++ {
			r.Calibration[cell] += (min(to, float64(cell+1)) - max(from, float64(cell))) / (to - from)
		}
	}
}

// Rounded drops digits that float32 does not have, for the sake of the file's size.
func Rounded(value float64) float64 { return math.Round(value*1e7) / 1e7 }

// Read loads a result file. A file that is not one is an error that names it.
func Read(path string) (*File, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, errors.Wrap(err, "no result there; `phe run` makes it")
	}
	var f File
	if err := json.Unmarshal(content, &f); err != nil {
		return nil, errors.Wrapf(err, "%s is not a result file; delete it and run the spec again", path)
	}
	return &f, nil
}

// Write stores the file whole or not at all: it writes beside path and renames.
func (f *File) Write(path string) error {
	content, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return errors.Wrapf(err, "result %s", f.Name)
	}
	content = oneLine.ReplaceAllFunc(content, func(list []byte) []byte { return space.ReplaceAll(list, nil) })
	return WriteWhole(path, append(content, '\n'))
}

// A list of numbers, a score, a tally and a measurement of memory take a line each: a number a line would make a result of
// thousands of steps unreadable. All hold numbers only: texts would lose their spaces.
var (
	oneLine = regexp.MustCompile(`\[[\s\d.,eE+-]*\]|\{\s*("after"|"rows"|"step":\s*\d+,\s*"megabytes")[^{}]*\}`)
	space   = regexp.MustCompile(`\s+`)
)

// WriteWhole replaces the file at path by content in one step, so that a crash or Ctrl-C never leaves half a file.
func WriteWhole(path string, content []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return errors.Wrap(err, "cannot write there; choose another folder with --out")
	}
	defer os.Remove(temp.Name()) // fails harmlessly once renamed
	if _, err = temp.Write(content); err == nil {
		err = temp.Chmod(0o644)
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	return errors.Wrapf(err, "cannot write %s; free some space or choose another folder with --out", path)
}
