package onepass

// Row is one record as a learner reads it: its items, hashed, and its numbers. A learner keeps nothing of it.
type Row struct {
	Cells   []Cell
	Numbers []float64 // [numbers]
}

// Cell is one item of a row. A column may have several cells, or none.
type Cell struct {
	Column  int     // the column, whose weights θ the item shares
	Share   float64 // 1, or 1/n where the column has n items in this row
	Buckets []int32 // rows of table E: K of a hashed item, or the item's own one
	Weights int32   // row of table W; WeightedSum only
	Signs   uint64  // bit k tells whether bucket k counts negatively; SignedSum only
	Key     uint64  // identifies the item, uniform below 2⁶¹; Evidence only
}
