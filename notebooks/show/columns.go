package show

import (
	"fmt"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// List collects a table row by row.
type List struct {
	names []string
	rows  [][]any
}

// Columns begins a list with the names of its columns.
func Columns(names ...string) *List { return &List{names: names} }

// Add adds a row: a string, an int or a float64 for each column, of the same type as in the first row.
func (l *List) Add(cells ...any) {
	if len(cells) != len(l.names) {
		Check(fmt.Errorf("a row has %d cells in a table of %d columns", len(cells), len(l.names)))
	}
	l.rows = append(l.rows, cells)
}

// Frame returns the list as a DataFrame.
func (l *List) Frame() dataframe.DataFrame {
	var columns []series.Series
	for i, name := range l.names {
		kind := series.String
		values := make([]any, len(l.rows))
		for r, row := range l.rows {
			values[r] = row[i]
		}
		if len(values) > 0 {
			switch values[0].(type) {
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
