package experiments

import (
	_ "embed"
	"encoding/json"
	"math"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/stat"

	"gophe/experiments/result"
)

// Cell is one measured number beside the paper's. Accuracies are in percent, means over the stream's steps and then over seeds;
// a nil is a number that does not exist: the paper's of a frozen row, a deviation of one seed.
type Cell struct {
	Item       string   `json:"item"` // Table 1, Table 4, or Schemes, which the paper does not have
	Dataset    string   `json:"dataset"`
	Method     string   `json:"method"` // with " (frozen)" where nothing was learned online
	Protocol   string   `json:"protocol"`
	Convention string   `json:"convention"`
	Metric     string   `json:"metric"` // accuracy, log_likelihood or parameters
	Paper      *float64 `json:"paper"`
	PaperSD    *float64 `json:"paper_sd"`
	Measured   *float64 `json:"measured"`
	MeasuredSD *float64 `json:"measured_sd"` // over seeds, n−1
	Seeds      int      `json:"seeds"`
	Backend    string   `json:"backend"`
	Seconds    *float64 `json:"seconds"` // wall time a seed, compilation included

	Spec string `json:"-"` // the result that the cell is read from
}

// Deviations is how far the measured number lies from the paper's, in the paper's standard deviations; ok is false
// where the paper has none, or rounds it to 0.
func (c Cell) Deviations() (d float64, ok bool) {
	if c.Paper == nil || c.Measured == nil || c.PaperSD == nil || *c.PaperSD == 0 {
		return 0, false
	}
	return (*c.Measured - *c.Paper) / *c.PaperSD, true
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

// Compare reads the results in a folder and lays them beside the paper's numbers: every cell of the paper that this
// program can fill, measured or not yet, and after each table's own rows the frozen models, which the paper lacks.
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
					cell = cell.measure(f, *m)
				}
			}
			cells = append(cells, cell)
		}
		if f == nil || table.Metric == "parameters" {
			continue
		}
		for _, m := range f.Methods {
			if m.Frozen {
				cells = append(cells, Cell{Item: table.Item, Metric: table.Metric, Spec: table.Spec}.measure(f, m))
			}
		}
	}
	return cells, nil
}

// Summary lists every method of one result, measured by accuracy and by log-likelihood.
func Summary(f *result.File) []Cell {
	var cells []Cell
	for _, m := range f.Methods {
		for _, metric := range []string{"accuracy", "log_likelihood"} {
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
func (c Cell) measure(f *result.File, m result.Method) Cell {
	c.Dataset, c.Method, c.Protocol, c.Convention = m.Dataset, m.Label(), m.Protocol, m.Convention
	c.Backend = f.Manifest.Backend
	var perSeed, seconds []float64
	for _, run := range m.Runs {
		if run.Status != result.Complete {
			continue
		}
		switch c.Metric {
		case "accuracy":
			perSeed = append(perSeed, 100*stat.Mean(run.Accuracy, nil))
		case "log_likelihood":
			perSeed = append(perSeed, stat.Mean(run.LogLikelihood, nil))
		case "parameters":
			perSeed = append(perSeed, float64(m.Parameters))
		}
		seconds = append(seconds, run.Seconds.Total())
	}
	c.Seeds = len(perSeed)
	if c.Seeds == 0 {
		return c
	}
	mean, sd := stat.MeanStdDev(perSeed, nil)
	c.Measured = &mean
	if !math.IsNaN(sd) && c.Metric != "parameters" {
		c.MeasuredSD = &sd
	}
	if c.Metric != "parameters" {
		s := stat.Mean(seconds, nil)
		c.Seconds = &s
	}
	return c
}
