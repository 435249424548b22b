package count

import "math"

// Histogram returns a categorical distribution over cells, with the distribution of Cells within each cell. 0 has no probability. p holds
// the probability of each cell; it sums to 1, up to rounding. The methods allocate no memory, since a stream asks for very many forecasts.
func Histogram(cells Cells, p []float64) Distribution { return histogram{cells, p} }

type histogram struct {
	Cells
	P []float64 // [cells]
}

// LogProbability returns log P(Y = y), in nats.
func (h histogram) LogProbability(y int) float64 {
	if y < 1 {
		return math.Inf(-1)
	}
	k := h.Of(y)
	return math.Log(h.P[k]) + h.Within(k).LogProbability(y)
}

// CDF returns P(Y ≤ y).
func (h histogram) CDF(y int) float64 {
	if y < 1 {
		return 0
	}
	last := h.Of(y)
	sum := h.P[last] * h.Within(last).CDF(y)
	for _, p := range h.P[:last] {
		sum += p
	}
	return min(1, sum/h.total())
}

// Quantile returns the smallest integer y with P(Y ≤ y) ≥ q, for q in (0, 1).
func (h histogram) Quantile(q float64) float64 {
	part := h.total() * q
	if math.IsNaN(part) {
		return part
	}
	below := 0.0
	for k, p := range h.P {
		if p > 0 && below+p >= part {
			return h.Within(k).Quantile((part - below) / p)
		}
		below += p
	}
	return h.Within(h.Len() - 1).Quantile(q) // only because of rounding
}

// Mean returns the expected count. Most of its uncertainty comes from the open cell, whose mean is about six times its first count.
func (h histogram) Mean() float64 {
	sum := 0.0
	for k, p := range h.P {
		sum += p * h.Within(k).Mean()
	}
	return sum / h.total()
}

// total returns the sum of the probabilities. It is 1 up to rounding, which CDF must not show, and NaN if any probability is NaN.
func (h histogram) total() float64 {
	sum := 0.0
	for _, p := range h.P {
		sum += p
	}
	return sum
}
