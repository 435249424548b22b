package cell

import (
	"fmt"
	"math"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Rows is a table that a cell fills row by row.
type Rows struct {
	names []string
	rows  [][]any
}

// NewRows returns a table without rows, with the names of its columns.
func NewRows(names ...string) *Rows { return &Rows{names: names} }

// Add adds a row: a string, an int or a float64 for each column, of the same type as in the first row.
func (r *Rows) Add(cells ...any) {
	if len(cells) != len(r.names) {
		Check(fmt.Errorf("a row has %d cells in a table of %d columns", len(cells), len(r.names)))
	}
	r.rows = append(r.rows, cells)
}

// Frame returns the table as a DataFrame.
func (r *Rows) Frame() dataframe.DataFrame {
	var columns []series.Series
	for i, name := range r.names {
		kind, values := series.String, make([]any, len(r.rows))
		for n, row := range r.rows {
			values[n] = row[i]
			switch row[i].(type) {
			case float64:
				kind = series.Float
			case int:
				kind = series.Int
			}
		}
		columns = append(columns, series.New(values, kind, name))
	}
	return dataframe.New(columns...)
}

// Value returns a number that may not exist, such as the deviation of a single seed. It is then not a number, which Table shows as a dash.
func Value(number *float64) float64 {
	if number == nil {
		return math.NaN()
	}
	return *number
}
