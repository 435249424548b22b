package data

// Batch is a set of rows of fixed size: one size for all, because a compiled step is compiled anew for each size.
type Batch struct {
	Rows []int32   // row indices; padding repeats the batch's first row
	Mask []float32 // 1 for a row, 0 for padding, which must weigh nothing in a sum or a mean
}

// Batches cuts rows, in their order, into batches of the given size, the last one padded. There are none if there are
// no rows. It copies rows, and panics if size is less than 1.
func Batches(rows []int32, size int) []Batch {
	if size < 1 {
		panic("data.Batches: size must be at least 1")
	}
	var batches []Batch
	for len(rows) > 0 {
		n := min(size, len(rows))
		b := Batch{Rows: make([]int32, size), Mask: make([]float32, size)}
		for i := range b.Rows {
			b.Rows[i] = rows[0]
			if i < n {
				b.Rows[i], b.Mask[i] = rows[i], 1
			}
		}
		batches = append(batches, b)
		rows = rows[n:]
	}
	return batches
}
