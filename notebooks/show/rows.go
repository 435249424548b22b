package show

import (
	"fmt"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Rows returns a DataFrame from rows of values and the names of the columns. The first row's values say whether a column holds
// texts, whole numbers or numbers. It ends the cell if a row has another length.
func Rows(rows [][]any, names ...string) dataframe.DataFrame {
	columns := make([]series.Series, len(names))
	for c, name := range names {
		kind, values := series.Float, make([]any, len(rows))
		for i, row := range rows {
			if len(row) != len(names) {
				Check(fmt.Errorf("row %d has %d values; the table has %d columns", i, len(row), len(names)))
			}
			values[i] = row[c]
		}
		if len(rows) > 0 {
			switch rows[0][c].(type) {
			case string:
				kind = series.String
			case int:
				kind = series.Int
			}
		}
		columns[c] = series.New(values, kind, name)
	}
	df := dataframe.New(columns...)
	Check(df.Error())
	return df
}
