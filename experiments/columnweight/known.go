package columnweight

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/data/tables"
	"gophe/experiments/table"
)

// Study is a data set with the column that the paper chose.
type Study struct {
	Name    string `json:"name"`              // as a page says it
	Dataset string `json:"dataset"`           // of package tables
	Without string `json:"without,omitempty"` // a column that is left out
	Chosen  string `json:"chosen"`            // by the paper (Supp. E.3)

	Columns []Column `json:"columns"` // as Measure returned them
}

// Load reads the study's table.
func (s Study) Load() (*tables.Table, error) {
	t, err := tables.Load(s.Dataset, files.Options{})
	if err != nil || s.Without == "" {
		return t, err
	}
	var kept []string
	for _, c := range t.Categorical {
		kept = append(kept, c.Name)
	}
	for _, c := range t.Numeric {
		kept = append(kept, c.Name)
	}
	return t.Select(slices.DeleteFunc(kept, func(name string) bool { return name == s.Without }))
}

//go:embed known.json
var knownJSON []byte

// Known returns the studies with their measured columns. A test measures them again.
func Known() (studies []Study, err error) {
	return studies, errors.Wrap(json.Unmarshal(knownJSON, &studies), "known.json")
}

// mostShown bounds the columns of a data set that a page shows.
const mostShown = 3

// Table returns a table of the first columns of each study. The paper's choice is bold, and is there in any case.
func Table() (table.Page, error) {
	studies, err := Known()
	if err != nil {
		return nil, err
	}
	t := table.New(1, "data, column", "items", "largest weight", "mean of items", "mean of rows")
	two := func(weight float64) string { return fmt.Sprintf("%.2f", weight) }
	for _, s := range studies {
		for i, c := range s.Columns {
			name := c.Name
			if name == s.Chosen {
				name = "**" + name + "**"
			} else if i >= mostShown {
				continue
			}
			t.Add(fmt.Sprintf("%s, %d. %s", s.Name, i+1, name), c.Items, two(c.Largest), two(c.Mean), two(c.ByRow))
		}
	}
	return t.Page(), nil
}
