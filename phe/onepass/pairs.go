package onepass

import (
	"slices"

	"gophe/phe/hash"
)

// PairColumn is the column of a pair of fields. Each pair of their items is an item of the column.
type PairColumn struct {
	Pair          [2]int // the fields, the smaller first
	Column        int
	opposed       bool // the fields hold opponents
	first, second int  // sides of the fields: field · tileWidth + where the pair begins to count its tiles
}

// joined returns the pairs of a configuration. Without Pairs, the pair c' < c is column fields + c(c−1)/2 + c'.
func (in Inputs) joined() (all []PairColumn) {
	if in.Columns <= in.fields() {
		return nil
	}
	pairs := in.Pairs
	if pairs == nil {
		fields := make([]int, in.fields())
		for i := range fields {
			fields[i] = i
		}
		pairs = pairsOf(fields)
	}
	for i, p := range pairs {
		first, second := 5*p[1]%tileWidth, (3*p[0]+1)%tileWidth // where the pair begins to count the tiles of its fields
		all = append(all, PairColumn{Pair: p, Column: in.fields() + i, first: p[0]*tileWidth + first, second: p[1]*tileWidth + second})
	}
	return all
}

// placePairs adds the cells of the pairs of columns to a row. A pair has one slot.
func (e *Encoder) placePairs(row *Row) {
	for c, side := range e.terms {
		for shift := range tileWidth {
			if e.quantiles[c] > 0 {
				side = e.tile(c, shift)
			}
			e.sides[c*tileWidth+shift] = side
		}
	}
	quick := e.keys == hash.Quick
	for i := range e.pairs {
		p := &e.pairs[i]
		firsts, seconds := e.sides[p.first], e.sides[p.second]
		if quick && !p.opposed && len(firsts) == 1 && len(seconds) == 1 {
			t := firsts[0].first.Plus(seconds[0].second)
			row.Cells, row.Slots = append(row.Cells, Cell{t.Key, 1, int32(p.Column), 0}), append(row.Slots, e.family.Slot(t.Value))
			continue
		}
		share := 1 / float64(len(firsts)*len(seconds))
		for i := range firsts {
			for j := range seconds {
				a, b, share := &firsts[i], &seconds[j], share
				if p.opposed && e.items[p.Pair[0]][i] > e.items[p.Pair[1]][j] {
					a, b, share = b, a, -share // an effect of x against y is one of y against x with the other sign
				}
				e.place(row, Cell{Column: int32(p.Column), Share: share}, a.first.Plus(b.second))
			}
		}
	}
}

// terms are an item's summands of the keys of pairs, as the first item of a pair and as the second.
type terms struct{ first, second hash.Term }

// quantiles is the number of quantiles of a number that Encoder.Quantile takes.
const quantiles = 64

// A tile of a pair joins tileWidth quantiles, so there is one tile more than quantiles/tileWidth.
const (
	tileWidth = 4
	numTiles  = quantiles/tileWidth + 1
)

// Quantile sets the quantile of the record's number in its column. The number then takes part in pairs by a tile: a few
// neighbouring quantiles. Each pair begins to count its tiles at another quantile. Together, the pairs of a column therefore
// tell more values apart than one pair does (tile coding).
func (e *Encoder) Quantile(column, quantile int) { e.quantiles[column] = 1 + quantile }

// tile returns the terms of the tile in which a column's quantile lies.
func (e *Encoder) tile(column, shift int) []terms {
	if e.tiles[column] == nil {
		e.tiles[column] = make([]terms, numTiles)
	}
	at := (e.quantiles[column] - 1 + shift) / tileWidth
	t := &e.tiles[column][at]
	if t.first.Key == 0 {
		const beyondBins = 1 << 20 // tiles are other items than bins
		key := e.binKey(column, beyondBins+at)
		*t = terms{e.family.First(key), e.family.Second(key)}
	}
	return e.tiles[column][at : at+1]
}

// Pairs returns the pairs that take part, by column.
func (e *Encoder) Pairs() []PairColumn { return slices.Clone(e.pairs) }

// Keep leaves out all pairs of the configuration except the pairs of some columns.
func (e *Encoder) Keep(columns []int) {
	e.pairs = slices.DeleteFunc(e.pairs, func(p PairColumn) bool { return !slices.Contains(columns, p.Column) })
}
