package picture

import (
	"github.com/go-gota/gota/dataframe"

	"gophe/data/tables"
	"gophe/notebooks/show"
)

// ColumnItems returns a table of a data set's categorical columns: the number of items, the most frequent one, and its rows.
func ColumnItems(t *tables.Table) dataframe.DataFrame {
	list := show.NewRows("column", "items", "most frequent", "its rows")
	for _, column := range t.Categorical {
		count := map[string]int{}
		for _, item := range column.Values {
			count[item]++
		}
		frequent, rows := "", 0
		for item, n := range count {
			if n > rows || n == rows && item < frequent {
				frequent, rows = item, n
			}
		}
		list.Add(column.Name, len(count), frequent, rows)
	}
	return list.Frame()
}
