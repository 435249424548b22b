package experiments

import (
	_ "embed"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/pkg/errors"
	"gophe/experiments/result"
)

// Cell is one measured number beside the paper's, a mean over seeds. A nil is a number that does not exist: the paper's of
// a frozen row, a deviation of one seed.
type Cell struct {
	Item       string   `json:"item"` // the paper's table, or the result's name
	Dataset    string   `json:"dataset"`
	Method     string   `json:"method"` // with " (frozen)" where nothing was learned online
	Protocol   string   `json:"protocol"`
	Convention string   `json:"convention"`
	Metric     string   `json:"metric"`
	Paper      *float64 `json:"paper"`
	PaperSD    *float64 `json:"paper_sd"`
	Measured   *float64 `json:"measured"`
	MeasuredSD *float64 `json:"measured_sd"` // over seeds, n−1
	Seeds      int      `json:"seeds"`
	Backend    string   `json:"backend"`
	Seconds    *float64 `json:"seconds"`        // wall time a seed, compilation included
	Spec       string   `json:"spec"`           // the result that the cell is read from
	Note       string   `json:"note,omitempty"` // why it differs, where it does
}

// Deviations is how far the measured number lies from the paper's, in the paper's standard deviations; ok is false
// where the paper has none, or rounds it to 0.
func (c Cell) Deviations() (d float64, ok bool) {
	if c.Paper == nil || c.Measured == nil || c.PaperSD == nil || *c.PaperSD == 0 {
		return 0, false
	}
	return (*c.Measured - *c.Paper) / *c.PaperSD, true
}

// Differs tells whether the cell lies apart from the paper's by more than two of the paper's standard deviations and by
// at least half a point; of errors, a twentieth of a unit sold.
func (c Cell) Differs() bool {
	if c.Paper == nil || c.Measured == nil || c.PaperSD == nil {
		return false
	}
	apart, least := math.Abs(*c.Measured-*c.Paper), 0.5
	if isError(c.Metric) {
		least = 0.05
	}
	return apart > 2**c.PaperSD && apart >= least
}

//go:embed paper.json
var paperJSON []byte

type paperTable struct {
	Item, Spec, Dataset, Protocol, Metric string
	Cells                                 []struct {
		Method string
		Value  float64
		SD     *float64
	}
}

func paperTables() []paperTable {
	var tables []paperTable
	if err := json.Unmarshal(paperJSON, &tables); err != nil {
		panic(err) // embedded, and tested
	}
	return tables
}

// Compare reads the results in a folder and lays them beside the paper's numbers: every cell of the paper's
// classification study, measured or not yet, and after each table's own rows the frozen models and the trivial rivals,
// which the paper lacks.
func Compare(folder string) ([]Cell, error) {
	if _, err := os.Stat(folder); err != nil {
		return nil, errors.Wrap(err, "no results there; make some with `phe run`, or name their folder with --out")
	}
	var cells []Cell
	for _, table := range paperTables() {
		f, err := readIfThere(folder, table.Spec)
		if err != nil {
			return nil, err
		}
		for _, c := range table.Cells {
			cell := Cell{Item: table.Item, Dataset: table.Dataset, Method: c.Method, Protocol: table.Protocol,
				Metric: table.Metric, Paper: &c.Value, PaperSD: c.SD, Spec: table.Spec}
			if f != nil {
				if m := f.Method(c.Method, false); m != nil {
					cell = cell.measure(f, m)
				}
			}
			if cell.Differs() {
				cell.Note = reason(cell)
			}
			cells = append(cells, cell)
		}
		if f == nil || table.Metric == Parameters {
			continue
		}
		for i := range f.Methods {
			if m := &f.Methods[i]; m.Frozen || m.Name == Majority || m.Name == ItemMajority { // Retail's eleven rivals have tables of their own
				cells = append(cells, Cell{Item: table.Item, Metric: table.Metric, Spec: table.Spec}.measure(f, m))
			}
		}
	}
	return append(cells, computedSizes()...), nil
}

// Summary lists every method of one result by every metric of its protocol.
func Summary(f *result.File) []Cell {
	var cells []Cell
	for i := range f.Methods {
		m := &f.Methods[i]
		for _, metric := range metricsOf(m) {
			cells = append(cells, Cell{Item: f.Name, Metric: metric, Spec: f.Name}.measure(f, m))
		}
	}
	return cells
}

// readIfThere returns nil for a result that has not been made yet.
func readIfThere(folder, spec string) (*result.File, error) {
	path := filepath.Join(folder, spec+".json")
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return result.Read(path)
}

// measure fills in what was measured of a method: over the seeds whose stream is complete.
func (c Cell) measure(f *result.File, m *result.Method) Cell {
	c.Dataset, c.Method, c.Protocol, c.Convention = m.Dataset, m.Label(), m.Protocol, m.Convention
	c.Backend = f.Manifest.Backend
	c.Measured, c.MeasuredSD, c.Seeds = summarise(c.Metric, f, m)
	if c.Metric == Parameters {
		c.MeasuredSD = nil
		return c
	}
	var seconds []float64
	for _, run := range m.Runs {
		if run.Status == result.Complete {
			seconds = append(seconds, run.Seconds.Total())
		}
	}
	c.Seconds, _, _ = meanAndDeviation(seconds)
	return c
}

//go:embed reasons.json
var reasonsJSON []byte

// reason is why a cell differs from the paper's, as experiments have shown.
func reason(c Cell) string {
	var reasons []struct {
		Spec    string
		Methods []string
		Why     string
	}
	if err := json.Unmarshal(reasonsJSON, &reasons); err != nil {
		panic(err) // embedded, and tested
	}
	for _, r := range reasons {
		if r.Spec == c.Spec && (slices.Contains(r.Methods, c.Method) || len(r.Methods) == 0) {
			return r.Why
		}
	}
	return ""
}
