package tables

import (
	"slices"

	"gophe/data/uci"
)

// newTable makes a table of columns. It divides each numeric column by its maximum, as column.Numeric says.
func newTable(d uci.Declaration, c *uci.Columns) *Table {
	for _, column := range c.Numbers {
		if largest := slices.Max(column.Values); largest > 0 {
			for i := range column.Values {
				column.Values[i] /= largest
			}
		}
	}
	return &Table{Name: d.Name, Categorical: c.Items, Numeric: c.Numbers, Labels: c.Labels, Classes: slices.Clone(d.Classes),
		Incremental: c.Incremental, SHA256: c.SHA256, Verified: c.Verified, Path: c.Path}
}
