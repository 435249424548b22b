// Package count holds predictive distributions of a count, such as an order's quantity, and cells of counts for a categorical likelihood.
//
// The paper's likelihood of counts is Poisson ("Sequence Modeling"), and its score is the absolute error of the rate. The absolute
// error is smallest at the median, which is a Distribution's Quantile(0.5).
//
// Histogram, Poisson and NegativeBinomial return forecasts. A Histogram needs cells: Octaves for counts of any size, or NewCells.
package count

import "math"

// Distribution is a forecast of a count ≥ 0. Parameters that are NaN (from a diverged model) give NaN in every answer that depends
// on them. No other parameters give NaN.
type Distribution interface {
	LogProbability(y int) float64 // in nats; −∞ for an impossible count
	CDF(y int) float64            // P(Y ≤ y)
	Quantile(q float64) float64   // the smallest integer y with CDF(y) ≥ q, for q in (0, 1)
	Mean() float64                // the expected count
}

// largestQuantile ends the search for a quantile. Above it, float64 does not hold every integer.
const largestQuantile = 1 << 53

// quantile returns the smallest integer with cdf ≥ q. It doubles the upper end until cdf reaches q, and then halves the interval, in
// at most 53 steps each. It is +Inf beyond largestQuantile, and NaN if cdf is.
func quantile(cdf func(y int) float64, q float64) float64 {
	below, y := -1, 0 // cdf(below) < q
	for {
		p := cdf(y)
		switch {
		case math.IsNaN(p):
			return p
		case p < q && y >= largestQuantile:
			return math.Inf(1)
		}
		if p >= q {
			break
		}
		below, y = y, 2*y+1
	}
	for y-below > 1 {
		if middle := below + (y-below)/2; cdf(middle) >= q {
			y = middle
		} else {
			below = middle
		}
	}
	return float64(y)
}

// mean returns the mean of n terms, or NaN without terms.
func mean(n int, term func(i int) float64) float64 {
	sum := 0.0
	for i := range n {
		sum += term(i)
	}
	return sum / float64(n)
}

// logMeanExp returns log(mean(exp(term))) in one pass. It scales by the largest term so far, and allocates no memory.
func logMeanExp(n int, term func(i int) float64) float64 {
	largest, sum := math.Inf(-1), 0.0
	for i := range n {
		x := term(i)
		switch {
		case math.IsNaN(x):
			return x
		case x > largest:
			sum, largest = sum*math.Exp(largest-x)+1, x
		case !math.IsInf(x, -1):
			sum += math.Exp(x - largest)
		}
	}
	return largest + math.Log(sum/float64(n))
}
