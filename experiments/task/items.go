package task

import (
	"gophe/data/column"
	"gophe/data/tables"
	"gophe/phe/tabular"
	"slices"
)

// Itemise lists the distinct items of a table and points each categorical cell to its item.
func Itemise(t *tables.Table) tabular.Data {
	numbers, rows := len(t.Numeric), t.NumRows()
	d := tabular.Data{Numbers: make([]float32, rows*numbers), Labels: t.Labels}
	d.Items, d.ItemColumns, d.Index = itemiseColumns(t.Categorical, rows)
	for c, column := range t.Numeric {
		for row, value := range column.Values {
			d.Numbers[row*numbers+c] = float32(value)
		}
	}
	return d
}

// itemiseColumns lists the tokens of the distinct items, column by column in the order of their first appearance, and the column of
// each. index [rows, columns] points to them.
func itemiseColumns(columns []column.Categorical, rows int) (items []string, itemColumns, index []int32) {
	index = make([]int32, rows*len(columns))
	for c, own := range columns {
		first := int32(len(items))
		numbers, tokens := own.Itemise()
		for row, number := range numbers {
			index[row*len(columns)+c] = first + number
		}
		items = append(items, tokens...)
		itemColumns = append(itemColumns, slices.Repeat([]int32{int32(c)}, len(tokens))...)
	}
	return items, itemColumns, index
}
