package ratings

import (
	"gophe/data/column"
	"gophe/data/cuts"
)

// Sort sorts the ratings by time. Ratings of the same second keep their order. A radix sort takes less than half the time of
// comparisons. It needs 8 more bytes a rating, which become garbage.
func (r *Ratings) Sort() {
	n := r.NumRows()
	order, scratch := byDigits(r.Seconds, cuts.Span{End: n}.Rows(), make([]int32, n))
	// The memory of each column serves the next.
	r.Seconds, scratch = reorder(scratch, r.Seconds, order)
	r.Users, scratch = reorder(scratch, r.Users, order)
	r.Movies, _ = reorder(scratch, r.Movies, order)
	r.HalfStars = column.InOrder(r.HalfStars, order)
}

// byDigits sorts the order by key, from the keys' last digit to the first. Equal keys keep their order. Keys are not negative. It
// returns the sorted slice, then the other.
func byDigits(keys, order, scratch []int32) (sorted, other []int32) {
	const bits, digits = 11, 3 // a table of 2048 starts fits the first-level cache
	for d := range digits {
		var starts [1 << bits]int32
		digit := func(key int32) int32 { return key >> (bits * d) & (1<<bits - 1) }
		for _, key := range keys {
			starts[digit(key)]++
		}
		next := int32(0)
		for i, count := range starts {
			starts[i], next = next, next+count
		}
		for _, row := range order {
			at := &starts[digit(keys[row])]
			scratch[*at] = row
			*at++
		}
		order, scratch = scratch, order
	}
	return order, scratch
}

// reorder writes the values into the first slice, in an order. It returns that slice, then the values' slice, which is free.
func reorder(into, values, order []int32) (ordered, free []int32) {
	for i, row := range order {
		into[i] = values[row]
	}
	return into, values
}
