package result

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/pkg/errors"
)

// A column is one list of numbers in a series file. It is a byte for its kind, a varint for the kind's parameter, a varint
// for the number of values, a byte for the width, and then the values' bytes in planes: first the lowest byte of each value,
// then the next one of each, and so on. Noise ends up in the low planes, and the high ones compress to nothing.
type column struct {
	kind       byte
	parameter  int   // of fixed and residuals: digits behind the point; of ratios: the number of the column of denominators
	references []int // of residuals: the columns whose mean is taken off
	values     []int64
}

// Kinds of columns.
const (
	integers  = 'i' // each as its difference from the one before
	fixed     = 'f' // numbers rounded to a number of digits behind the point
	residuals = 'd' // the same, less the mean of other columns of that kind: a day that is hard for one seed is hard for all
	ratios    = 'r' // numerators over the integers of another column; exact
	exact     = 'x' // float64, bit for bit
)

// seriesDigits is the number of digits behind the point that a fixed column keeps. It is as many as Rounded leaves.
const seriesDigits = 7

// maxFixed bounds the values of a fixed column: beyond it, a float64 has no seventh digit.
const maxFixed = 1e8

func integerColumn(values []int) column {
	c := column{kind: integers}
	before := 0
	for _, v := range values {
		c.values = append(c.values, int64(v-before))
		before = v
	}
	return c
}

// floatColumn rounds to a number of digits, but keeps numbers exact that are not finite or too large.
func floatColumn(values []float64, digits int) column {
	c := column{kind: fixed, parameter: digits}
	for _, v := range values {
		if !(math.Abs(v) < maxFixed) {
			return exactColumn(values)
		}
		c.values = append(c.values, int64(math.Round(v*math.Pow10(digits))))
	}
	return c
}

func exactColumn(values []float64) column {
	c := column{kind: exact}
	for _, v := range values {
		c.values = append(c.values, int64(math.Float64bits(v)))
	}
	return c
}

// ratioColumn stores shares of denominators, which column number of holds. Shares that are none are kept as floats.
func ratioColumn(values []float64, denominators []int, number int) column {
	if len(values) != len(denominators) {
		return exactColumn(values)
	}
	c := column{kind: ratios, parameter: number}
	for i, v := range values {
		n := math.Round(v * float64(denominators[i]))
		if n/float64(denominators[i]) != v {
			return exactColumn(values)
		}
		c.values = append(c.values, int64(n))
	}
	return c
}

// less returns a fixed column as residuals from the mean of others that have as many values and digits. It returns the column itself if
// there are none.
func (c column) less(others []reference) column {
	r := column{kind: residuals, parameter: c.parameter}
	var lists [][]int64
	for _, other := range others {
		if other.parameter == c.parameter && len(other.values) == len(c.values) {
			lists, r.references = append(lists, other.values), append(r.references, other.number)
		}
	}
	if len(lists) == 0 {
		return c
	}
	for i, v := range c.values {
		r.values = append(r.values, v-meanAt(lists, i))
	}
	return r
}

// meanAt returns the mean of the values of lists at one place.
func meanAt(lists [][]int64, at int) (mean int64) {
	for _, list := range lists {
		mean += list[at]
	}
	return mean / int64(len(lists))
}

// signed reports whether the values may be negative. They are stored as zigzag codes then.
func (c column) signed() bool { return c.kind == integers || c.kind == fixed || c.kind == residuals }

// codes returns the values as the file has them.
func (c column) codes() []uint64 {
	codes := make([]uint64, len(c.values))
	for i, v := range c.values {
		if codes[i] = uint64(v); c.signed() {
			codes[i] = uint64(v<<1) ^ uint64(v>>63)
		}
	}
	return codes
}

// bits estimates the room that the values take.
func (c column) bits() (sum int) {
	for _, code := range c.codes() {
		sum += bits.Len64(code)
	}
	return sum
}

// encode is the column's bytes.
func (c column) encode() []byte {
	codes := c.codes()
	var most uint64
	for _, code := range codes {
		most |= code
	}
	out := binary.AppendUvarint([]byte{c.kind}, uint64(c.parameter))
	if c.kind == residuals {
		out = append(out, byte(len(c.references)))
		for _, number := range c.references {
			out = binary.AppendUvarint(out, uint64(number))
		}
	}
	width := (bits.Len64(most) + 7) / 8
	out = append(binary.AppendUvarint(out, uint64(len(codes))), byte(width))
	for plane := range width {
		for _, code := range codes {
			out = append(out, byte(code>>(8*plane)))
		}
	}
	return out
}

// maxValues bounds a column, so that a damaged count is an error and not a request for memory.
const maxValues = 1 << 24

// maxReferences is the number of columns whose mean is taken off a series: the seeds of a study.
const maxReferences = 5

// parser takes numbers off the bytes of a file. After an error it returns zeros.
type parser struct {
	rest []byte
	err  error
}

// require sets the error unless a condition holds or there is one already.
func (p *parser) require(holds bool, message string, args ...any) {
	if !holds && p.err == nil {
		p.rest, p.err = nil, errors.Errorf(message, args...)
	}
}

// next takes n bytes.
func (p *parser) next(n int) (taken []byte) {
	if p.require(n <= len(p.rest), "it ends early"); p.err != nil {
		return make([]byte, min(n, 1))
	}
	taken, p.rest = p.rest[:n], p.rest[n:]
	return taken
}

// count takes a varint that is at most maxValues.
func (p *parser) count() int {
	v, size := binary.Uvarint(p.rest)
	p.require(size > 0 && v <= maxValues, "a count is damaged")
	if p.err != nil {
		return 0
	}
	p.next(size)
	return int(v)
}

// column takes the next column.
func (p *parser) column() (c column) {
	c.kind, c.parameter = p.next(1)[0], p.count()
	if c.kind == residuals {
		n := p.next(1)[0]
		p.require(0 < n && n <= maxReferences, "%d references of a column", n)
		for range n {
			c.references = append(c.references, p.count())
		}
	}
	n, width := p.count(), int(p.next(1)[0])
	if p.require(width <= 8, "a column of %d values of %d bytes", n, width); p.err != nil {
		return c
	}
	codes := make([]uint64, n)
	for shift := range width {
		for i, b := range p.next(n) {
			codes[i] |= uint64(b) << (8 * shift)
		}
	}
	for _, code := range codes {
		if c.signed() {
			code = code>>1 ^ -(code & 1)
		}
		c.values = append(c.values, int64(code))
	}
	return c
}
