package column

import "strings"

// BlockRows is the number of rows that are read at a time. gota's frame of a block is several times as large as the columns kept.
const BlockRows = 8192

// Intern makes equal values share memory, in place. A value as read keeps its whole line in memory.
func Intern(shared map[string]string, values []string) []string {
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

// InOrder returns the values in an order.
func InOrder[T any](values []T, order []int32) []T {
	ordered := make([]T, len(order))
	for i, row := range order {
		ordered[i] = values[row]
	}
	return ordered
}
