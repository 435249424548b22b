package count

import "math"

// Mixture returns the distribution that is a with a probability, and otherwise b.
func Mixture(probability float64, a, b Distribution) Distribution { return mixture{probability, a, b} }

type mixture struct {
	p    float64
	a, b Distribution
}

func (m mixture) of(a, b float64) float64 { return m.p*a + (1-m.p)*b }

// LogProbability is the logarithm of a sum of probabilities.
func (m mixture) LogProbability(y int) float64 {
	return math.Log(m.of(math.Exp(m.a.LogProbability(y)), math.Exp(m.b.LogProbability(y))))
}

// CDF lies between the CDFs of a and b.
func (m mixture) CDF(y int) float64 { return m.of(m.a.CDF(y), m.b.CDF(y)) }

// Mean lies between the means of a and b.
func (m mixture) Mean() float64 { return m.of(m.a.Mean(), m.b.Mean()) }

// Quantile lies between the quantiles of a and b.
func (m mixture) Quantile(q float64) float64 {
	low, high := m.a.Quantile(q), m.b.Quantile(q)
	if low, high = min(low, high), max(low, high); !(high < largestQuantile) {
		return quantile(m.CDF, q)
	}
	for low < high {
		if middle := math.Floor((low + high) / 2); m.CDF(int(middle)) >= q {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return high
}
