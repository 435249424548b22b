// Package census counts the items of a stream in fixed memory, whatever the size of the vocabulary. It estimates how often an
// item was seen, lists the most frequent items, and estimates the number of different items.
//
// A count-min sketch with conservative update holds the counts (Cormode and Muthukrishnan, 2005; Estan and Varghese, 2002). An
// estimate is never below the truth. It is above the truth if the item shares all its counters with others, and Load tells how
// likely that is. A HyperLogLog holds the number of different items (Flajolet et al., 2007).
//
// No library of sketches is used: plain arrays come back from a file unchanged, and a stopped stream must continue to the last bit.
package census

import (
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"

	"gophe/phe/belief"
	"gophe/phe/hash"
)

// Census counts the items of several columns. It is not safe for concurrent use.
//
// A file holds Columns as JSON, and the rest as Parts. To load it, decode the JSON into a census of as many columns, and fill its Parts.
type Census struct {
	Columns []Column `json:"columns"`

	counts    []uint32 // count-min [sketchRows, sketchWidth]
	registers []uint8  // HyperLogLog [columns, registers]
}

// Column has the numbers of one column.
type Column struct {
	Items int64 `json:"items"` // counted
	Known int64 `json:"known"` // items that had been seen before, when they were counted
	Top   []Top `json:"top"`   // the most frequent items, most frequent first
}

const (
	sketchRows  = 4
	sketchWidth = 1 << 16 // counters of a row: 1 MiB in all
)

// New returns an empty census of a number of columns.
func New(columns int) *Census {
	return &Census{Columns: make([]Column, columns), counts: make([]uint32, sketchRows*sketchWidth),
		registers: make([]uint8, columns*registers)}
}

// Add counts an item and returns how often it was seen before. The key identifies the item in all columns. Columns that share a
// vocabulary give one item one key, and then share its count. The name is for people.
func (c *Census) Add(column int, key uint64, name string) (before int64) {
	h := mix(key)
	n := c.read(h)
	if n < math.MaxUint32 {
		c.raise(h, n+1)
	}
	p := &c.Columns[column]
	p.Items++
	if n > 0 {
		p.Known++
	}
	p.rank(key, int64(n)+1, name)
	c.register(column, h)
	return int64(n)
}

// Seen returns how often an item was seen. Up to 2³² − 1 it is never below the truth.
func (c *Census) Seen(key uint64) int64 { return int64(c.read(mix(key))) }

// counter returns the place of a hash in a row of the sketch. Each row has 16 of the hash's bits for itself.
func counter(h uint64, row int) int { return row*sketchWidth + int(h>>(16*row)&(sketchWidth-1)) }

func (c *Census) read(h uint64) uint32 {
	least := uint32(math.MaxUint32)
	for row := range sketchRows {
		least = min(least, c.counts[counter(h, row)])
	}
	return least
}

// raise lifts the counters below n. A frequent item has lifted the others already. This is the conservative update.
func (c *Census) raise(h uint64, n uint32) {
	for row := range sketchRows {
		p := &c.counts[counter(h, row)]
		*p = max(*p, n)
	}
}

// mix returns a hash of x by a step of SplitMix64. Keys may be numbers such as 0, 1, 2. Different keys have different hashes.
func mix(x uint64) uint64 { return hash.Mix(x + 0x9e3779b97f4a7c15) } // without the sum, 0 has the hash 0

// Load returns the share of counters in use. A new item finds all its counters in use, and looks known, with a probability of about Load⁴.
func (c *Census) Load() float64 {
	used := 0
	for _, n := range c.counts {
		if n > 0 {
			used++
		}
	}
	return float64(used) / float64(len(c.counts))
}

// Parts returns what JSON leaves out, for a file.
func (c *Census) Parts() []belief.Part {
	return []belief.Part{
		belief.List("census counts", c.counts),
		{Name: "census registers", Len: len(c.registers), Type: "uint16",
			Get: func(i int) (float64, float64) { return float64(c.registers[i]), 0 },
			Set: func(i int, v, _ float64) { c.registers[i] = uint8(v) }},
	}
}

// The hash's first bits choose a register, and the others are its pattern.
const (
	precision = 11             // bits
	registers = 1 << precision // number of registers of a column
)

// register adds a hash to a HyperLogLog. A register holds the largest place, at most 54, of the first 1 in the patterns that came to it.
func (c *Census) register(column int, h uint64) {
	const end = 1 << (precision - 1) // a 1 behind the pattern
	p := &c.registers[column*registers+int(h>>(64-precision))]
	*p = max(*p, uint8(bits.LeadingZeros64(h<<precision|end)+1))
}

// Cardinality returns the estimated number of different items of a column. Its standard error is 2.3 %, or less with few items.
//
// The estimator is the improved one of Ertl (2017), without its term for full registers, which no stream fills. The original
// changes from one formula to another near 5,000 items, and is 2 % too high there.
func (c *Census) Cardinality(column int) float64 {
	const m = float64(registers)
	sum, empty := 0., 0.
	for _, r := range c.registers[column*registers:][:registers] {
		if r == 0 {
			empty++
		} else {
			sum += math.Ldexp(1, -int(r))
		}
	}
	if empty == m {
		return 0
	}
	return m * m / (2 * math.Ln2 * (sum + m*ofEmpty(empty/m)))
}

// ofEmpty returns x + Σ 2^(k−1)·x^(2^k) over k ≥ 1, for x in [0, 1). Ertl calls it σ.
func ofEmpty(x float64) float64 {
	sum := x
	for factor := 1.; ; factor *= 2 {
		x *= x
		before := sum
		if sum += factor * x; sum == before {
			return sum
		}
	}
}

// Top is one of a column's most frequent items.
type Top struct {
	Name  string `json:"name"`       // at most maxName bytes; see there
	Key   uint64 `json:"key,string"` // many JSON readers take numbers for float64, which lacks some of the bits
	Count int64  `json:"count"`      // the estimate when the column had the item last
}

const (
	// MaxNamed is the number of items that a column lists.
	MaxNamed = 50
	maxName  = 200 // bytes of a listed name, since a field may be of any size; Key identifies the whole name
)

// rank puts an item's new count into the list. The list is in the order of the counts. Among equals, the first to get there stays
// first. An item outside the list had at most the list's least count when the column had it last.
func (c *Column) rank(key uint64, count int64, name string) {
	full := len(c.Top) == MaxNamed
	if full && count <= c.Top[MaxNamed-1].Count { // an item of the list has more than its old count
		return
	}
	at := 0
	for at < len(c.Top) && c.Top[at].Key != key {
		at++
	}
	switch {
	case at < len(c.Top):
		c.Top[at].Count = count
	case !full:
		c.Top = append(c.Top, Top{Short(name, maxName), key, count})
	default:
		at = MaxNamed - 1
		c.Top[at] = Top{Short(name, maxName), key, count}
	}
	for ; at > 0 && c.Top[at].Count > c.Top[at-1].Count; at-- {
		c.Top[at], c.Top[at-1] = c.Top[at-1], c.Top[at]
	}
}

// Short returns a copy of a name of at most so many bytes. A longer name is cut before a character and ends in "…". Bytes that are no
// UTF-8 become U+FFFD, since JSON would not keep them. The name itself may be part of a large record, which must not stay in memory.
func Short(name string, most int) string {
	const more = "…"
	if len(name) <= most && utf8.ValidString(name) {
		return strings.Clone(name)
	}
	var b strings.Builder
	b.Grow(most)
	for _, r := range name { // bytes that are no UTF-8 give U+FFFD
		if b.Len()+utf8.RuneLen(r) > most-len(more) {
			b.WriteString(more)
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
