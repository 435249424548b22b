package onepass

import (
	"encoding/binary"
	"math"

	"github.com/pkg/errors"

	"gophe/phe/hash"
)

// Encoder turns records into rows: it hashes items, puts numbers into bins, and makes an item of each pair of items if the
// learner has columns for pairs. Call Item or Number for what a record has, in any order, and then Row.
//
// The identity of an item is its column and its value, each behind its length, so that no two items share one. A column
// without an item has the item "missing". An Encoder keeps no vocabulary, allocates nothing in the steady state, and is not
// safe for concurrent use.
type Encoder struct {
	config   Config
	family   hash.Family
	pairing  hash.Pairing
	prefixes [][]byte // of the columns: length and name
	missing  []uint64 // key of each column's missing item
	bins     []uint64 // keys of the columns' common bins [fields, commonBins]; 0: not computed yet
	hasSigns bool
	hasRows  bool // table W

	items   [][]uint64 // keys of the record's items by column, before the draw
	bytes   []byte
	buckets []int32
	row     Row
}

// Kinds of items.
const (
	valueItem   = 'v'
	binItem     = 'b'
	missingItem = '?'
)

// NewEncoder returns an encoder for a learner's configuration and the names of a record's columns. Config.Seed draws the
// hash functions. It returns an error if names repeat, or if their number is not the configuration's.
func NewEncoder(c Config, columns []string) (*Encoder, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(columns) != c.fields() {
		return nil, errors.Errorf("%d names of columns; this configuration has %d fields", len(columns), c.fields())
	}
	e := &Encoder{config: c, pairing: hash.NewPairing(c.Seed), hasSigns: c.Assembly == SignedSum, hasRows: c.Assembly == WeightedSum,
		items: make([][]uint64, len(columns)), bins: make([]uint64, len(columns)*commonBins)}
	weights := c.WeightRows
	if e.hasSigns {
		weights = 1 << min(c.Hashes, 30) // a sign is a bit of the weight row's number
	}
	var err error
	if e.family, err = hash.NewFamily(hash.CarterWegman, c.Hashes, c.Buckets, weights, c.Seed); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for i, name := range columns {
		if names[name] {
			return nil, errors.Errorf("column %q appears twice; give columns different names", name)
		}
		names[name] = true
		e.prefixes = append(e.prefixes, append(binary.AppendUvarint(nil, uint64(len(name))), name...))
		e.missing = append(e.missing, e.key(i, missingItem, ""))
	}
	return e, nil
}

// key returns the key of an item of a column.
func (e *Encoder) key(column int, kind byte, value string) uint64 {
	e.bytes = append(append(e.bytes[:0], e.prefixes[column]...), kind)
	e.bytes = append(binary.AppendUvarint(e.bytes, uint64(len(value))), value...)
	return hash.CarterWegman.KeyOf(e.bytes)
}

// Item adds a categorical value to the record. A column with several items counts each by its share. Any bytes are a value.
func (e *Encoder) Item(column int, value string) {
	e.items[column] = append(e.items[column], e.key(column, valueItem, value))
}

// commonBins are the bins whose keys an Encoder keeps: of −2¹⁶ to 2¹⁶.
const commonBins = 2*64 + 1

// Number adds a number to the record, as the item of its bin sign(x)⌊4 log₂(1 + |x|)⌋. NaN is missing.
func (e *Encoder) Number(column int, x float64) {
	if math.IsNaN(x) {
		return
	}
	const binsAnOctave = 4
	bin := int(math.Copysign(math.Floor(binsAnOctave*math.Log2(1+min(math.Abs(x), math.MaxFloat64))), x))
	common := bin + commonBins/2
	if common < 0 || common >= commonBins {
		e.items[column] = append(e.items[column], e.binKey(column, bin))
		return
	}
	key := &e.bins[column*commonBins+common]
	if *key == 0 {
		*key = e.binKey(column, bin)
	}
	e.items[column] = append(e.items[column], *key)
}

func (e *Encoder) binKey(column, bin int) uint64 {
	var digits [binary.MaxVarintLen64]byte
	return e.key(column, binItem, string(digits[:binary.PutVarint(digits[:], int64(bin))]))
}

// Row returns the record as a row, and begins the next record. The row is the encoder's own until the next call of Row. Its
// Numbers are the caller's to set.
func (e *Encoder) Row() *Row {
	e.row.Cells, e.buckets = e.row.Cells[:0], e.buckets[:0]
	for c := range e.items {
		if len(e.items[c]) == 0 {
			e.items[c] = append(e.items[c], e.missing[c])
		}
		share := 1 / float64(len(e.items[c]))
		for _, key := range e.items[c] {
			e.cell(c, share, e.pairing.Key(key, 0))
		}
	}
	if e.config.Columns > len(e.items) {
		e.pairs()
	}
	for c := range e.items {
		e.items[c] = e.items[c][:0]
	}
	return &e.row
}

// pairs adds the cells of the pairs of columns: pair c' < c is column fields + c(c−1)/2 + c'.
func (e *Encoder) pairs() {
	column := len(e.items)
	for c, items := range e.items {
		for _, others := range e.items[:c] {
			share := 1 / float64(len(items)*len(others))
			for _, x := range others {
				for _, y := range items {
					e.cell(column, share, e.pairing.Key(x, y))
				}
			}
			column++
		}
	}
}

// cell adds the cell of an item.
func (e *Encoder) cell(column int, share float64, key uint64) {
	from := len(e.buckets)
	e.buckets = e.family.Buckets(e.buckets, key)
	cell := Cell{Column: column, Share: share, Buckets: e.buckets[from:len(e.buckets):len(e.buckets)], Key: key}
	switch {
	case e.hasSigns:
		cell.Signs = uint64(e.family.WeightRow(key))
	case e.hasRows:
		cell.Weights = e.family.WeightRow(key)
	}
	e.row.Cells = append(e.row.Cells, cell)
}
