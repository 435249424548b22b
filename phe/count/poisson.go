package count

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Poisson returns a mixture of Poisson distributions with equal weights, one for each Monte Carlo sample of a model. Rates lie in 0 … +Inf;
// a negative one counts as NaN.
func Poisson(rates ...float64) Distribution { return poisson{rates} }

type poisson struct{ Rates []float64 }

// LogProbability returns log P(Y = y), in nats.
func (m poisson) LogProbability(y int) float64 {
	return logMeanExp(len(m.Rates), func(i int) float64 { return poissonLog(m.Rates[i], y) })
}

// CDF returns P(Y ≤ y).
func (m poisson) CDF(y int) float64 {
	return mean(len(m.Rates), func(i int) float64 { return poissonCDF(m.Rates[i], y) })
}

// Quantile returns the smallest integer y with P(Y ≤ y) ≥ q, and +Inf above 2⁵³.
func (m poisson) Quantile(q float64) float64 { return quantile(m.CDF, q) }

// Mean returns the mean rate.
func (m poisson) Mean() float64 {
	return mean(len(m.Rates), func(i int) float64 { return numberOrNaN(m.Rates[i]) })
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
