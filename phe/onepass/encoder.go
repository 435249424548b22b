package onepass

import (
	"cmp"
	"encoding/binary"
	"math"

	"github.com/pkg/errors"

	"gophe/phe/hash"
)

// Encoder turns records into rows. It hashes items, puts numbers into bins, and makes an item of each pair of items if the model
// has columns for pairs. Call Item or Number for each value of the record, in any order, and then Row.
//
// An item is its column and its value, each with its length in front, so different items differ. A column without an item gets the item
// "missing". An Encoder keeps no vocabulary and, after the first records, allocates no memory. It is not safe for concurrent use.
type Encoder struct {
	keys     hash.Variant
	family   hash.Family
	prefixes [][]byte // length and name of each column
	missing  []uint64 // key of each column's missing item
	bins     []uint64 // keys of the columns' common bins [fields, commonBins]; 0: not computed yet
	twins    []twin   // [fields]

	pairs     []PairColumn // the pairs of fields that take part
	quantiles []int        // [fields] 1 + the quantile of the record's number; 0 without one
	tiles     [][]terms    // [fields][numTiles] of the tiles that were used

	// For the record:
	items [][]uint64 // keys of its items by column
	terms [][]terms  // of its items by column, if there are pairs
	sides [][]terms  // [fields, tileWidth] terms by which a column takes part in a pair, by where the pair begins to count its tiles
	bytes []byte
	row   *Row
}

// twin says that a column shares the items of another column.
type twin struct {
	of       int // the other column, or the column itself without Same
	opposite bool
}

// Kinds of items.
const (
	valueItem   = 'v'
	binItem     = 'b'
	missingItem = '?'
)

// NewEncoder returns an encoder for a model's configuration. columns are the names of a record's columns, and Config.Seed draws
// the hash functions. It returns an error if names repeat, if their number does not match the configuration, or for another assembly than
// SignedSum: the rows of preset Paper are made by an encoder of package phe.
func NewEncoder(c Config, columns []string) (*Encoder, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(columns) != c.fields() {
		return nil, errors.Errorf("there are %d names of columns; this configuration has %d fields", len(columns), c.fields())
	}
	keys := cmp.Or(c.Keys, hash.CarterWegman)
	if c.Assembly != SignedSum {
		return nil, errors.Errorf("assembly is %q; an encoder makes rows for %q", c.Assembly, SignedSum)
	}
	signs := 1 << min(c.Hashes, 30) // a sign is a bit of the weight row's number
	family, err := hash.NewFamily(keys, c.Hashes, c.Buckets, signs, c.Seed)
	if err != nil {
		return nil, err
	}
	e := &Encoder{keys: keys, family: family, bins: make([]uint64, len(columns)*commonBins), pairs: c.joined(),
		quantiles: make([]int, len(columns)), tiles: make([][]terms, len(columns)), items: make([][]uint64, len(columns)),
		terms: make([][]terms, len(columns)), sides: make([][]terms, len(columns)*tileWidth), row: &Row{}}
	names := map[string]bool{}
	for i, name := range columns {
		if names[name] {
			return nil, errors.Errorf("column %q appears twice; give columns different names", name)
		}
		names[name] = true
		e.prefixes = append(e.prefixes, append(binary.AppendUvarint(nil, uint64(len(name))), name...))
		e.missing = append(e.missing, e.key(i, missingItem, ""))
		e.twins = append(e.twins, twin{of: i})
	}
	return e, nil
}

// Same makes a column share the items of another column. The receivers of payments, for example, share the items of the senders, so that
// both columns know an item. With opposite the item counts negatively, such as a player of the other side. The pair of the two columns then
// changes its sign if the items change places. Call Same before the first record. It panics if a column is its own twin or already has one.
func (e *Encoder) Same(column, as int, opposite bool) {
	if column == as || e.twins[column].of != column || e.twins[as].of != as {
		panic(errors.Errorf("onepass: column %d cannot share the items of column %d, %+v", column, as, e.twins))
	}
	e.twins[column] = twin{as, opposite}
	for i := range e.pairs {
		p := &e.pairs[i]
		a, b := e.twins[p.Pair[0]], e.twins[p.Pair[1]]
		p.opposed = a.of == b.of && a.opposite != b.opposite
	}
	e.prefixes[column] = e.prefixes[as]
	e.missing[column] = e.missing[as]
	clear(e.bins[column*commonBins : (column+1)*commonBins])
}

// key returns the key of an item of a column.
func (e *Encoder) key(column int, kind byte, value string) uint64 {
	e.bytes = append(append(e.bytes[:0], e.prefixes[column]...), kind)
	e.bytes = append(binary.AppendUvarint(e.bytes, uint64(len(value))), value...)
	return e.keys.KeyOf(e.bytes)
}

// Item adds a categorical value to the record. Several items of a column count by equal shares. A value may hold any bytes. Item
// returns the item's key. Two items share a key with a probability of about 2⁻⁶¹.
func (e *Encoder) Item(column int, value string) (key uint64) {
	key = e.key(column, valueItem, value)
	e.items[column] = append(e.items[column], key)
	return key
}

// commonBins is the number of bins whose keys an Encoder caches. They cover −2¹⁶ to 2¹⁶.
const commonBins = 2*64 + 1

// Number adds a number to the record as the item of its bin sign(x)⌊4 log₂(1 + |x|)⌋. NaN counts as missing.
func (e *Encoder) Number(column int, x float64) {
	if math.IsNaN(x) {
		return
	}
	const binsAnOctave = 4
	e.Bin(column, int(math.Copysign(math.Floor(binsAnOctave*math.Log2(1+min(math.Abs(x), math.MaxFloat64))), x)))
}

// Bin adds a number to the record as the item of a bin that the caller chose.
func (e *Encoder) Bin(column, bin int) {
	key := new(uint64) // of a rare bin
	if common := bin + commonBins/2; common >= 0 && common < commonBins {
		key = &e.bins[column*commonBins+common]
	}
	if *key == 0 {
		*key = e.binKey(column, bin)
	}
	e.items[column] = append(e.items[column], *key)
}

func (e *Encoder) binKey(column, bin int) uint64 {
	var digits [binary.MaxVarintLen64]byte
	return e.key(column, binItem, string(digits[:binary.PutVarint(digits[:], int64(bin))]))
}

// Row returns the record as a row, whose Numbers the caller may set, and begins the next record. It is valid until the next call of Row.
func (e *Encoder) Row() *Row {
	e.write(e.row)
	return e.row
}

// write ends the record, and writes it into a row of the caller. The row's content before does not matter.
func (e *Encoder) write(row *Row) {
	row.Cells, row.Slots, row.values = row.Cells[:0], row.Slots[:0], row.values[:0]
	for c, keys := range e.items {
		if len(keys) == 0 {
			keys = append(keys, e.missing[c])
			e.items[c] = keys
		}
		e.terms[c] = e.terms[c][:0]
		for _, key := range keys {
			t := e.family.First(key)
			row.values = append(row.values, t.Value)
			e.place(row, e.single(c, len(keys)), t)
			if len(e.pairs) > 0 {
				e.terms[c] = append(e.terms[c], terms{t, e.family.Second(key)})
			}
		}
	}
	if len(e.pairs) > 0 {
		e.placePairs(row)
	}
	for c := range e.items {
		e.items[c] = e.items[c][:0]
	}
	clear(e.quantiles)
}

// single returns the cell of one of a column's n items, without its key.
func (e *Encoder) single(column, n int) Cell {
	c := Cell{Column: int32(e.twins[column].of), Share: 1 / float64(n)}
	if e.twins[column].opposite {
		c.Share = -c.Share
	}
	return c
}

// place adds a cell and its slots to a row.
func (e *Encoder) place(row *Row, c Cell, t hash.Term) {
	c.Key = t.Key
	row.Cells, row.Slots = append(row.Cells, c), e.family.Slots(row.Slots, t)
}

// Rows ends the record of the first encoder, and writes it as a row of each encoder. The others must have the same columns and seed, and no
// pairs. It costs little more than one row, since keys do not depend on the configuration. Each row is the caller's, of any content.
func Rows(encoders []*Encoder, rows []*Row) {
	first := rows[0]
	encoders[0].write(first)
	for i, e := range encoders[1:] {
		row := rows[1+i]
		row.Cells, row.Slots = row.Cells[:0], row.Slots[:0]
		for k, value := range first.values {
			c := first.Cells[k]
			e.place(row, c, hash.Term{Key: c.Key, Value: value})
		}
	}
}

// Alone returns the row of a single item, and the item's key. The row has no cell for other columns.
func (e *Encoder) Alone(column int, value string) (row *Row, key uint64) {
	key, row = e.key(column, valueItem, value), &Row{}
	e.place(row, e.single(column, 1), e.family.First(key))
	return row, key
}
