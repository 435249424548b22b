package experiments

import (
	"gophe/data"
	"gophe/phe/tabular"
)

// itemise lists the distinct items of a table, in order of first appearance column by column, and points each
// categorical cell to its item.
func itemise(t *data.Table) tabular.Data {
	columns, numbers, rows := len(t.Categorical), len(t.Numeric), t.NumRows()
	d := tabular.Data{
		Index:   make([]int32, rows*columns),
		Numbers: make([]float32, rows*numbers),
		Labels:  t.Labels,
	}
	for c, column := range t.Categorical {
		items := map[string]int32{}
		for row, value := range column.Values {
			item, known := items[value]
			if !known {
				item = int32(len(d.Items))
				items[value] = item
				d.Items = append(d.Items, t.Token(c, row))
				d.ItemColumns = append(d.ItemColumns, int32(c))
			}
			d.Index[row*columns+c] = item
		}
	}
	for c, column := range t.Numeric {
		for row, value := range column.Values {
			d.Numbers[row*numbers+c] = float32(value)
		}
	}
	return d
}

// fit fills in what a model's configuration takes from the data.
func fit(c tabular.Config, t *data.Table) tabular.Config {
	c.Columns, c.Numbers = len(t.Categorical), len(t.Numeric)
	c.Classes, c.Incremental = len(t.Classes), t.Incremental
	return c
}
