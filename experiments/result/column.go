package result

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/pkg/errors"

	"gophe/phe/disk/outfile"
)

// column is one list of numbers in a series file.
type column struct {
	Name   string `json:"name"` // of the series
	Runs   []int  `json:"runs"` // whose series it is
	Digits int    `json:"digits"`
	Length int    `json:"length"`
	// numbers were multiplied by 10 to the power of Digits, and are whole then. If Digits is exact, they are the bits of float64.
	numbers []int64
}

// place is where a column belongs: to a series of a run. Runs count from 1, and 0 is the stream.
type place struct {
	name string
	run  int
}

// exact, as column.Digits, keeps float64 bit for bit.
const exact = -1

// seriesDigits is the number of digits behind the point that a column keeps. It is as many as Rounded leaves.
const seriesDigits = 7

// maxRounded bounds the values of a rounded column: beyond it, a float64 has no seventh digit.
const maxRounded = 1e8

// newColumn rounds values to a number of digits, but keeps them exact if one is not finite or too large. If all are shares of denominators,
// it keeps their numerators.
func newColumn(values []float64, digits int, denominators []int) column {
	if numerators := numeratorsOf(values, denominators); numerators != nil {
		values, digits = numerators, 0
	}
	if slices.ContainsFunc(values, func(v float64) bool { return !(math.Abs(v) < maxRounded) }) {
		digits = exact
	}
	c := column{Digits: digits, Length: len(values)}
	for _, v := range values {
		if digits == exact {
			c.numbers = append(c.numbers, int64(math.Float64bits(v)))
		} else {
			c.numbers = append(c.numbers, int64(math.Round(v*math.Pow10(digits))))
		}
	}
	return c
}

// numeratorsOf returns the numerators of shares. It returns nil if a value is no share of its denominator.
func numeratorsOf(shares []float64, denominators []int) (numerators []float64) {
	for i, share := range shares {
		if i >= len(denominators) {
			return nil
		}
		numerator := math.Round(share * float64(denominators[i]))
		if numerator/float64(denominators[i]) != share || !(math.Abs(numerator) < maxRounded) {
			return nil
		}
		numerators = append(numerators, numerator)
	}
	return numerators
}

// values is the inverse of newColumn.
func (c column) values(denominators []int) (values []float64) {
	for i, v := range c.numbers {
		switch {
		case c.Digits == exact:
			values = append(values, math.Float64frombits(uint64(v)))
		case i < len(denominators):
			values = append(values, float64(v)/float64(denominators[i]))
		default:
			values = append(values, float64(v)/math.Pow10(c.Digits))
		}
	}
	return values
}

// seriesMagic begins a series file. A zstd stream follows: the columns as a line of JSON, and then the numbers of all columns in planes.
const seriesMagic = "gophe series 2\n"

var series = outfile.Kind{Name: "the series of a result", Begins: "gophe series "}

// Bounds of a file, so that a damaged one is an error and not a request for memory.
const (
	maxBody    = 1 << 28     // bytes of that stream
	maxLine    = 1 << 24     // and of its line of JSON
	maxNumbers = maxBody / 8 // of all runs; several may share a column
)

// encode makes the content of a series file, and returns how many columns it has. Columns of one name stand together, as they are alike,
// and each content stands once: the lists of trivial rivals are the same for all seeds.
func encode(columns map[place]column) (content []byte, number int, err error) {
	order := func(a, b place) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.run, b.run)) }
	var kept []column
	var all []int64
	total := 0
	for _, at := range slices.SortedFunc(maps.Keys(columns), order) {
		c := columns[at]
		total += len(c.numbers)
		i := slices.IndexFunc(kept, func(k column) bool {
			return k.Name == at.name && k.Digits == c.Digits && slices.Equal(k.numbers, c.numbers)
		})
		if i < 0 {
			i = len(kept)
			c.Name = at.name
			kept, all = append(kept, c), append(all, c.numbers...)
		}
		kept[i].Runs = append(kept[i].Runs, at.run)
	}
	line, _ := json.Marshal(kept) // texts and numbers: cannot fail
	body := slices.Concat(line, []byte("\n"), planes(all))
	if len(line) > maxLine || total > maxNumbers || len(body) > maxBody {
		return nil, 0, errors.Errorf("its series have %d numbers in %d columns, more than a file can hold; "+
			"run fewer seeds, steps or methods", total, len(kept))
	}
	return packer().EncodeAll(body, []byte(seriesMagic)), len(kept), nil
}

// packer returns the process's one encoder. It has tables of 35 MB, and a run saves its result often.
var packer = sync.OnceValue(func() *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // these options exist
	}
	return w
})

// decode returns the columns of a series file.
func decode(content []byte) (map[place]column, error) {
	packed, ok := bytes.CutPrefix(content, []byte(seriesMagic))
	if !ok {
		return nil, errors.New("it does not begin as a series file does")
	}
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBody))
	if err != nil {
		return nil, errors.WithStack(err)
	}
	defer r.Close()
	body, err := r.DecodeAll(packed, nil)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	line, rest, _ := bytes.Cut(body, []byte("\n"))
	if len(line) > maxLine {
		return nil, errors.Errorf("its columns take %d bytes of JSON, and at most %d can be", len(line), maxLine)
	}
	var kept []column
	if err := json.Unmarshal(line, &kept); err != nil {
		return nil, errors.WithStack(err)
	}
	columns, all, total := map[place]column{}, numbers(rest), 0
	for i, c := range kept {
		if c.Length < 0 || c.Length > len(all) {
			return nil, errors.Errorf("it ends within column %d of %d", i, len(kept))
		}
		if total += len(c.Runs) * c.Length; total > maxNumbers {
			return nil, errors.Errorf("it has more than %d numbers of all runs", maxNumbers)
		}
		c.numbers, all = all[:c.Length], all[c.Length:]
		for _, run := range c.Runs {
			columns[place{c.Name, run}] = c
		}
	}
	return columns, nil
}

// planes returns the lowest byte of each number, then the next one of each, and so on, with the sign as the lowest bit. Noise ends up in
// the low planes, and the high ones compress to nothing.
func planes(numbers []int64) []byte {
	planes := make([]byte, 8*len(numbers))
	for at := range planes {
		v := numbers[at%len(numbers)]
		planes[at] = byte((v<<1 ^ v>>63) >> (8 * (at / len(numbers))))
	}
	return planes
}

// numbers is the inverse of planes.
func numbers(planes []byte) []int64 {
	numbers := make([]int64, len(planes)/8)
	for i := range numbers {
		var code uint64
		for plane := range 8 {
			code |= uint64(planes[plane*len(numbers)+i]) << (8 * plane)
		}
		numbers[i] = int64(code>>1 ^ -(code & 1))
	}
	return numbers
}
