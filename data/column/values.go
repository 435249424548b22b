package column

import "slices"

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
