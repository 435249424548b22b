package report

import (
	_ "embed"
	"encoding/json"
)

//go:embed paper.json
var paperJSON []byte

// paperTable is a row of a table of the paper, with the result that it is compared with.
type paperTable struct {
	Item, Spec, Dataset, Protocol, Metric string

	For        string // the paper's data set that this one stands in for; empty where it is the paper's
	Row        string // the paper's data set if Dataset is another cut of it
	Substitute string // the result that fills the cells as long as Spec's is not there
	Variant    string // what tells this result from another of the same table and data set; empty where it is the only one
	Repeats    string // the table of the paper whose numbers these are: of the result, only these methods belong here

	Cells []struct {
		Method string
		Value  *float64 // nil where the paper prints a dash
		SD     *float64
	}
}

// paperTables returns the rows of all tables of the paper.
func paperTables() []paperTable {
	var tables []paperTable
	if err := json.Unmarshal(paperJSON, &tables); err != nil {
		panic(err) // embedded, and tested
	}
	return tables
}
