package cuts

// Test is a set of rows that are never learned.
type Test struct {
	Name  string
	Items []string // items of the incremental column in these rows
	Train int      // number of rows of these items, with the same meaning, that the stream teaches, Initial included
	Rows  []int32
}

// Chunks cuts rows into chunks of chunkRows, at most maxSteps (0: all). The last chunk may be shorter. A single row at the end
// is dropped.
func Chunks(rows []int32, chunkRows, maxSteps int) [][]int32 {
	var cut [][]int32
	for len(rows) >= 2 && (maxSteps == 0 || len(cut) < maxSteps) {
		n := min(chunkRows, len(rows))
		cut = append(cut, rows[:n:n])
		rows = rows[n:]
	}
	return cut
}
