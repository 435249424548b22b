package count

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// NegativeBinomial returns a mixture of negative binomial distributions with equal weights. Each distribution has a mean and a dispersion:
// variance = mean + mean²/dispersion. Means and dispersions lie in 0 … +Inf; a negative one counts as NaN. The limits are the Poisson
// distribution (dispersion +Inf) and a certain 0 (dispersion 0).
func NegativeBinomial(means, dispersions []float64) Distribution {
	return negativeBinomial{means, dispersions}
}

type negativeBinomial struct{ Means, Dispersions []float64 }

// LogProbability returns log P(Y = y), in nats.
func (m negativeBinomial) LogProbability(y int) float64 {
	return logMeanExp(len(m.Means), func(i int) float64 { return negativeBinomialLog(m.Means[i], m.Dispersions[i], y) })
}

// CDF returns P(Y ≤ y).
func (m negativeBinomial) CDF(y int) float64 {
	return mean(len(m.Means), func(i int) float64 { return negativeBinomialCDF(m.Means[i], m.Dispersions[i], y) })
}

// Quantile returns the smallest integer y with P(Y ≤ y) ≥ q, and +Inf above 2⁵³.
func (m negativeBinomial) Quantile(q float64) float64 { return quantile(m.CDF, q) }

// Mean returns the mean of the means.
func (m negativeBinomial) Mean() float64 {
	return mean(len(m.Means), func(i int) float64 { return numberOrNaN(m.Means[i]) + 0*min(1, numberOrNaN(m.Dispersions[i])) })
}

// poissonRatio is the mean / dispersion below which the distribution is computed as Poisson's. It bounds the difference of any two
// probabilities. Below it, the log beta functions cancel.
const poissonRatio = 1e-7

// negativeBinomialLog returns log Γ(y+k)/(Γ(k) y!) + k log(k/(k+m)) + y log(m/(k+m)), for mean m and dispersion k.
func negativeBinomialLog(m, k float64, y int) float64 {
	switch {
	case !(m >= 0 && k >= 0):
		return math.NaN()
	case y < 0, math.IsInf(m, 1):
		return math.Inf(-1)
	case m == 0, k == 0:
		return poissonLog(0, y)
	case m/k < poissonRatio:
		return poissonLog(m, y)
	}
	log := -k * math.Log1p(m/k)
	if y == 0 {
		return log
	}
	n := float64(y)
	// Γ(y+k)/(Γ(k) y!) is 1/(y B(k, y)).
	return log - n*math.Log1p(k/m) - math.Log(n) - logBeta(k, n)
}

// logBeta returns log B(a, b). mathext.Lbeta subtracts values of log Γ that are far larger than the result if a or b is large.
// Stirling's series subtracts nothing, and its relative error is below 1e-12 from 100 on.
func logBeta(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if a < 100 {
		return mathext.Lbeta(a, b)
	}
	stirling := func(x float64) float64 { return (1 - (1-2/(7*x*x))/(30*x*x)) / (12 * x) } // log Γ − its leading terms
	rest := stirling(a) - stirling(a+b)
	if b < 100 {
		logGamma, _ := math.Lgamma(b)
		return logGamma - (a-0.5)*math.Log1p(b/a) - b*math.Log(a+b) + b + rest
	}
	return (math.Log(2*math.Pi)-math.Log(b))/2 - (a-0.5)*math.Log1p(b/a) - b*math.Log1p(a/b) + rest + stirling(b)
}

// negativeBinomialCDF returns P(Y ≤ y), which is the incomplete beta function I(k/(k+m); k, y+1).
func negativeBinomialCDF(m, k float64, y int) float64 {
	switch {
	case !(m >= 0 && k >= 0):
		return math.NaN()
	case y < 0, math.IsInf(m, 1):
		return 0
	case m == 0, k < 1e-300: // P(Y > 0) is about k log(m/k)
		return 1
	case m/k < poissonRatio:
		return poissonCDF(m, y)
	case k > 1000 && y > 1000:
		return peizerPratt(m, k, float64(y))
	}
	if m > k { // the smaller of the two arguments that sum to 1 is the exact one
		return min(1, mathext.RegIncBeta(k, float64(y)+1, 1/(1+m/k))) // the smallest k round above 1
	}
	return 1 - mathext.RegIncBeta(float64(y)+1, k, 1/(1+k/m))
}

// peizerPratt approximates P(Y ≤ y) by the normal distribution (Peizer & Pratt 1968), with an error below 3e-7 if k and y are above 1000.
// There, the continued fraction of mathext.RegIncBeta stops before it converges.
func peizerPratt(m, k, y float64) float64 {
	p, q := 1/(1+k/m), 1/(1+m/k) // Y is the number of successes of probability p before the k-th failure
	trials := y + k
	above, below := y+0.5, k-0.5
	g := func(x float64) float64 { // (1 − x² + 2x log x)/(1 − x)², by its series near 1, where the terms cancel
		d := x - 1
		if math.Abs(d) < 1e-3 {
			return -d/3 + d*d/6
		}
		return (1 - x*x + 2*x*math.Log(x)) / (d * d)
	}
	distance := above + 1.0/6 - (trials+1.0/3)*p
	scale := (1 + q*g(above/(trials*p)) + p*g(below/(trials*q))) / ((trials + 1.0/6) * p * q)
	return distuv.UnitNormal.CDF(distance * math.Sqrt(scale))
}
