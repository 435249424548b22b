package onepass

import "gophe/phe/hash"

// Flat holds the cells of a row with signed buckets in two lists, without a list in each cell. It is the form that one logit learns
// fastest.
type Flat struct {
	Cells []flatCell
	Slots []uint32 // [cells, hashes] bucket, and its sign in the highest bit
	Apart bool     // each column has one cell, with one slot

	values []uint64 // of single columns under the first bucket function
}

// flatCell is a cell of a flat row.
type flatCell struct {
	Key    uint64
	Share  float64
	Column int32
}

const signBit = 1 << 31

// flat tells whether the rows of a configuration are flat.
func (c Config) flat() bool {
	return c.Keys == hash.Quick && c.Assembly == SignedSum && c.Outputs == 1 && c.Latents == 0 && c.Scales && c.Compact && c.Head != Poisson && c.Gamma == 1
}

// terms are what an item adds to the keys of pairs, as the first item of a pair and as the second.
type terms struct{ first, second hash.Term }

// flattening is the memory by which an Encoder makes flat rows.
type flattening struct {
	items  []terms   // of the record
	starts []int     // [fields] the column's first item among them
	sides  []terms   // [fields, tileWidth] terms of columns with one item, by where a pair begins to count
	tiles  [][]terms // [fields][numTiles] of the tiles that were used
}

func newFlattening(fields int) flattening {
	return flattening{starts: make([]int, fields), sides: make([]terms, fields*tileWidth), tiles: make([][]terms, fields)}
}

// flatten writes the record's cells into a flat row.
func (e *Encoder) flatten(row *Row) {
	if row.Flat == nil {
		row.Flat = &Flat{}
	}
	f, m := row.Flat, &e.flattening
	f.Cells, f.Slots, f.values, m.items = f.Cells[:0], f.Slots[:0], f.values[:0], m.items[:0]
	f.Apart = e.config.Hashes == 1 && !e.shares
	for c, items := range e.items {
		share := 1 / float64(len(items))
		if e.twins[c].opposite {
			share = -share
		}
		m.starts[c] = len(m.items)
		f.Apart = f.Apart && len(items) == 1
		for _, key := range items {
			t := e.family.First(&e.pairing, key)
			f.values = append(f.values, t.Value)
			e.place(f, flatCell{t.Key, share, int32(e.twins[c].of)}, t.Value)
			if len(e.pairs) > 0 {
				m.items = append(m.items, terms{t, e.family.Second(&e.pairing, key)})
			}
		}
	}
	if len(e.pairs) > 0 {
		e.flattenPairs(f)
	}
}

// place appends a cell and its slots, given its value under the first bucket function.
func (e *Encoder) place(f *Flat, c flatCell, value uint64) {
	f.Cells = append(f.Cells, c)
	f.Slots = append(f.Slots, e.family.Slot(value))
	for k := 1; k < e.config.Hashes; k++ {
		f.Slots = append(f.Slots, e.family.Slot(e.family.Value(k, c.Key)))
	}
}

// flattenPairs adds the cells of the pairs of columns.
func (e *Encoder) flattenPairs(f *Flat) {
	m := &e.flattening
	for c := range e.items {
		sides := m.sides[c*tileWidth : (c+1)*tileWidth]
		for shift := range sides {
			if e.quantiles[c] > 0 {
				sides[shift] = *e.tileTerms(c, shift)
			} else if len(e.items[c]) == 1 {
				sides[shift] = m.items[m.starts[c]]
			}
		}
	}
	n := len(f.Cells)
	f.Cells, f.Slots = grown(f.Cells, len(e.pairs)), grown(f.Slots, len(e.pairs))
	for i := range e.pairs {
		p := &e.pairs[i]
		first, second := p.Pair[0], p.Pair[1]
		if len(e.items[first]) != 1 || len(e.items[second]) != 1 || e.shares && e.opposed(first, second) {
			f.Cells, f.Slots = f.Cells[:n], f.Slots[:n]
			e.flattenPair(f, *p)
			n = len(f.Cells)
			f.Cells, f.Slots = grown(f.Cells, len(e.pairs)-i-1), grown(f.Slots, len(e.pairs)-i-1)
			continue
		}
		t := m.sides[first*tileWidth+firstShift(second)].first.Plus(m.sides[second*tileWidth+secondShift(first)].second)
		f.Cells[n] = flatCell{t.Key, 1, int32(p.Column)}
		f.Slots[n] = e.family.Slot(t.Value)
		n++
	}
	f.Cells, f.Slots = f.Cells[:n], f.Slots[:n]
}

// flattenPair adds the cells of a pair of columns of which one has several items, or which hold opponents.
func (e *Encoder) flattenPair(f *Flat, p pairColumn) {
	m, first, second := &e.flattening, p.Pair[0], p.Pair[1]
	share := 1 / float64(len(e.items[first])*len(e.items[second]))
	for i, x := range e.items[first] {
		for j, y := range e.items[second] {
			a, b, share := m.items[m.starts[first]+i], m.items[m.starts[second]+j], share
			if e.quantiles[first] > 0 {
				a = m.sides[first*tileWidth+firstShift(second)]
			}
			if e.quantiles[second] > 0 {
				b = m.sides[second*tileWidth+secondShift(first)]
			}
			if e.opposed(first, second) && x > y {
				a, b, share = b, a, -share
			}
			t := a.first.Plus(b.second)
			e.place(f, flatCell{t.Key, share, int32(p.Column)}, t.Value)
		}
	}
}

// tileTerms returns the terms of the tile in which a column's quantile lies.
func (e *Encoder) tileTerms(column, shift int) *terms {
	tiles := &e.flattening.tiles[column]
	if *tiles == nil {
		*tiles = make([]terms, numTiles)
	}
	at := e.tileOf(column, shift)
	t := &(*tiles)[at]
	if t.first.Key == 0 {
		key := e.tile(column, shift)
		*t = terms{e.family.First(&e.pairing, key), e.family.Second(&e.pairing, key)}
	}
	return t
}

// Rows ends the record of the first encoder, and writes it as a row of each encoder. The encoders must have the same columns. It costs
// little more than one row, since keys do not depend on the configuration. Each row has memory of the caller, whose content before
// does not matter.
func Rows(encoders []*Encoder, rows []*Row) {
	first := encoders[0]
	for i, e := range encoders[1:] {
		if !e.follows(first) {
			e.copy(first)
			e.rowIn(rows[i+1])
		}
	}
	first.rowIn(rows[0])
	for i, e := range encoders[1:] {
		if e.follows(first) {
			e.rowFrom(rows[i+1], rows[0])
		}
	}
}

// rowFrom writes the columns of another encoder's row, without pairs, as a row of this encoder. Both encoders must make flat rows of
// the same columns, with the same seed. It is faster than copy and rowIn.
func (e *Encoder) rowFrom(row, from *Row) {
	if row.Flat == nil {
		row.Flat = &Flat{}
	}
	f := row.Flat
	f.Cells, f.Slots, f.Apart = f.Cells[:0], f.Slots[:0], e.config.Hashes == 1 && from.Flat.Apart
	for i, value := range from.Flat.values {
		e.place(f, from.Flat.Cells[i], value)
	}
}

// follows tells whether rowFrom can make the rows of this encoder from rows of another.
func (e *Encoder) follows(other *Encoder) bool {
	return e.flat && other.flat && len(e.pairs) == 0 && e.config.Seed == other.config.Seed && len(e.items) == len(other.items)
}

// grown returns x with n more elements, of any value.
func grown[T any](x []T, n int) []T {
	for cap(x) < len(x)+n {
		x = append(x[:cap(x)], *new(T))[:len(x)]
	}
	return x[:len(x)+n]
}
