package columnweight

import (
	"cmp"
	"math"
	"slices"

	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/data/tables"
	"gophe/experiments/rivals/onehot"
	"gophe/experiments/task"
)

// load reads the study's table.
func (s study) load() (*tables.Table, error) {
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

// measure fits the regression to all rows of a table and returns its categorical columns, those with the largest weights first.
// The regression is onehot.Refitted: it has a ridge penalty with C = 1, and numbers are standardised.
func measure(t *tables.Table) ([]column, error) {
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
	columns := make([]column, len(t.Categorical))
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
	slices.SortStableFunc(columns, func(a, b column) int { return cmp.Compare(b.Largest, a.Largest) })
	return columns, nil
}

// rounded keeps the digits that a page shows. The last digits of a fit differ between processors.
func rounded(x float64) float64 { return math.Round(100*x) / 100 }

// maxFrequent stands for the guess that looks at no column.
const maxFrequent = "none: always the most frequent"

// measureTelling measures all other columns of a table.
func measureTelling(dataset string, t *tables.Table, items []string) (all []telling) {
	place := map[string]int{maxFrequent: -1}
	names := []string{maxFrequent}
	for i, c := range t.Categorical {
		place[c.Name] = i
		names = append(names, c.Name)
	}
	for _, name := range names {
		of := map[string]float64{}
		for _, item := range items {
			if name != item {
				of[item] = 100 * tells(t, place[name], place[item])
			}
		}
		all = append(all, telling{dataset, name, of})
	}
	return all
}

// tells returns how well one categorical column of a table tells another one's item: the share of rows that have the most frequent item of
// those rows that share the first column's item. It is 1 where the first column repeats the second. Columns are indices into Categorical;
// with a negative first column it is the share of the most frequent item.
func tells(t *tables.Table, column, about int) float64 {
	counts := map[[2]string]int{}
	most := map[string]int{}
	for row, item := range t.Categorical[about].Values {
		given := ""
		if column >= 0 {
			given = t.Categorical[column].Values[row]
		}
		pair := [2]string{given, item}
		counts[pair]++
		most[given] = max(most[given], counts[pair])
	}
	right := 0
	for _, n := range most {
		right += n
	}
	return float64(right) / float64(t.NumRows())
}
