// Package column holds columns of a data set in memory, and numbers their items.
package column

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
