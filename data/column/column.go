// Package column holds columns of a data set in memory, and numbers their items.
package column

import "slices"

// Categorical holds the texts of a file's column.
type Categorical struct {
	Name   string
	Values []string
}

// Numeric holds values divided by the column's maximum over the whole table.
//
// The authors' code divides them, although the maximum includes rows that the stream has not shown yet.
// We do the same because the reported numbers rest on it. A column whose maximum is not positive is not divided
// (the declared files have no such column).
type Numeric struct {
	Name   string
	Values []float64
}

// Itemise numbers the items of the rows from 0, in the order of their first appearance, and returns the token of each item.
func (c Categorical) Itemise() (numbers []int32, tokens []string) {
	numbers, distinct := Number(c.Values)
	items := Categorical{c.Name, distinct}
	for i := range distinct {
		tokens = append(tokens, items.Token(i))
	}
	return numbers, tokens
}

// Token returns the token `<column>_<value>` of the item in a row, which a model hashes.
func (c Categorical) Token(row int) string { return c.Name + "_" + c.Values[row] }

// BlockRows is the number of rows after which a reader takes a file for the declared one, and makes room for all its rows.
const BlockRows = 8192

// Append appends a value to the column of a file that is declared to have a number of rows. It makes room for them all if the file is
// not small: columns that grow by doubling would leave as much garbage again.
func Append[T any](values *[]T, value T, declared int) {
	if len(*values) == BlockRows {
		*values = slices.Grow(*values, declared)
	}
	*values = append(*values, value)
}

// InOrder returns the values in an order.
func InOrder[T any](values []T, order []int32) []T {
	ordered := make([]T, len(order))
	for i, row := range order {
		ordered[i] = values[row]
	}
	return ordered
}
