package count

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Poisson returns a mixture of Poisson distributions with equal weights, one for each Monte Carlo sample of a model. Rates lie in 0 … +Inf;
// a negative one counts as NaN. They are the negative binomial distributions whose variance is their mean.
func Poisson(rates ...float64) Distribution {
	return NegativeBinomial(rates, slices.Repeat([]float64{math.Inf(1)}, len(rates)))
}

// numberOrNaN returns x if it is in 0 … +Inf, and otherwise NaN.
func numberOrNaN(x float64) float64 {
	if x >= 0 {
		return x
	}
	return math.NaN()
}

// poissonLog returns the log probability of y under a rate. distuv's does not cover the limits 0 and +Inf.
func poissonLog(rate float64, y int) float64 {
	switch {
	case !(rate >= 0):
		return math.NaN()
	case y < 0, math.IsInf(rate, 1):
		return math.Inf(-1)
	case y == 0:
		return -rate
	}
	return distuv.Poisson{Lambda: rate}.LogProb(float64(y))
}

// poissonCDF returns P(Y ≤ y) under a rate.
func poissonCDF(rate float64, y int) float64 {
	if !(rate >= 0) {
		return math.NaN()
	}
	return distuv.Poisson{Lambda: rate}.CDF(float64(y))
}
