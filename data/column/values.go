package column

// BlockRows is the number of rows after which a reader takes a file for the declared one, and makes room for all its rows.
const BlockRows = 8192

// InOrder returns the values in an order.
func InOrder[T any](values []T, order []int32) []T {
	ordered := make([]T, len(order))
	for i, row := range order {
		ordered[i] = values[row]
	}
	return ordered
}
