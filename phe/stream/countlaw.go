package stream

import "gophe/phe/count"

// countLaw is the law of a count.
type countLaw interface {
	count.Distribution
	// Quantile returns the smallest y with P(Y ≤ y) ≥ q, for q in (0, 1).
	Quantile(q float64) float64
}

// shifted is the law of a count that may be 0. The cells of package count begin at 1.
type shifted struct{ countLaw }

// LogProbability returns log P(Y = y), in nats.
func (s shifted) LogProbability(y int) float64 { return s.countLaw.LogProbability(y + 1) }

// CDF returns P(Y ≤ y).
func (s shifted) CDF(y int) float64 { return s.countLaw.CDF(y + 1) }

// Median returns the median.
func (s shifted) Median() float64 { return s.countLaw.Median() - 1 }

// Mean returns the expected count.
func (s shifted) Mean() float64 { return s.countLaw.Mean() - 1 }

// Quantile returns the smallest y with P(Y ≤ y) ≥ q.
func (s shifted) Quantile(q float64) float64 { return s.countLaw.Quantile(q) - 1 }
