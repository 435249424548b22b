package evaluation

import (
	"encoding/json"
	"math"
)

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

const calibrationBins = 20

func calibrationBin(p float64) int { return min(max(int(p*calibrationBins), 0), calibrationBins-1) }

// addProbability adds the forecast probability of a class, and whether the class came. It ignores NaN.
func (c *Calibration) addProbability(p float64, came bool, weight float64) {
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

// addTransform adds the probability integral transform of an outcome y, which runs from P(Y < y) to P(Y ≤ y) under the forecast.
// For a number both are equal. For a count they differ, and the row's weight is spread evenly between them (Czado, Gneiting and
// Held, 2009). addTransform ignores NaN.
func (c *Calibration) addTransform(from, to, weight float64) {
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

// Confusion counts predicted classes by the class that came.
type Confusion struct {
	Weight  [][]float64 `json:"weight"`   // [came, predicted] sums
	LogLoss []float64   `json:"log_loss"` // [came] sums
}

func newConfusion(n int) *Confusion {
	c := &Confusion{LogLoss: make([]float64, n)}
	for range n {
		c.Weight = append(c.Weight, make([]float64, n))
	}
	return c
}

func (c *Confusion) add(p []float64, class int, logLoss, weight float64) {
	c.Weight[class][likeliest(p)] += weight
	c.LogLoss[class] += weight * logLoss
}

// ClassScore is the score of the forecasts for one class.
type ClassScore struct {
	Weight    float64 `json:"weight"`    // weight of the rows in which the class came
	Precision Ratio   `json:"precision"` // share of right predictions in all predictions of the class; NaN without one
	Recall    Ratio   `json:"recall"`    // share of right predictions in the rows in which the class came; NaN without one
	LogLoss   Ratio   `json:"log_loss"`  // mean over the rows in which the class came; NaN without one
}

// Ratio is a number that may be NaN or infinite, for which JSON has null.
type Ratio float64

// MarshalJSON returns a number or null.
func (r Ratio) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(r)) || math.IsInf(float64(r), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(r))
}

func (c *Confusion) classes() []ClassScore {
	list := make([]ClassScore, len(c.Weight))
	for k := range list {
		came, predicted, right := 0., 0., c.Weight[k][k]
		for other := range c.Weight {
			came += c.Weight[k][other]
			predicted += c.Weight[other][k]
		}
		list[k] = ClassScore{came, Ratio(right / predicted), Ratio(right / came), Ratio(c.LogLoss[k] / came)}
	}
	return list
}

// ROC is the ROC curve of two classes. It counts the rows of each class in bins of the forecast's logit.
type ROC struct {
	Count [2][]float64 `json:"count"` // [class, bin] weight of the rows; no bins before the first row
}

const (
	curveBins  = 3000 // each is about 0.01 wide
	curveRange = 15.  // the first and the last bin take the logits beyond ±15
)

// add adds the forecast probability of class 1, and the class that came, 0 or 1. It ignores NaN.
func (c *ROC) add(probability float64, class int, weight float64) {
	if math.IsNaN(probability) {
		return
	}
	if c.Count[class] == nil {
		c.Count[0], c.Count[1] = make([]float64, curveBins), make([]float64, curveBins)
	}
	probability = min(max(probability, 0), 1)          // a sum of shares may be 1 and a little more
	logit := math.Log(probability / (1 - probability)) // ±Inf at 0 and 1
	bin := int((min(max(logit, -curveRange), curveRange) + curveRange) / (2 * curveRange) * (curveBins - 1))
	c.Count[class][bin] += weight
}

// whole tells whether the curve has all bins or, before the first row, none. A curve that was read from a file may lack some.
func (c *ROC) whole() bool {
	n := len(c.Count[0])
	return n == len(c.Count[1]) && (n == 0 || n == curveBins)
}

// auc returns the area under the curve: the probability that a row of class 1 has a higher forecast than a row of class 0. Two
// rows in one bin count half, as equal forecasts do. auc is NaN unless both classes came.
func (c *ROC) auc() float64 {
	below, area, ones := 0., 0., 0.
	for i, n := range c.Count[0] {
		m := c.Count[1][i]
		area += m * (below + n/2)
		below += n
		ones += m
	}
	return area / (below * ones)
}
