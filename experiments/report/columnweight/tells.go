package columnweight

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/pkg/errors"

	"gophe/experiments/table"
)

//go:embed tells.json
var tellsJSON []byte

// telling holds how well a column predicts the items of others: see [tables.Table.Tells].
type telling struct {
	Dataset string             `json:"dataset"`
	Column  string             `json:"column"`
	Of      map[string]float64 `json:"of"` // by the column of items, in percent
}

// tellingItems names the columns of items that keep coming, by data set in the order of the page.
var tellingItems = []struct {
	dataset string
	items   []string
}{{"retail-12", []string{"StockCode", "CustomerID"}}, {"ml-4", []string{"movieId", "userId"}}, {"drawn", []string{"product", "user"}}}

// Tells returns a table of how well the columns of a data set predict its items, as a test has measured it.
func Tells(dataset string) (table.Page, error) {
	var all []telling
	if err := json.Unmarshal(tellsJSON, &all); err != nil {
		return nil, errors.Wrap(err, "reading the embedded measurements")
	}
	for _, of := range tellingItems {
		if of.dataset != dataset {
			continue
		}
		t := table.New(1, "column", "tells "+of.items[0]+", % of rows", "tells "+of.items[1]+", % of rows")
		for _, c := range all {
			if c.Dataset == dataset {
				t.Add(c.Column, c.share(of.items[0]), c.share(of.items[1]))
			}
		}
		return t.Page(), nil
	}
	return nil, errors.Errorf("no data set %q has been measured", dataset)
}

// share returns the share of rows at which the column tells an item. A column does not tell itself.
func (t telling) share(item string) string {
	if share, ok := t.Of[item]; ok {
		return fmt.Sprintf("%.1f", share)
	}
	return "–"
}
