package columnweight

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/data/tables"
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

// Markdown returns a table of the first columns of each study. The paper's choice is bold, and is there in any case.
func Markdown() (string, error) {
	studies, err := Known()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| data, column | items | largest weight | mean of items | mean of rows |\n|---|---:|---:|---:|---:|\n")
	for _, s := range studies {
		for i, c := range s.Columns {
			name := c.Name
			if name == s.Chosen {
				name = "**" + name + "**"
			} else if i >= mostShown {
				continue
			}
			fmt.Fprintf(&b, "| %s, %d. %s | %d | %.2f | %.2f | %.2f |\n", s.Name, i+1, name, c.Items, c.Largest, c.Mean, c.ByRow)
		}
	}
	return b.String(), nil
}
