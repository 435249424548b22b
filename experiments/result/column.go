package result

import (
	"bufio"
	"encoding/binary"
	"io"
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
	values     []uint64
}

// Kinds of columns.
const (
	integers  = 'i' // each as the zigzag code of its difference from the one before
	fixed     = 'f' // numbers rounded to a number of digits behind the point, as zigzag codes
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
		c.values = append(c.values, zigzag(int64(v-before)))
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
		c.values = append(c.values, zigzag(int64(math.Round(v*math.Pow10(digits)))))
	}
	return c
}

func exactColumn(values []float64) column {
	c := column{kind: exact}
	for _, v := range values {
		c.values = append(c.values, math.Float64bits(v))
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
		c.values = append(c.values, uint64(n))
	}
	return c
}

// scaled are the integers that a fixed column holds.
func (c column) scaled() []int64 {
	values := make([]int64, len(c.values))
	for i, v := range c.values {
		values[i] = unzigzag(v)
	}
	return values
}

// less returns a fixed column as residuals from the mean of others, whose scaled values and numbers are given.
func (c column) less(others [][]int64, numbers []int) column {
	r := column{kind: residuals, parameter: c.parameter, references: numbers}
	mean := meanOf(others)
	for i, v := range c.scaled() {
		r.values = append(r.values, zigzag(v-mean[i]))
	}
	return r
}

func meanOf(lists [][]int64) []int64 {
	mean := make([]int64, len(lists[0]))
	for i := range mean {
		for _, list := range lists {
			mean[i] += list[i]
		}
		mean[i] /= int64(len(lists))
	}
	return mean
}

// bits estimates the room that the values take.
func (c column) bits() (sum int) {
	for _, v := range c.values {
		sum += bits.Len64(v)
	}
	return sum
}

// list holds the values of a column: whole numbers, or numbers with their scaled integers if the column is fixed.
type list struct {
	counts []int
	values []float64
	scaled []int64
}

// decode returns the column's values. before holds the values of the columns before it, to which residuals and ratios refer.
func (c column) decode(before []list) (l list, err error) {
	switch c.kind {
	case integers:
		sum := 0
		for _, v := range c.values {
			sum += int(unzigzag(v))
			l.counts = append(l.counts, sum)
		}
	case ratios:
		if c.parameter >= len(before) || len(before[c.parameter].counts) != len(c.values) {
			return l, errors.Errorf("ratios refer to column %d, which does not fit", c.parameter)
		}
		for i, v := range c.values {
			l.values = append(l.values, float64(v)/float64(before[c.parameter].counts[i]))
		}
	case exact:
		for _, v := range c.values {
			l.values = append(l.values, math.Float64frombits(v))
		}
	case fixed, residuals:
		l.scaled = c.scaled()
		var others [][]int64
		for _, other := range c.references {
			if other >= len(before) || len(before[other].scaled) != len(c.values) {
				return l, errors.Errorf("residuals refer to column %d, which does not fit", other)
			}
			others = append(others, before[other].scaled)
		}
		if len(others) > 0 {
			for i, v := range meanOf(others) {
				l.scaled[i] += v
			}
		}
		for _, v := range l.scaled {
			l.values = append(l.values, float64(v)/math.Pow10(c.parameter))
		}
	default:
		return l, errors.Errorf("a column of unknown kind %q", c.kind)
	}
	return l, nil
}

// encode is the column's bytes.
func (c column) encode() []byte {
	var most uint64
	for _, v := range c.values {
		most |= v
	}
	width := 0
	for ; most > 0; most >>= 8 {
		width++
	}
	out := []byte{c.kind}
	out = binary.AppendUvarint(out, uint64(c.parameter))
	if c.kind == residuals {
		out = append(out, byte(len(c.references)))
		for _, number := range c.references {
			out = binary.AppendUvarint(out, uint64(number))
		}
	}
	out = binary.AppendUvarint(out, uint64(len(c.values)))
	out = append(out, byte(width))
	for plane := range width {
		for _, v := range c.values {
			out = append(out, byte(v>>(8*plane)))
		}
	}
	return out
}

// maxValues bounds a column, so that a damaged count is an error and not a request for memory.
const maxValues = 1 << 24

// readColumn reads the next column; io.EOF where there is none.
func readColumn(r *bufio.Reader) (c column, err error) {
	if c.kind, err = r.ReadByte(); err != nil {
		return c, err
	}
	parameter, err := binary.ReadUvarint(r)
	if err != nil {
		return c, early(err)
	}
	if c.kind == residuals {
		if c.references, err = readReferences(r); err != nil {
			return c, early(err)
		}
	}
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return c, early(err)
	}
	width, err := r.ReadByte()
	if err != nil {
		return c, early(err)
	}
	if n > maxValues || width > 8 || parameter > maxValues {
		return c, errors.Errorf("a column of %d values of %d bytes", n, width)
	}
	c.parameter, c.values = int(parameter), make([]uint64, n)
	plane := make([]byte, n)
	for shift := range int(width) {
		if _, err := io.ReadFull(r, plane); err != nil {
			return c, early(err)
		}
		for i, b := range plane {
			c.values[i] |= uint64(b) << (8 * shift)
		}
	}
	return c, nil
}

func readReferences(r *bufio.Reader) ([]int, error) {
	n, err := r.ReadByte()
	if err == nil && (n == 0 || n > maxReferences) {
		err = errors.Errorf("%d references of a column", n)
	}
	var references []int
	for range n {
		var number uint64
		if err == nil {
			number, err = binary.ReadUvarint(r)
		}
		references = append(references, int(min(number, maxValues)))
	}
	return references, err
}

// maxReferences is the number of columns whose mean is taken off a series: the seeds of a study.
const maxReferences = 5

// early turns an end inside a column into an error that io.EOF is not.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func zigzag(v int64) uint64   { return uint64(v<<1) ^ uint64(v>>63) }
func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }
