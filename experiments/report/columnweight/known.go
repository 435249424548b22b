// Package columnweight shows the rule by which the paper chooses the column whose vocabulary changes (Supp. E.3): "we first use one-hot
// encodings to represent categorical items, and then fit a logistic regression model". The column with large weights is taken. The package
// also shows how well a column tells the items of another one, which then carry little of their own. Its tests measure both.
package columnweight

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/pkg/errors"

	"gophe/experiments/table"
)

// column holds the weights of a categorical column. The paper does not say how the weights of its items become one number, so there
// are three of them. A weight of several classes is the largest of its absolute values.
type column struct {
	Name    string  `json:"name"`
	Items   int     `json:"items"`   // distinct items
	Largest float64 `json:"largest"` // absolute weight of any item
	Mean    float64 `json:"mean"`    // absolute weight, each item once
	ByRow   float64 `json:"by_row"`  // absolute weight, each row once: a rare item counts little
}

// study is a data set with the column that the paper chose.
type study struct {
	Name    string `json:"name"`              // as a page says it
	Dataset string `json:"dataset"`           // of package tables
	Without string `json:"without,omitempty"` // a column that is left out
	Chosen  string `json:"chosen"`            // by the paper (Supp. E.3)

	Columns []column `json:"columns"` // as a test measured them
}

//go:embed known.json
var knownJSON []byte

// known returns the studies with their measured columns. A test measures them again.
func known() (studies []study, err error) {
	return studies, errors.Wrap(json.Unmarshal(knownJSON, &studies), "known.json")
}

// maxShown bounds the columns of a data set that a page shows.
const maxShown = 3

// Table returns a table of the first columns of each study. The paper's choice is bold and always shown.
func Table() (table.Page, error) {
	studies, err := known()
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
			} else if i >= maxShown {
				continue
			}
			t.Add(fmt.Sprintf("%s, %d. %s", s.Name, i+1, name), c.Items, two(c.Largest), two(c.Mean), two(c.ByRow))
		}
	}
	return t.Page(), nil
}
