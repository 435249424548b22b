package tables

import (
	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"gophe/data/column"
)

// Frame returns a copy of rows [from, to), which must exist, as a gota DataFrame. It has the categorical columns as texts, the
// numeric columns, then the label's class. Use it to look at rows and to group them. Models read the columns themselves.
func (t *Table) Frame(from, to int) dataframe.DataFrame {
	var columns []series.Series
	for _, c := range t.Categorical {
		columns = append(columns, series.New(c.Values[from:to], series.String, c.Name))
	}
	for _, c := range t.Numeric {
		columns = append(columns, series.New(c.Values[from:to], series.Float, c.Name))
	}
	classes := column.InOrder(t.Classes, t.Labels[from:to])
	return dataframe.New(append(columns, series.New(classes, series.String, "class"))...)
}
