package score

// Blocks tallies a stream block by block. A block has one row at first. When there are too many blocks, neighbours join in pairs,
// and all blocks are twice as long from then on.
type Blocks struct {
	Size  int64   `json:"size"`  // rows of a block; the last block may have fewer
	Tally []Tally `json:"tally"` // in the order of the stream
}

// maxBlocks is even, so that the blocks join in pairs. After a join, a block holds at most 1/250 of the stream.
const maxBlocks = 500

// Add adds a row's outcome.
func (b *Blocks) Add(o Outcome, weight float64) {
	if b.Size == 0 {
		b.Size = 1
	}
	if n := len(b.Tally); n == 0 || b.Tally[n-1].Rows == b.Size {
		if n == maxBlocks {
			b.join()
		}
		b.Tally = append(b.Tally, Tally{})
	}
	b.Tally[len(b.Tally)-1].Add(o, weight)
}

func (b *Blocks) join() {
	for i := range maxBlocks / 2 {
		b.Tally[i] = b.Tally[2*i]
		b.Tally[i].merge(b.Tally[2*i+1])
	}
	b.Tally = b.Tally[:maxBlocks/2]
	b.Size *= 2
}

// rows returns the number of rows.
func (b *Blocks) rows() (n int64) {
	for _, t := range b.Tally {
		n += t.Rows
	}
	return n
}

// Late returns the tally of the rows after the first tenth of the stream. Most items are new in the first tenth. The cut is the
// first border between blocks at or after the tenth. It comes late by less than one row, or less than 1/250 of the stream.
func (b *Blocks) Late() (late Tally) {
	seen, rows := int64(0), b.rows()
	for _, t := range b.Tally {
		if 10*seen >= rows {
			late.merge(t)
		}
		seen += t.Rows
	}
	return late
}

// Parts returns the stream in n ≥ 1 parts with about equal numbers of blocks. There are fewer parts if there are fewer blocks.
func (b *Blocks) Parts(n int) []Tally {
	n = min(n, len(b.Tally))
	parts := make([]Tally, n)
	for i, t := range b.Tally {
		parts[i*n/len(b.Tally)].merge(t)
	}
	return parts
}
