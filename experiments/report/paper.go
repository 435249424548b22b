package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"sync"

	"gophe/experiments/measure"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
)

//go:embed paper.json
var paperJSON []byte

// paperTable is a row of a table of the paper, with the result that it is compared with.
type paperTable struct {
	Item, Spec, Dataset, Protocol, Metric string

	For        string // the paper's data set that this one replaces; empty where it is the paper's
	Row        string // the paper's data set if Dataset is another cut of it
	Substitute string // the result that fills the cells as long as Spec's is not there
	Variant    string // distinguishes results of one table and data set; empty where there is only one
	Text       string // the results by the paper's text
	Repeats    string // the table whose result this row repeats; it shows the frozen models of its own methods only

	Cells []struct {
		Method string
		Value  *float64 // nil where the paper prints a dash
		SD     *float64
	}
}

// paperTables returns the rows of all tables of the paper.
var paperTables = embedded[[]paperTable](paperJSON)

// inPaper returns the paper's number of a method and its digits, from the first of the wanted rows that has it.
func inPaper(method string, wanted func(*paperTable) bool) (e measure.Estimate, digits int) {
	for _, t := range paperTables() {
		for _, c := range t.Cells {
			if c.Method == method && c.Value != nil && wanted(&t) {
				return measure.Estimate{Mean: c.Value, SD: c.SD}, measure.Named(t.Metric).Paper
			}
		}
	}
	return e, 0
}

// embedded returns the function that returns the content of an embedded file, which it reads once.
func embedded[T any](content []byte) func() T {
	return sync.OnceValue(func() (all T) {
		decoder := json.NewDecoder(bytes.NewReader(content))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&all); err != nil {
			panic(err) // tests read each file
		}
		return all
	})
}

// sizing is a data set whose embedding module is counted from its configuration (Table 4): its data, or its result, is not here.
type sizing struct {
	dataset    string
	b, k, d, p int
	vocabulary int     // distinct items
	phe, pee   float64 // the paper's sizes
	ratio      float64 // of the two
}

// sizings holds the sizes of Supp. G.3 and Sec. 4.1. Retail's vocabulary is counted in data/uci/retail.csv.zst, in rows with
// Quantity > 0. TestLoad of package sales counts 3,941 StockCodes, 4,340 CustomerIDs with the missing one, and 38 countries.
// MovieLens-32M's is GroupLens' own statement: 200,948 users and 87,585 films. Table 4 counts MovieLens with d = 20.
var sizings = []sizing{
	{"retail", 109, 3, 20, 109, 8319, 5014, 332760, 0.02},
	{"ml-32m", 10009, 3, 20, 10009, 288533, 460414, 11541320, 0.04},
}

// computedSizes returns the cells of Table 4 that are counted, and the ratios that Table 1 has too.
func computedSizes() []Cell {
	var cells []Cell
	add := func(item, dataset, method, metric string, paper, computed float64) {
		counted := Quantity{item, dataset, method, "none", protocol.Paper, metric}
		cells = append(cells, Cell{Quantity: counted, published: dataset, Paper: &paper, Measured: &computed, InPaper: true})
	}
	for _, s := range sizings {
		hashed := phe.Config{Estimate: phe.Posterior, Rows: phe.Hashed, EmbeddingDim: s.d, NumBuckets: s.b, NumHashes: s.k, NumWeights: s.p}
		expanded := phe.Config{Estimate: phe.Posterior, Rows: phe.Vocabulary, EmbeddingDim: s.d, Capacity: s.vocabulary}
		small, large := float64(hashed.NumParameters()), float64(expanded.NumParameters())
		add("Table 4", s.dataset, "PHE", measure.Parameters, s.phe, small)
		add("Table 4", s.dataset, "P-EE", measure.Parameters, s.pee, large)
		add("Table 4", s.dataset, "PHE / P-EE", measure.CompressionRatio, s.ratio, small/large)
		add("Table 1", s.dataset, "PHE / P-EE", measure.CompressionRatio, s.ratio, small/large)
	}
	return cells
}
