package ratings

import (
	"gophe/data/column"
	"gophe/data/splits"
)

// Sort sorts the ratings by time. Ratings of the same second keep their order. A radix sort, from the last digit to the first, takes less
// than half the time of comparisons. It needs 8 more bytes a rating, which become garbage.
func (r *Ratings) Sort() {
	const bits, digits = 11, 3 // a table of 2048 starts fits the first-level cache
	order, scratch := splits.Span{End: r.NumRows()}.Rows(), make([]int32, r.NumRows())
	for d := range digits {
		digit := func(second int32) int32 { return second >> (bits * d) & (1<<bits - 1) }
		var starts [1<<bits + 1]int32
		for _, second := range r.Seconds {
			starts[digit(second)+1]++
		}
		for i := range 1 << bits {
			starts[i+1] += starts[i]
		}
		for _, row := range order {
			at := &starts[digit(r.Seconds[row])]
			scratch[*at] = row
			*at++
		}
		order, scratch = scratch, order
	}
	for _, column := range []*[]int32{&r.Seconds, &r.Users, &r.Movies} { // the memory of each column serves the next
		for i, row := range order {
			scratch[i] = (*column)[row]
		}
		*column, scratch = scratch, *column
	}
	r.HalfStars = column.InOrder(r.HalfStars, order)
}
