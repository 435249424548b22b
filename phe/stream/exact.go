package stream

import (
	"gophe/phe/belief"
	"gophe/phe/onepass"
)

// exact is a model without interactions in which every item has numbers of its own. The difference between its score and the score
// of a hashed model is the cost of hashing. The learner drops it when there are too many items.
type exact struct {
	expert
	numbers *numbering
	buckets []int32
	flat    onepass.Flat
	last    prediction // forecast of the last record
}

func newExact(d modelDesign, in *scale) (*exact, error) {
	l, err := onepass.New(d.Learner)
	return &exact{expert: expert{learner: l, scale: in, row: &onepass.Row{}}, numbers: newNumbering(d.Learner.Buckets)}, err
}

// take reads a row of another model. It returns false if an item has no room.
func (x *exact) take(row *onepass.Row) bool {
	if row.Flat != nil {
		return x.takeFlat(row.Flat)
	}
	x.row.Cells, x.buckets = x.row.Cells[:0], x.buckets[:0]
	for _, cell := range row.Cells {
		if cell.Column >= x.learner.Config().Columns {
			break // the pairs of columns come last
		}
		n, ok := x.numbers.of(cell.Key)
		if !ok {
			return false
		}
		x.buckets = append(x.buckets, n)
		x.row.Cells = append(x.row.Cells, onepass.Cell{Column: cell.Column, Share: cell.Share, Key: uint64(n)})
	}
	for i := range x.row.Cells {
		x.row.Cells[i].Buckets = x.buckets[i : i+1 : i+1]
	}
	return true
}

// takeFlat is take for a flat row.
func (x *exact) takeFlat(from *onepass.Flat) bool {
	f := &x.flat
	f.Cells, f.Slots, f.Apart = f.Cells[:0], f.Slots[:0], from.Apart
	columns := int32(x.learner.Config().Columns)
	for _, cell := range from.Cells {
		if cell.Column >= columns {
			break // the pairs of columns come last
		}
		n, ok := x.numbers.of(cell.Key)
		if !ok {
			return false
		}
		cell.Key = uint64(n)
		f.Cells, f.Slots = append(f.Cells, cell), append(f.Slots, uint32(n))
	}
	x.row.Flat = f
	return true
}

// numbering numbers keys 0, 1, … in the order in which they come, in a table of fixed size with open addressing.
type numbering struct {
	keys   []uint64 // by number
	cells  []int32  // number + 1; 0 is empty
	number int
}

func newNumbering(most int) *numbering {
	return &numbering{keys: make([]uint64, most), cells: make([]int32, 4*most)}
}

// of returns a key's number. It returns false if the key is new and there is no room.
func (n *numbering) of(key uint64) (number int32, ok bool) {
	mask := uint64(len(n.cells) - 1)
	at := key * 0x9E3779B97F4A7C15 >> 20 & mask
	for ; n.cells[at] != 0; at = (at + 1) & mask {
		if number := n.cells[at] - 1; n.keys[number] == key {
			return number, true
		}
	}
	if n.number == len(n.keys) {
		return 0, false
	}
	n.keys[n.number] = key
	n.number++
	n.cells[at] = int32(n.number)
	return int32(n.number - 1), true
}

// parts returns the numbers of an exact model for a file.
func (x *exact) parts() []belief.Part {
	half := func(name string, shift int) belief.Part {
		return belief.Part{Name: name, Len: len(x.numbers.keys), Type: belief.Uint32,
			Get: func(i int) (float64, float64) { return float64(uint32(x.numbers.keys[i] >> shift)), 0 },
			Set: func(i int, v, _ float64) {
				x.numbers.keys[i] = x.numbers.keys[i]&^(0xffffffff<<shift) | uint64(v)<<shift
			}}
	}
	return append(x.expert.parts(), half("keys, low", 0), half("keys, high", 32))
}

// renumber puts the first n keys into the cells again. A file does not hold the cells.
func (n *numbering) renumber(number int) {
	keys := n.keys[:number]
	*n = *newNumbering(len(n.keys))
	for _, key := range keys {
		n.of(key)
	}
}
