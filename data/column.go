package data

import "strings"

// CategoricalColumn holds the texts of a file's column.
type CategoricalColumn struct {
	Name   string
	Values []string
}

// NumericColumn holds values divided by the column's maximum over the whole table.
//
// The authors' code divides them, although the maximum includes rows that the stream has not shown yet.
// We do the same because the reported numbers rest on it. A column whose maximum is not positive is not divided
// (the declared files have no such column).
type NumericColumn struct {
	Name   string
	Values []float64
}

// Token returns the token `<column>_<value>` of the item in a row, which a model hashes.
func (c CategoricalColumn) Token(row int) string { return c.Name + "_" + c.Values[row] }

// blockRows is the number of rows that are read at a time. gota's frame of a block is several times as large as the columns kept.
const blockRows = 8192

// intern makes equal values share memory, in place. A value as read keeps its whole line in memory.
func intern(shared map[string]string, values []string) []string {
	for i, v := range values {
		s, ok := shared[v]
		if !ok {
			s = strings.Clone(v)
			shared[s] = s
		}
		values[i] = s
	}
	return values
}

// inOrder returns the values in an order.
func inOrder[T any](values []T, order []int32) []T {
	ordered := make([]T, len(order))
	for i, row := range order {
		ordered[i] = values[row]
	}
	return ordered
}
