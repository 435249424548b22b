package columnweight

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/tables"
)

//go:embed tells.json
var tellsJSON []byte

// telling says how well a column tells the items that keep coming: see [tables.Table.Tells].
type telling struct {
	Dataset string             `json:"dataset"`
	Column  string             `json:"column"`
	Of      map[string]float64 `json:"of"` // by the column of items, in percent
}

// mostFrequent stands for the guess that looks at no column.
const mostFrequent = "none: always the most frequent"

// tellingItems names the columns of items that keep coming, by data set in the order of the page.
var tellingItems = []struct {
	dataset string
	items   []string
}{{"retail-12", []string{"StockCode", "CustomerID"}}, {"ml-4", []string{"movieId", "userId"}}, {"drawn", []string{"product", "user"}}}

// measureTelling measures all other columns of a table.
func measureTelling(dataset string, t *tables.Table, items []string) (all []telling) {
	place := map[string]int{mostFrequent: -1}
	names := []string{mostFrequent}
	for i, c := range t.Categorical {
		place[c.Name] = i
		names = append(names, c.Name)
	}
	for _, name := range names {
		of := map[string]float64{}
		for _, item := range items {
			if name != item {
				of[item] = 100 * t.Tells(place[name], place[item])
			}
		}
		all = append(all, telling{dataset, name, of})
	}
	return all
}

// TellsMarkdown renders how well the columns of a data set tell its items, as a test has measured it.
func TellsMarkdown(dataset string) (string, error) {
	var all []telling
	if err := json.Unmarshal(tellsJSON, &all); err != nil {
		return "", errors.Wrap(err, "reading the embedded measurements")
	}
	var b strings.Builder
	for _, of := range tellingItems {
		if of.dataset != dataset {
			continue
		}
		fmt.Fprintf(&b, "| column | tells %s, %% of rows |\n|---|%s\n", strings.Join(of.items, ", % of rows | tells "), strings.Repeat("---:|", len(of.items)))
		for _, t := range all {
			if t.Dataset != dataset {
				continue
			}
			fmt.Fprintf(&b, "| %s |", t.Column)
			for _, item := range of.items {
				if share, ok := t.Of[item]; ok {
					fmt.Fprintf(&b, " %.1f |", share)
				} else {
					b.WriteString(" – |")
				}
			}
			b.WriteString("\n")
		}
	}
	if b.Len() == 0 {
		return "", errors.Errorf("no data set %q has been measured", dataset)
	}
	return b.String(), nil
}
