// Package clustertest supplies a belief and a stream of rows that test package cluster. [Linear] has an exact posterior, so a row that
// was lost or counted twice shows in it.
package clustertest

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"gophe/phe/internal/fold"
)

// The model of [Linear]: an item points at hashes of the entries, and the answer is their sum with Gaussian noise. All entries share one
// Gaussian belief with a full covariance. It has 350 natural parameters. The classifier of the paper's Adult study has 346 parameters.
const (
	entries, hashes        = 25, 3
	items           uint64 = 5000
	priorVariance          = 4.0
	noiseVariance          = 0.25
	naturals               = entries + entries*(entries+1)/2 // Λμ and the upper triangle of Λ
)

// rowBytes is the size of a row: its number, its item and its answer.
const rowBytes = 24

// mix is the finaliser of SplitMix64. It serves as hash and as source of random numbers.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func uniform(z uint64) float64 { return (float64(mix(z)>>11) + 0.5) / (1 << 53) }

func normal(z uint64) float64 {
	return math.Sqrt(-2*math.Log(uniform(2*z))) * math.Cos(2*math.Pi*uniform(2*z+1))
}

// entriesOf returns the table entries of an item.
func entriesOf(item uint64) []int {
	at := make([]int, hashes)
	for k := range at {
		at[k] = int(mix(item*31+uint64(k)*0x10001) % entries)
	}
	return at
}

// rowOf returns the bytes of a row of the endless stream. Popular items come often.
func rowOf(number uint64) []byte {
	u := uniform(number ^ 0xabcdef)
	item := uint64(float64(items) * u * u * u)
	y := math.Sqrt(noiseVariance) * normal(number)
	for _, e := range entriesOf(item) {
		y += normal(uint64(e) + 1<<40)
	}
	b, _ := binary.Append(nil, binary.LittleEndian, []uint64{number, item, math.Float64bits(y)}) // numbers have a size
	return b
}

// Chunk returns the rows of a chunk, from 1, of a stream of a number of rows in chunks of a size. It is empty after the last chunk.
func Chunk(number, rows, size uint64) []byte {
	var b []byte
	for row := (number - 1) * size; row < min(number*size, rows); row++ {
		b = append(b, rowOf(row)...)
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

// index returns the place of Λᵢⱼ.
func index(i, j int) int {
	if i > j {
		i, j = j, i
	}
	return entries + i*entries - i*(i-1)/2 + j - i
}

// Linear is the belief in natural parameters, in which Bayes' rule is addition. It implements [fold.Shared].
type Linear struct {
	Natural []float64
	// Cost is the time that a row takes elsewhere, such as on another machine. Learn sleeps for it.
	Cost time.Duration
}

// New returns the prior.
func New() *Linear {
	l := &Linear{Natural: make([]float64, naturals)}
	for i := range entries {
		l.Natural[index(i, i)] = 1 / priorVariance
	}
	return l
}

// Open returns the belief that MarshalBinary wrote.
func Open(b []byte) (fold.Shared, error) {
	l := &Linear{Natural: make([]float64, naturals)}
	return l, decode(l.Natural, b)
}

// Learn implements [fold.Shared].
func (l *Linear) Learn(chunk []byte) (fold.Contribution, error) {
	rows, fingerprint, err := Count(chunk)
	if err != nil {
		return fold.Contribution{}, err
	}
	delta := make([]float64, naturals)
	accumulate(delta, chunk)
	if l.Cost > 0 {
		time.Sleep(time.Duration(rows) * l.Cost)
	}
	return fold.Contribution{Rows: rows, Fingerprint: fingerprint, Delta: encode(delta)}, nil
}

// accumulate adds the rows of a chunk to natural parameters.
func accumulate(natural []float64, chunk []byte) {
	for ; len(chunk) > 0; chunk = chunk[rowBytes:] {
		y := math.Float64frombits(binary.LittleEndian.Uint64(chunk[16:]))
		at := entriesOf(binary.LittleEndian.Uint64(chunk[8:]))
		for a, i := range at {
			natural[i] += y / noiseVariance
			natural[index(i, i)] += 1 / noiseVariance
			for _, j := range at[:a] {
				weight := 1.0
				if i == j { // two hashes are equal: (1+1)² counts 4, and 2 are there
					weight = 2
				}
				natural[index(i, j)] += weight / noiseVariance
			}
		}
	}
}

// Add implements [fold.Shared].
func (l *Linear) Add(delta []byte) error {
	d := make([]float64, naturals)
	if err := decode(d, delta); err != nil {
		return err
	}
	if floats.HasNaN(d) || math.IsInf(floats.Norm(d, math.Inf(1)), 0) {
		return errors.New("a number of the delta is not finite")
	}
	floats.Add(l.Natural, d)
	return nil
}

// MarshalBinary implements [fold.Shared].
func (l *Linear) MarshalBinary() ([]byte, error) { return encode(l.Natural), nil }

// posterior returns the mean and the covariance of the entries.
func (l *Linear) posterior() (*mat.VecDense, *mat.SymDense, error) {
	precision := mat.NewSymDense(entries, nil)
	for i := range entries {
		for j := i; j < entries; j++ {
			precision.SetSym(i, j, l.Natural[index(i, j)])
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(precision) {
		return nil, nil, errors.New("the precision is not positive definite")
	}
	mean, covariance := mat.NewVecDense(entries, nil), mat.NewSymDense(entries, nil)
	if err := factor.SolveVecTo(mean, mat.NewVecDense(entries, l.Natural[:entries])); err != nil {
		return nil, nil, errors.Wrap(err, "solving for the posterior mean")
	}
	return mean, covariance, errors.Wrap(factor.InverseTo(covariance), "inverting the precision")
}

// From returns the greatest difference from the exact posterior of the first rows of the stream, which it computes in one go.
// Differences of the natural parameters, the means and the covariances are relative to the greatest of the exact ones.
func (l *Linear) From(rows uint64) (float64, error) {
	exact := New()
	accumulate(exact.Natural, Chunk(1, rows, rows))
	mean, covariance, err := l.posterior()
	if err != nil {
		return 0, err
	}
	exactMean, exactCovariance, err := exact.posterior()
	if err != nil {
		return 0, err
	}
	mean.SubVec(mean, exactMean)
	var off mat.Dense
	off.Sub(covariance, exactCovariance)
	inf := math.Inf(1)
	return max(floats.Distance(l.Natural, exact.Natural, inf)/floats.Norm(exact.Natural, inf),
		mat.Norm(mean, inf)/mat.Norm(exactMean, inf), mat.Norm(&off, inf)/mat.Norm(exactCovariance, inf)), nil
}

func encode(numbers []float64) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, numbers) // numbers have a size
	return b
}

func decode(to []float64, b []byte) error {
	if len(b) != 8*len(to) {
		return errors.Errorf("there are %d bytes for %d numbers", len(b), len(to))
	}
	_, err := binary.Decode(b, binary.LittleEndian, to)
	return errors.WithStack(err)
}
