package clustertest

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"gophe/phe/belief"
)

// Model is a linear-Gaussian model whose posterior is known: an item points at Hashes of Entries numbers, and the answer is their sum
// with Gaussian noise. All entries share one Gaussian belief with a full covariance.
type Model struct {
	Entries, Hashes              int
	Items                        uint64
	PriorVariance, NoiseVariance float64
}

// Small has 350 natural parameters. The classifier of the paper's Adult study has 346 parameters.
var Small = Model{Entries: 25, Hashes: 3, Items: 5000, PriorVariance: 4, NoiseVariance: 0.25}

// RowBytes is the size of a row: its number, its item and its answer.
const RowBytes = 24

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

// entries returns the table entries of an item.
func (m Model) entries(item uint64) []int {
	at := make([]int, m.Hashes)
	for k := range at {
		at[k] = int(mix(item*31+uint64(k)*0x10001) % uint64(m.Entries))
	}
	return at
}

// row returns the bytes of a row of the endless stream. Popular items come often.
func (m Model) row(number uint64) []byte {
	u := uniform(number ^ 0xabcdef)
	item := uint64(float64(m.Items) * u * u * u)
	y := math.Sqrt(m.NoiseVariance) * normal(number)
	for _, e := range m.entries(item) {
		y += normal(uint64(e) + 1<<40)
	}
	b := make([]byte, 0, RowBytes)
	b = binary.LittleEndian.AppendUint64(b, number)
	b = binary.LittleEndian.AppendUint64(b, item)
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(y))
}

// Chunk returns the rows of a chunk, from 1, of a stream of a number of rows in chunks of a size. It is empty after the last chunk.
func (m Model) Chunk(number, rows, size uint64) []byte {
	var b []byte
	for row := (number - 1) * size; row < min(number*size, rows); row++ {
		b = append(b, m.row(row)...)
	}
	return b
}

// Count returns the number of rows of a chunk and the wrapping sum of their hashes.
func Count(chunk []byte) (rows, fingerprint uint64, err error) {
	if len(chunk)%RowBytes != 0 {
		return 0, 0, errors.Errorf("a chunk has %d bytes, and a row has %d", len(chunk), RowBytes)
	}
	for ; len(chunk) > 0; chunk = chunk[RowBytes:] {
		rows++
		fingerprint += belief.RowHash(binary.LittleEndian.Uint64(chunk), chunk[:RowBytes])
	}
	return rows, fingerprint, nil
}

// numbers returns the number of natural parameters: Λμ and the upper triangle of Λ.
func (m Model) numbers() int { return m.Entries + m.Entries*(m.Entries+1)/2 }

// index returns the place of Λᵢⱼ.
func (m Model) index(i, j int) int {
	if i > j {
		i, j = j, i
	}
	return m.Entries + i*m.Entries - i*(i-1)/2 + j - i
}

// Linear is the belief of a [Model] in natural parameters, in which Bayes' rule is addition. It implements [belief.Shared].
type Linear struct {
	Model
	Natural []float64
	// Cost is the time that a row takes elsewhere, such as on another machine. Learn sleeps for it.
	Cost time.Duration
}

// New returns the prior.
func (m Model) New() *Linear {
	l := &Linear{Model: m, Natural: make([]float64, m.numbers())}
	for i := range m.Entries {
		l.Natural[m.index(i, i)] = 1 / m.PriorVariance
	}
	return l
}

// Open returns the belief that MarshalBinary wrote.
func (m Model) Open(b []byte) (belief.Shared, error) {
	l := &Linear{Model: m, Natural: make([]float64, m.numbers())}
	return l, decode(l.Natural, b)
}

// Learn implements [belief.Shared].
func (l *Linear) Learn(chunk []byte) (belief.Learned, error) {
	rows, fingerprint, err := Count(chunk)
	if err != nil {
		return belief.Learned{}, err
	}
	delta := make([]float64, len(l.Natural))
	l.Accumulate(delta, chunk)
	if l.Cost > 0 {
		time.Sleep(time.Duration(rows) * l.Cost)
	}
	return belief.Learned{Rows: rows, Fingerprint: fingerprint, Delta: encode(delta)}, nil
}

// Accumulate adds the rows of a chunk to natural parameters.
func (m Model) Accumulate(natural []float64, chunk []byte) {
	for ; len(chunk) > 0; chunk = chunk[RowBytes:] {
		y := math.Float64frombits(binary.LittleEndian.Uint64(chunk[16:]))
		at := m.entries(binary.LittleEndian.Uint64(chunk[8:]))
		for a, i := range at {
			natural[i] += y / m.NoiseVariance
			natural[m.index(i, i)] += 1 / m.NoiseVariance
			for _, j := range at[:a] {
				weight := 1.0
				if i == j { // two hashes met: (1+1)² counts 4, and 2 are there
					weight = 2
				}
				natural[m.index(i, j)] += weight / m.NoiseVariance
			}
		}
	}
}

// Add implements [belief.Shared].
func (l *Linear) Add(delta []byte) error {
	d := make([]float64, len(l.Natural))
	if err := decode(d, delta); err != nil {
		return err
	}
	if floats.HasNaN(d) || math.IsInf(floats.Norm(d, math.Inf(1)), 0) {
		return errors.New("a number of the delta is not finite")
	}
	floats.Add(l.Natural, d)
	return nil
}

// MarshalBinary implements [belief.Shared].
func (l *Linear) MarshalBinary() ([]byte, error) { return encode(l.Natural), nil }

// Posterior returns the mean and the covariance of the entries.
func (l *Linear) Posterior() (*mat.VecDense, *mat.SymDense, error) {
	m := l.Model
	precision := mat.NewSymDense(m.Entries, nil)
	for i := range m.Entries {
		for j := i; j < m.Entries; j++ {
			precision.SetSym(i, j, l.Natural[m.index(i, j)])
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(precision) {
		return nil, nil, errors.New("the precision is not positive definite")
	}
	mean, covariance := mat.NewVecDense(m.Entries, nil), mat.NewSymDense(m.Entries, nil)
	if err := factor.SolveVecTo(mean, mat.NewVecDense(m.Entries, l.Natural[:m.Entries])); err != nil {
		return nil, nil, errors.Wrap(err, "solving for the posterior mean")
	}
	return mean, covariance, errors.Wrap(factor.InverseTo(covariance), "inverting the precision")
}

// Difference holds the greatest differences between two posteriors, each relative to the greatest number of the second one.
type Difference struct{ Natural, Mean, Covariance float64 }

// Max returns the greatest of them.
func (d Difference) Max() float64 { return max(d.Natural, d.Mean, d.Covariance) }

// From returns the difference from the exact posterior of the first rows of the stream, which it computes in one go.
func (l *Linear) From(rows uint64) (d Difference, err error) {
	exact := l.New()
	l.Accumulate(exact.Natural, l.Chunk(1, rows, rows))
	d.Natural = floats.Distance(l.Natural, exact.Natural, math.Inf(1)) / floats.Norm(exact.Natural, math.Inf(1))
	mean, covariance, err := l.Posterior()
	if err != nil {
		return d, err
	}
	exactMean, exactCovariance, err := exact.Posterior()
	if err != nil {
		return d, err
	}
	mean.SubVec(mean, exactMean)
	d.Mean = mat.Norm(mean, math.Inf(1)) / mat.Norm(exactMean, math.Inf(1))
	var difference mat.Dense
	difference.Sub(covariance, exactCovariance)
	d.Covariance = mat.Norm(&difference, math.Inf(1)) / mat.Norm(exactCovariance, math.Inf(1))
	return d, nil
}

func encode(numbers []float64) []byte {
	b := make([]byte, 0, 8*len(numbers))
	for _, v := range numbers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func decode(to []float64, b []byte) error {
	if len(b) != 8*len(to) {
		return errors.Errorf("there are %d bytes for %d numbers", len(b), len(to))
	}
	for i := range to {
		to[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return nil
}
