// Package clustertest supplies a belief and a stream of rows that test package cluster. [Linear] has an exact posterior, so a row that
// was lost or counted twice shows in it.
package clustertest

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/floats"

	"gophe/phe/hash"
	"gophe/phe/internal/fold"
)

// The model of [Linear]: an item points at an entry of a table, and the answer is the entry with Gaussian noise. Each entry has a Gaussian
// belief. They have 350 natural parameters. The classifier of the paper's Adult study has 346 parameters.
const (
	entries, items uint64 = 175, 5000
	priorVariance         = 4.0
	noiseVariance         = 0.25
)

// rowBytes is the size of a row: its number, its item and its answer.
const rowBytes = 24

// uniform returns a number from 0 to 1 for any number.
func uniform(z uint64) float64 {
	return float64(hash.Mix(z+0x9e3779b97f4a7c15)>>11) / (1 << 53)
}

// Chunk returns the rows of a chunk, from 1, of a stream of a number of rows in chunks of a size. It is empty after the last chunk.
// Popular items come often.
func Chunk(number, rows, size uint64) []byte {
	var b []byte
	for row := (number - 1) * size; row < min(number*size, rows); row++ {
		item := uint64(float64(items) * math.Pow(uniform(row^0xabcdef), 3))
		answer := uniform(item%entries+1<<40) + uniform(row) - 0.5
		for _, field := range []uint64{row, item, math.Float64bits(answer)} {
			b = binary.LittleEndian.AppendUint64(b, field)
		}
	}
	return b
}

// Count returns the number of rows of a chunk and the wrapping sum of their hashes.
func Count(chunk []byte) (rows, fingerprint uint64, err error) {
	if len(chunk)%rowBytes != 0 {
		return 0, 0, errors.Errorf("a chunk has %d bytes, and a row has %d", len(chunk), rowBytes)
	}
	for ; len(chunk) > 0; chunk = chunk[rowBytes:] {
		rows++
		fingerprint += fold.RowHash(binary.LittleEndian.Uint64(chunk), chunk[:rowBytes])
	}
	return rows, fingerprint, nil
}

// Linear is the belief in natural parameters, in which Bayes' rule is addition. It implements [fold.Shared].
type Linear struct {
	Natural []float64 // of each entry: mean by variance, and one by variance
	// Cost is the time that a row takes elsewhere, such as on another machine. Learn sleeps for it.
	Cost time.Duration
}

// New returns the prior.
func New() *Linear {
	l := &Linear{Natural: make([]float64, 2*entries)}
	for i := range entries {
		l.Natural[2*i+1] = 1 / priorVariance
	}
	return l
}

// Open returns the belief that MarshalBinary wrote.
func Open(b []byte) (fold.Shared, error) {
	natural, err := decode(b)
	return &Linear{Natural: natural}, err
}

// Learn implements [fold.Shared].
func (l *Linear) Learn(chunk []byte) (fold.Contribution, error) {
	rows, fingerprint, err := Count(chunk)
	if err != nil {
		return fold.Contribution{}, err
	}
	time.Sleep(time.Duration(rows) * l.Cost)
	return fold.Contribution{Rows: rows, Fingerprint: fingerprint, Delta: encode(evidence(chunk))}, nil
}

// evidence returns what rows add to the natural parameters.
func evidence(rows []byte) []float64 {
	natural := make([]float64, 2*entries)
	for ; len(rows) > 0; rows = rows[rowBytes:] {
		at := 2 * (binary.LittleEndian.Uint64(rows[8:]) % entries)
		natural[at] += math.Float64frombits(binary.LittleEndian.Uint64(rows[16:])) / noiseVariance
		natural[at+1] += 1 / noiseVariance
	}
	return natural
}

// Add implements [fold.Shared].
func (l *Linear) Add(delta []byte) error {
	d, err := decode(delta)
	if err == nil {
		floats.Add(l.Natural, d)
	}
	return err
}

// MarshalBinary implements [fold.Shared].
func (l *Linear) MarshalBinary() ([]byte, error) { return encode(l.Natural), nil }

// From returns the greatest difference of a natural parameter from the exact posterior of the first rows of the stream, which it computes in
// one go. It is relative to the greatest of the exact ones.
func (l *Linear) From(rows uint64) float64 {
	exact, inf := New().Natural, math.Inf(1)
	floats.Add(exact, evidence(Chunk(1, rows, rows)))
	return floats.Distance(l.Natural, exact, inf) / floats.Norm(exact, inf)
}

func encode(numbers []float64) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, numbers) // numbers have a size
	return b
}

func decode(b []byte) ([]float64, error) {
	numbers := make([]float64, 2*entries)
	if len(b) != 8*len(numbers) {
		return nil, errors.Errorf("there are %d bytes for %d numbers", len(b), len(numbers))
	}
	_, err := binary.Decode(b, binary.LittleEndian, numbers)
	return numbers, errors.WithStack(err)
}
