package score

import "math"

// Calibration compares forecasts with what came, in bins of equal width from 0 to 1.
//
// For classes, a bin holds the rows whose forecast probability lies in it. This is the probability of the second of two classes,
// or of the likeliest of several. For numbers and counts, a bin holds the rows whose probability integral transform lies in it.
// All bins then have equal weights if the forecasts are calibrated.
type Calibration struct {
	Weight   [calibrationBins]float64 `json:"weight"`
	Forecast [calibrationBins]float64 `json:"forecast"` // sums of probabilities; classes only
	Came     [calibrationBins]float64 `json:"came"`     // weight of the rows in which the class came; classes only
}

// calibrationBins is the number of bins of a Calibration.
const calibrationBins = 20

func calibrationBin(p float64) int { return min(max(int(p*calibrationBins), 0), calibrationBins-1) }

// AddProbability adds the forecast probability of a class, and whether the class came. It ignores NaN.
func (c *Calibration) AddProbability(p float64, came bool, weight float64) {
	if math.IsNaN(p) {
		return
	}
	p = min(max(p, 0), 1)
	bin := calibrationBin(p)
	c.Weight[bin] += weight
	c.Forecast[bin] += weight * p
	if came {
		c.Came[bin] += weight
	}
}

// AddTransform adds the probability integral transform of an outcome y, which runs from P(Y < y) to P(Y ≤ y) under the forecast.
// For a number both are equal. For a count they differ, and the row's weight is spread evenly between them (Czado, Gneiting and
// Held, 2009). AddTransform ignores NaN.
func (c *Calibration) AddTransform(from, to, weight float64) {
	if math.IsNaN(from) || math.IsNaN(to) {
		return
	}
	from, to = min(max(from, 0), 1), min(max(to, 0), 1)
	first, last := calibrationBin(from), calibrationBin(to)
	if first >= last {
		c.Weight[first] += weight
		return
	}
	for bin := first; bin <= last; bin++ {
		low, high := max(from, float64(bin)/calibrationBins), min(to, float64(bin+1)/calibrationBins)
		c.Weight[bin] += weight * max(0, high-low) / (to - from)
	}
}

// Error returns the expected calibration error of classes: the mean over the rows of |mean forecast − share that came| of the
// row's bin. It is NaN without rows.
func (c *Calibration) Error() float64 {
	sum, rows := 0., 0.
	for bin, n := range c.Weight {
		sum += math.Abs(c.Forecast[bin] - c.Came[bin])
		rows += n
	}
	return sum / rows
}
