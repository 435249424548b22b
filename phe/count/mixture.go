package count

import "math"

// Mixture returns the distribution that is a with a probability, and otherwise b.
func Mixture(probability float64, a, b Distribution) Distribution { return mixture{probability, a, b} }

type mixture struct {
	p    float64
	a, b Distribution
}

func (m mixture) mean(a, b float64) float64 { return m.p*a + (1-m.p)*b }

// LogProbability returns log P(Y = y), in nats.
func (m mixture) LogProbability(y int) float64 {
	return math.Log(m.mean(math.Exp(m.a.LogProbability(y)), math.Exp(m.b.LogProbability(y))))
}

// CDF returns P(Y ≤ y).
func (m mixture) CDF(y int) float64 { return m.mean(m.a.CDF(y), m.b.CDF(y)) }

// Quantile returns the smallest integer y with P(Y ≤ y) ≥ q, for q in (0, 1).
func (m mixture) Quantile(q float64) float64 { return quantile(m.CDF, q) }

// Mean returns the expected count.
func (m mixture) Mean() float64 { return m.mean(m.a.Mean(), m.b.Mean()) }
