// Package columnweight measures the rule by which the paper chooses the column whose vocabulary changes (Supp. E.3): "we first use
// one-hot encodings to represent categorical items, and then fit a logistic regression model". The column with large weights is
// taken. It also measures how well a column tells the items of another one, which then carry little of their own.
package columnweight

import (
	"cmp"
	"math"
	"slices"

	"github.com/pkg/errors"

	"gophe/data/tables"
	"gophe/experiments/onehot"
	"gophe/experiments/task"
)

// Column holds the weights of a categorical column. The paper does not say how the weights of its items become one number, so there
// are three of them. A weight of several classes is the largest of its absolute values.
type Column struct {
	Name    string  `json:"name"`
	Items   int     `json:"items"`   // distinct items
	Largest float64 `json:"largest"` // absolute weight of any item
	Mean    float64 `json:"mean"`    // absolute weight, each item once
	ByRow   float64 `json:"by_row"`  // absolute weight, each row once: a rare item counts little
}

// Measure fits the regression to all rows of a table and returns its categorical columns, those with the largest weights first.
// The regression is onehot.Refitted: it has a ridge penalty with C = 1, and numbers are standardised.
func Measure(t *tables.Table) ([]Column, error) {
	all := make([]int32, t.NumRows())
	for i := range all {
		all[i] = int32(i)
	}
	d := task.Itemise(t)
	numbers := make([]float64, len(d.Numbers))
	for i, v := range d.Numbers {
		numbers[i] = float64(v)
	}
	fit := onehot.NewRefitted(&onehot.Table{Items: len(d.Items), Columns: len(t.Categorical), Numbers: len(t.Numeric), Classes: len(t.Classes),
		Index: d.Index, X: onehot.Standardise(numbers, len(t.Numeric), all), Labels: d.Labels}, 1)
	if err := fit.Learn(all); err != nil {
		return nil, errors.WithMessagef(err, "data set %q", t.Name)
	}
	columns := make([]Column, len(t.Categorical))
	for c, categorical := range t.Categorical {
		columns[c].Name = categorical.Name
	}
	for item, c := range d.ItemColumns {
		weight := fit.Weight(item)
		columns[c].Items++
		columns[c].Largest = max(columns[c].Largest, weight)
		columns[c].Mean += weight
	}
	for cell, item := range d.Index {
		columns[cell%len(columns)].ByRow += fit.Weight(int(item))
	}
	for c := range columns {
		columns[c].Mean = rounded(columns[c].Mean / float64(columns[c].Items))
		columns[c].ByRow = rounded(columns[c].ByRow / float64(t.NumRows()))
		columns[c].Largest = rounded(columns[c].Largest)
	}
	slices.SortStableFunc(columns, func(a, b Column) int { return cmp.Compare(b.Largest, a.Largest) })
	return columns, nil
}

// rounded keeps the digits that a page shows. The last digits of a fit differ between processors.
func rounded(x float64) float64 { return math.Round(100*x) / 100 }
