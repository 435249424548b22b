package count

import "math"

// Histogram is a categorical distribution over cells, with the law of Cells within each cell. 0 has no probability. Its methods
// allocate no memory, because a stream asks for hundreds of thousands of forecasts.
type Histogram struct {
	Cells
	P []float64 // [cells]; sums to 1, up to rounding
}

// LogProbability returns log P(Y = y), in nats.
func (h Histogram) LogProbability(y int) float64 {
	if y < 1 {
		return math.Inf(-1)
	}
	return math.Log(h.P[h.Of(y)]) + h.LogWithin(y)
}

// CDF returns P(Y ≤ y).
func (h Histogram) CDF(y int) float64 {
	if y < 1 {
		return 0
	}
	last := h.Of(y)
	sum := h.P[last] * h.CDFWithin(last, y)
	for _, p := range h.P[:last] {
		sum += p
	}
	return min(1, sum/h.total())
}

// Median returns the smallest integer y with P(Y ≤ y) ≥ ½.
func (h Histogram) Median() float64 { return h.Quantile(0.5) }

// Quantile returns the smallest integer y with P(Y ≤ y) ≥ q, for q in (0, 1).
func (h Histogram) Quantile(q float64) float64 {
	part := h.total() * q
	if math.IsNaN(part) {
		return part
	}
	below := 0.0
	for k, p := range h.P {
		if p > 0 && below+p >= part {
			return h.QuantileWithin(k, (part-below)/p)
		}
		below += p
	}
	return h.QuantileWithin(h.Len()-1, q) // only rounding leads here
}

// Mean returns the expected count. Most of its uncertainty comes from the open cell, whose mean is about six times its first count.
func (h Histogram) Mean() float64 {
	sum := 0.0
	for k, p := range h.P {
		sum += p * h.MeanWithin(k)
	}
	return sum / h.total()
}

// total returns the sum of the probabilities. It is 1 up to rounding, which CDF must not show, and NaN if any probability is NaN.
func (h Histogram) total() float64 {
	sum := 0.0
	for _, p := range h.P {
		sum += p
	}
	return sum
}
