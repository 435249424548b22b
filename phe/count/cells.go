package count

import (
	"math"
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/mathext"
)

// Cells cut the positive integers into cells for a categorical likelihood. Counts in dozens or hundreds follow no smooth distribution, and
// cells can give them their own probabilities.
//
// The distribution within a cell is fixed. It is uniform, except in the last cell, which has no end: there P(Y ≥ y) falls as
// y^−tailExponent.
type Cells struct {
	lower []int     // cell k holds lower[k] … lower[k+1]−1; the last is open
	means []float64 // mean of the distribution within each cell
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
	return cellsFrom(slices.Clone(lower)), nil
}

// octaves is shared by all callers.
var octaves = newOctaves()

// Octaves returns cells for counts of an unknown size: one cell for each count from 1 to 64, and then eight cells for each octave
// up to 2²⁰.
func Octaves() Cells { return octaves }

func newOctaves() Cells {
	const alone, perOctave, largest = 64, 8, 1 << 20
	var lower []int
	for y := 1; y <= alone+1; y++ {
		lower = append(lower, y)
	}
	for from := alone; from < largest; from *= 2 {
		for i := 1; i <= perOctave; i++ {
			lower = append(lower, from+i*from/perOctave)
		}
	}
	return cellsFrom(lower)
}

// cellsFrom returns the cells that begin at valid numbers.
func cellsFrom(lower []int) Cells {
	c := Cells{lower: lower}
	for k := range c.lower[1:] {
		c.means = append(c.means, float64(c.lower[k]+c.lower[k+1]-1)/2)
	}
	first := float64(c.lower[len(c.lower)-1])
	// E[Y] is Σ P(Y ≥ y) over y ≥ 1; from the first on the terms are a Hurwitz zeta series.
	c.means = append(c.means, first-1+math.Pow(first, tailExponent)*mathext.Zeta(tailExponent, first))
	return c
}

// First returns the least count of a cell.
func (c Cells) First(k int) int { return c.lower[k] }

// Len returns the number of cells.
func (c Cells) Len() int { return len(c.lower) }

// Of returns the cell of y. It panics if y is not positive.
func (c Cells) Of(y int) int {
	if y < 1 {
		panic(errors.Errorf("count: cell of %d, want a positive count", y))
	}
	k, found := slices.BinarySearch(c.lower, y)
	if !found {
		k--
	}
	return k
}

// LogWithin returns log p(y | its cell) in nats. It is 0 if the cell holds only y. Add it to the log probability of the cell to
// compare a categorical forecast with another distribution of counts. LogWithin panics if y is not positive.
func (c Cells) LogWithin(y int) float64 {
	k := c.Of(y)
	if k < c.Len()-1 {
		return -math.Log(float64(c.lower[k+1] - c.lower[k]))
	}
	// P(Y ≥ y) − P(Y ≥ y+1) = P(Y ≥ y)·(1 − (y/(y+1))^α), without cancellation for a large y.
	logBeyond := -tailExponent * math.Log(float64(y)/float64(c.lower[k]))
	return logBeyond + math.Log(-math.Expm1(-tailExponent*math.Log1p(1/float64(y))))
}

// CDFWithin returns P(Y ≤ y | Y in cell k), for y at or above the cell's first count.
func (c Cells) CDFWithin(k, y int) float64 {
	if k < c.Len()-1 {
		return min(1, float64(y-c.lower[k]+1)/float64(c.lower[k+1]-c.lower[k]))
	}
	return -math.Expm1(-tailExponent * (math.Log(float64(y)+1) - math.Log(float64(c.lower[k]))))
}

// QuantileWithin returns the smallest y of cell k with CDFWithin(k, y) ≥ p, for p in [0, 1].
func (c Cells) QuantileWithin(k int, p float64) float64 {
	lower := float64(c.lower[k])
	if k < c.Len()-1 {
		width := float64(c.lower[k+1] - c.lower[k])
		return lower + min(max(math.Ceil(p*width)-1, 0), width-1)
	}
	return max(lower, math.Ceil(lower*math.Pow(1-p, -1/tailExponent))-1)
}

// MeanWithin returns the mean of the distribution within cell k.
func (c Cells) MeanWithin(k int) float64 { return c.means[k] }
