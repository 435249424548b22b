package onepass

import (
	"encoding/binary"
	"math"

	"github.com/pkg/errors"

	"gophe/phe/hash"
)

// Encoder turns records into rows. It hashes items, puts numbers into bins, and makes an item of each pair of items if the model
// has columns for pairs. Call Item or Number for each value of the record, in any order, and then Row.
//
// An item is identified by its column and its value, each with its length in front, so different items have different identities. A
// column without an item gets the item "missing". An Encoder keeps no vocabulary and, after the first records, allocates no memory.
// It is not safe for concurrent use.
type Encoder struct {
	config   Config
	columns  []string
	keys     hash.Variant
	family   hash.Family
	pairing  hash.Pairing
	prefixes [][]byte // length and name of each column
	missing  []uint64 // key of each column's missing item
	bins     []uint64 // keys of the columns' common bins [fields, commonBins]; 0: not computed yet
	hasSigns bool
	hasRows  bool   // table W
	twins    []twin // [fields]

	flat       bool // rows are flat
	shares     bool // a column shares the items of another
	flattening flattening

	pairs     []pairColumn // the pairs of fields that take part
	quantiles []int        // [fields] 1 + the quantile of the record's number; 0 without one
	tiles     [][]uint64   // keys of tiles [fields][numTiles]; nil without a quantile so far, 0: not computed yet

	items [][]uint64 // keys of the record's items by column, before the draw
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
// the hash functions. It returns an error if names repeat, or if their number does not match the configuration.
func NewEncoder(c Config, columns []string) (*Encoder, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(columns) != c.fields() {
		return nil, errors.Errorf("there are %d names of columns; this configuration has %d fields", len(columns), c.fields())
	}
	keys := c.Keys
	if keys == "" {
		keys = hash.CarterWegman
	}
	e := &Encoder{config: c, columns: columns, row: &Row{}, flat: c.flat(), flattening: newFlattening(len(columns)), keys: keys, pairing: hash.NewPairing(c.Seed), hasSigns: c.Assembly == SignedSum, hasRows: c.Assembly == WeightedSum,
		pairs: c.joined(), quantiles: make([]int, len(columns)), tiles: make([][]uint64, len(columns)),
		items: make([][]uint64, len(columns)), bins: make([]uint64, len(columns)*commonBins)}
	weights := c.WeightRows
	if e.hasSigns {
		weights = 1 << min(c.Hashes, 30) // a sign is a bit of the weight row's number
	}
	var err error
	if e.family, err = hash.NewFamily(keys, c.Hashes, c.Buckets, weights, c.Seed); err != nil {
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
		e.twins = append(e.twins, twin{of: i})
	}
	return e, nil
}

// Same makes a column share the items of another column. The receivers of payments, for example, share the items of the senders,
// and knowledge about an item then holds in both columns. With opposite the item counts negatively, such as a player of the other
// side. The pair of the two columns then changes its sign if the items change places. Call Same before the first record. It panics
// if a column is its own twin or already has one, and if the model has no signs.
func (e *Encoder) Same(column, as int, opposite bool) {
	if column == as || e.twins[column].of != column || e.twins[as].of != as || !e.hasSigns {
		panic(errors.Errorf("onepass: column %d cannot share the items of column %d, %+v", column, as, e.twins))
	}
	e.twins[column], e.shares = twin{as, opposite}, true
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

// copy copies the current record of another encoder with the same columns, before that encoder's Row.
func (e *Encoder) copy(from *Encoder) {
	for c, keys := range from.items {
		e.items[c] = append(e.items[c], keys...)
	}
	copy(e.quantiles, from.quantiles)
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

// Row returns the record as a row and begins the next record. The row is valid until the next call of Row. The caller may set its
// Numbers.
func (e *Encoder) Row() *Row {
	for c := range e.items {
		if len(e.items[c]) == 0 {
			e.items[c] = append(e.items[c], e.missing[c])
		}
	}
	if e.flat {
		e.flatten(e.row)
	} else {
		e.cells()
	}
	for c := range e.items {
		e.items[c] = e.items[c][:0]
	}
	clear(e.quantiles)
	return e.row
}

// cells makes the record's cells.
func (e *Encoder) cells() {
	e.row.Cells, e.row.buckets = e.row.Cells[:0], e.row.buckets[:0]
	for c, items := range e.items {
		share := 1 / float64(len(items))
		if e.twins[c].opposite {
			share = -share
		}
		for _, key := range items {
			e.cell(e.twins[c].of, share, e.pairing.Key(key, 0))
		}
	}
	for _, p := range e.pairs {
		e.join(p)
	}
}

// rowIn is Row with memory of the caller, to which the row belongs. Its content before does not matter.
func (e *Encoder) rowIn(row *Row) {
	own := e.row
	e.row = row
	e.Row()
	e.row = own
}

// Alone returns the row of a single item, and the item's key. The row has no cell for other columns.
func (e *Encoder) Alone(column int, value string) (row *Row, key uint64) {
	own := e.row
	defer func() { e.row = own }()
	e.row = &Row{}
	key = e.key(column, valueItem, value)
	share := 1.0
	if e.twins[column].opposite {
		share = -1
	}
	e.cell(e.twins[column].of, share, e.pairing.Key(key, 0))
	return e.row, key
}

// sides puts the items of opponents into one order. An effect of x against y is then, with the other sign, an effect of y against
// x.
func (e *Encoder) sides(c, d int, x, y uint64, share float64) (first, second uint64, signed float64) {
	if e.opposed(c, d) && x > y {
		return y, x, -share
	}
	return x, y, share
}

// opposed tells whether two columns hold opponents.
func (e *Encoder) opposed(c, d int) bool {
	a, b := e.twins[c], e.twins[d]
	return a.of == b.of && a.opposite != b.opposite
}

// cell adds the cell of an item.
func (e *Encoder) cell(column int, share float64, key uint64) {
	from := len(e.row.buckets)
	cell := Cell{Column: column, Share: share, Key: key}
	if e.hasSigns {
		e.row.buckets, cell.Signs = e.family.Signed(e.row.buckets, key)
	} else {
		e.row.buckets = e.family.Buckets(e.row.buckets, key)
	}
	if e.hasRows {
		cell.Weights = e.family.WeightRow(key)
	}
	cell.Buckets = e.row.buckets[from:len(e.row.buckets):len(e.row.buckets)]
	e.row.Cells = append(e.row.Cells, cell)
}
