package task

import (
	"gophe/data/column"
	"gophe/data/tables"
	"gophe/phe/tabular"
)

// Itemise lists the distinct items of a table and points each categorical cell to its item.
func Itemise(t *tables.Table) tabular.Data {
	numbers, rows := len(t.Numeric), t.NumRows()
	d := tabular.Data{Numbers: make([]float32, rows*numbers), Labels: t.Labels}
	d.Items, d.ItemColumns, d.Index = itemiseColumns(t.Categorical, rows, t.Token)
	for c, column := range t.Numeric {
		for row, value := range column.Values {
			d.Numbers[row*numbers+c] = float32(value)
		}
	}
	return d
}

// itemiseColumns lists the distinct items of columns, in order of first appearance column by column, with the column
// that each stands in; index, [rows, columns], points to them.
func itemiseColumns(columns []column.Categorical, rows int, token func(column, row int) string) (items []string, itemColumns, index []int32) {
	index = make([]int32, rows*len(columns))
	for c, column := range columns {
		known := map[string]int32{}
		for row, value := range column.Values {
			item, ok := known[value]
			if !ok {
				item = int32(len(items))
				known[value] = item
				items, itemColumns = append(items, token(c, row)), append(itemColumns, int32(c))
			}
			index[row*len(columns)+c] = item
		}
	}
	return items, itemColumns, index
}
