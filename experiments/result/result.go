// Package result reads and writes the results of runs. [OpenFolder] opens a folder of results, [Folder.Get] finds one by the name of its
// spec, and [File.LoadSeries] reads its series.
//
// A result has two files. NAME.json is readable: it says how the numbers were made and holds the summary of every seed. NAME.series holds
// the score of every step as compressed columns. Tables, figures and notebooks read only these files.
package result

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"gophe/phe/belief"
)

// format is the version of the files that this package writes and reads.
const format = 2

// Status of a run, and of a file (the least finished of its runs).
const (
	Complete = "complete" // every step is there
	Partial  = "partial"  // stopped early; `phe run --resume` continues it
	Diverged = "diverged" // a parameter or score stopped being finite at step DivergedAt
)

// File is the content of <out>/<spec name>.json and, once [File.LoadSeries] has read them, of its series.
type File struct {
	Schema   int      `json:"schema"`
	Name     string   `json:"name"` // the spec's
	Status   string   `json:"status"`
	Manifest Manifest `json:"manifest"`
	Stream   Stream   `json:"stream"`
	Series   SeriesID `json:"series"`
	Methods  []Method `json:"methods"`

	path   string // that it was read from; empty if it was not
	absent bool   // the series have not been read
}

// SeriesID identifies the series file of a result, so that no other one is taken for it.
type SeriesID struct {
	SHA256  string `json:"sha256"`
	Columns int    `json:"columns"`
}

// Stream describes the data of the methods.
type Stream struct {
	Initial int      `json:"initial"`           // rows of the initial phase
	Steps   int      `json:"steps"`             // updates that follow
	Changes []Change `json:"changes,omitempty"` // where something new begins, ascending in Step
	Tests   []Test   `json:"tests,omitempty"`   // fixed sets of rows that Run.Tests scores

	// Series.
	Days  []string `json:"-"` // the date of each step, YYYY-MM-DD, where steps are days
	Users []int    `json:"-"` // users seen by the end of each step, including the initial phase; ratings only
}

// Change is the first step that shows something new.
type Change struct {
	Step int    `json:"step"`
	What string `json:"what"`
}

// Test is a fixed set of rows that tests a model's knowledge.
type Test struct {
	Name  string   `json:"name"`            // group 1, …
	Items []string `json:"items,omitempty"` // of the incremental column, where the set is theirs
	Train int      `json:"train,omitempty"` // rows of its kind that are learned in all
	Rows  int      `json:"rows"`            // rows of the set
}

// Table says how the columns of a user's file were read.
type Table struct {
	Schema      json.RawMessage `json:"schema"`      // as `phe stream --show-schema` prints it
	Categorical []string        `json:"categorical"` // names of the columns of items
	Numeric     []string        `json:"numeric"`     // and of numbers
	Classes     []string        `json:"classes"`
	Incremental string          `json:"incremental"` // column of the items that keep coming
	Rows        int             `json:"rows"`
	LeftOut     int             `json:"left_out,omitempty"` // rows that the spec leaves out, or that have no target
}

// Manifest says how the numbers came about, so that another machine can make them again.
type Manifest struct {
	Spec         json.RawMessage   `json:"spec"`
	SpecHash     string            `json:"spec_hash"` // SHA-256 of Spec in canonical form
	Commit       string            `json:"commit"`
	Versions     map[string]string `json:"versions"`            // Go and the modules that do the arithmetic
	Processor    string            `json:"processor,omitempty"` // empty in results of earlier versions
	Backend      string            `json:"backend"`
	Device       string            `json:"device"`
	Dataset      string            `json:"dataset"`
	DataSHA256   string            `json:"data_sha256"` // of the uncompressed file
	DataVerified bool              `json:"data_verified"`
	Table        *Table            `json:"table,omitempty"`     // of a user's file
	SizedFor     int               `json:"sized_for,omitempty"` // items of its initial rows, if they chose the encoder in Spec
	// Own names the caller's own methods, with their Go types. The spec alone cannot make their numbers again.
	Own          map[string]string `json:"own,omitempty"`
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
	// TotalParameters counts all numbers that the method keeps: tables, head, covariances and rows; 0 where nobody has counted.
	TotalParameters int    `json:"total_parameters,omitempty"`
	HashSeed        int64  `json:"hash_seed,omitempty"` // of the functions that were chosen among several draws
	Hash            string `json:"hash"`                // SHA-256 of all in the spec that its runs depend on
	Runs            []Run  `json:"runs"`                // ascending in Seed
}

// Base is the first word of the name: variations of one method, such as "PHE B=3" and "PHE B=7", share it.
func (m *Method) Base() string {
	base, _, _ := strings.Cut(m.Name, " ")
	return base
}

// Budget splits the name of a method that keeps a memory, such as "PHE, 32 KB, without items". kilobytes is 0 for a name without a
// memory, and without reports whether the method lacks the items that keep coming.
func (m *Method) Budget() (base string, kilobytes int, without bool) {
	base, without = strings.CutSuffix(m.Name, ", without items")
	name, size, found := strings.Cut(base, ", ")
	if number, ok := strings.CutSuffix(size, " KB"); found && ok {
		if n, err := strconv.Atoi(number); err == nil {
			return name, n, without
		}
	}
	return base, 0, without
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
	if at, ok := m.find(seed); ok {
		return &m.Runs[at]
	}
	return nil
}

func (m *Method) find(seed int64) (at int, ok bool) {
	return slices.BinarySearchFunc(m.Runs, seed, func(r Run, seed int64) int { return cmp.Compare(r.Seed, seed) })
}

// Put stores a seed's run, in place of one that is there, in order of seeds.
func (m *Method) Put(run Run) {
	at, ok := m.find(run.Seed)
	if ok {
		m.Runs[at] = run
		return
	}
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
	Seed       int64  `json:"seed"`
	Status     string `json:"status"`
	DivergedAt int    `json:"diverged_at,omitempty"` // step, where Status is Diverged
	Scored     int    `json:"scored"`                // number of steps that were scored; Write counts it

	// Summary holds the metrics of a complete run by name, in the units of the tables: shares in percent. They were taken
	// of the scores as computed, before a series lost its last digits.
	Summary map[string]float64 `json:"summary,omitempty"`
	// Tallies add up the absolute errors of a recommender by the number of earlier ratings of the user, or of the film: none, 1, 2 to 4, 5
	// to 9, more. "user first" counts all that the stream showed before, "user learned" only earlier days. The film's are named alike.
	Tallies      map[string][]Tally `json:"tallies,omitempty"`
	InitialSteps int                `json:"initial_steps"`
	UpdateSteps  int                `json:"update_steps"`
	Seconds      Seconds            `json:"seconds"`

	// Series. Runs read from a file may share them: append to none.
	Rows          []int                `json:"-"` // rows scored at each step
	Accuracy      []float64            `json:"-"` // share of rows classified right, in [0, 1]
	LogLikelihood []float64            `json:"-"` // mean log predictive probability of the label, in nats; of counts, of whole windows
	Scores        map[string][]float64 `json:"-"` // everything else that was measured at each step, by the metric's name
	// Calibration counts the scores in equal cells of their probability integral transform, from 0 to 1. Each count is
	// spread over its interval (Czado, Gneiting and Held, 2009): calibrated forecasts fill the cells evenly.
	Calibration []float64 `json:"-"`
	Memory      []Memory  `json:"-"` // memory of the whole process now and then, other work included
	Prediction  []float64 `json:"-"` // of a number, where the target is one (Supp. F)
	Tests       []Score   `json:"-"` // of the fixed sets, ascending in After
}

// Memory is a measurement of the process's resident memory.
type Memory struct {
	Step      int     // number of steps done
	Megabytes float64 // MiB
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
	After         int // number of steps of the stream learned: 0 right after the initial phase, or Untrained
	Set           int // index into Stream.Tests
	Accuracy      float64
	AbsoluteError float64 // of counts: mean over the set's rows
	LogLikelihood float64 // mean over the set's rows, in nats
}

// Seconds is the wall time one seed took. Where seeds train together in one program, each is given its equal share.
// Compilation is counted apart, since a program is compiled once for all seeds and steps. A file has whole microseconds.
type Seconds struct {
	Initial float64 `json:"initial"`
	Predict float64 `json:"predict"`
	Update  float64 `json:"update"`
	Compile float64 `json:"compile"`
}

// Total is the time spent in all phases, compilation included.
func (s Seconds) Total() float64 { return s.Initial + s.Predict + s.Update + s.Compile }

// MarshalJSON leaves out the digits that no clock gives.
func (s Seconds) MarshalJSON() ([]byte, error) {
	type plain Seconds // without this method
	for _, t := range []*float64{&s.Initial, &s.Predict, &s.Update, &s.Compile} {
		*t = math.Round(*t*1e6) / 1e6
	}
	return json.Marshal(plain(s))
}

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

// Join joins a step's value with a metric's last value, by their numbers of rows. The run's last number of rows is without the step's.
func (r *Run) Join(metric string, rows int, value float64) {
	series, before := r.Series(metric), float64(r.Rows[len(r.Rows)-1])
	last := &series[len(series)-1]
	sum := *last*before + value*float64(rows)
	if metric == accuracy {
		sum = math.Round(sum) // rows that are right
	}
	*last = sum / (before + float64(rows))
	if metric != accuracy {
		*last = Rounded(*last)
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

// Weights returns the steps' numbers of rows, which weigh their values.
func (r *Run) Weights() []float64 { return belief.Converted[float64](r.Rows) }

// calibrationCells is the number of equal cells of Calibration.
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
