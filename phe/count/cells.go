package count

import (
	"cmp"
	"math"
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/mathext"
)

// Cells cut the positive integers into cells for a categorical likelihood. Counts in dozens or hundreds follow no smooth distribution, and
// cells can give them their own probabilities.
//
// The distribution within a cell is fixed. It is uniform, except in the last cell, without end: P(Y ≥ y) falls as y^−tailExponent.
type Cells struct{ cells []cell }

// cell holds the counts first … end−1. It is their distribution.
type cell struct {
	first, end int // end is 0 for the last cell
	mean       float64
}

// tailExponent is the exponent of the last cell's distribution. It is not fitted to your data. It is the likeliest exponent for the large
// orders of one wholesaler (package experiments/rivals/baseline counts them again). The distribution then has a mean and no variance. A
// distribution with a thinner tail would give the largest count of a file a log probability that dominates the mean.
const tailExponent = 1.2

// NewCells returns the cells that begin at the given counts. The counts must ascend, and the first must be 1. The last cell has no
// end: its counts follow a power law, P(Y ≥ y) = (lower/y)^1.2, where lower is the cell's first count. The mean of the law is about
// 6·lower. Let the last cell begin where only few counts lie, because this distribution is not fitted to them.
func NewCells(lower ...int) (Cells, error) {
	if len(lower) == 0 || lower[0] != 1 {
		return Cells{}, errors.Errorf("cells begin at %v; the first must begin at 1, the least count", lower)
	}
	for k, first := range lower[1:] {
		if first <= lower[k] {
			return Cells{}, errors.Errorf("cell %d begins at %d and the cell before at %d; give ascending counts", k+1, first, lower[k])
		}
	}
	var c Cells
	last := len(lower) - 1
	for k, end := range lower[1:] {
		c.cells = append(c.cells, cell{lower[k], end, float64(lower[k]+end-1) / 2})
	}
	first := float64(lower[last])
	// E[Y] is Σ P(Y ≥ y) over y ≥ 1; from the first on the terms are a Hurwitz zeta series.
	c.cells = append(c.cells, cell{lower[last], 0, first - 1 + math.Pow(first, tailExponent)*mathext.Zeta(tailExponent, first)})
	return c, nil
}

// octaves is shared by all callers. Its counts ascend, so that there is no error.
var octaves, _ = NewCells(octaveStarts()...)

// Octaves returns cells for counts of an unknown size: one cell for each count from 1 to 64, then eight cells for each octave up to 2²⁰.
func Octaves() Cells { return octaves }

func octaveStarts() (lower []int) {
	const alone, perOctave, largest = 64, 8, 1 << 20
	for y := 1; y <= alone+1; y++ {
		lower = append(lower, y)
	}
	for from := alone; from < largest; from *= 2 {
		for i := 1; i <= perOctave; i++ {
			lower = append(lower, from+i*from/perOctave)
		}
	}
	return lower
}

// First returns the least count of a cell.
func (c Cells) First(k int) int { return c.cells[k].first }

// Small returns shares of the cells that expect small counts: P(Y ≥ y) = 1/y².
func (c Cells) Small() []float64 {
	shares := make([]float64, len(c.cells)+1)
	for k, cell := range c.cells {
		shares[k] = math.Pow(float64(cell.first), -2)
	}
	for k := range c.cells {
		shares[k] -= shares[k+1]
	}
	return shares[:len(c.cells)]
}

// Len returns the number of cells.
func (c Cells) Len() int { return len(c.cells) }

// Of returns the cell of y. It panics if y is not positive.
func (c Cells) Of(y int) int {
	if y < 1 {
		panic(errors.Errorf("count: cell of %d, want a positive count", y))
	}
	k, found := slices.BinarySearchFunc(c.cells, y, func(c cell, y int) int { return cmp.Compare(c.first, y) })
	if !found {
		k--
	}
	return k
}

// Within returns the distribution of the counts in a cell. Its answers are for counts of the cell. The log probability of a count is the
// cell's plus the count's within the cell, which can be compared with other distributions of counts.
func (c Cells) Within(k int) Distribution { return &c.cells[k] }

// LogProbability returns log P(Y = y), in nats. It is 0 if the cell holds only y.
func (c *cell) LogProbability(y int) float64 {
	if c.end > 0 {
		return -math.Log(float64(c.end - c.first))
	}
	// P(Y ≥ y) − P(Y ≥ y+1) = P(Y ≥ y)·(1 − (y/(y+1))^α), without cancellation for a large y.
	logBeyond := -tailExponent * math.Log(float64(y)/float64(c.first))
	return logBeyond + math.Log(-math.Expm1(-tailExponent*math.Log1p(1/float64(y))))
}

// CDF returns P(Y ≤ y).
func (c *cell) CDF(y int) float64 {
	if c.end > 0 {
		return min(1, float64(y-c.first+1)/float64(c.end-c.first))
	}
	return -math.Expm1(-tailExponent * (math.Log(float64(y)+1) - math.Log(float64(c.first))))
}

// Quantile returns the smallest y with P(Y ≤ y) ≥ q, for q in [0, 1].
func (c *cell) Quantile(q float64) float64 {
	first := float64(c.first)
	if c.end > 0 {
		width := float64(c.end - c.first)
		return first + min(max(math.Ceil(q*width)-1, 0), width-1)
	}
	return max(first, math.Ceil(first*math.Pow(1-q, -1/tailExponent))-1)
}

// Mean returns the expected count.
func (c *cell) Mean() float64 { return c.mean }
