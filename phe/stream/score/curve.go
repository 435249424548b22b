package score

import "math"

// Curve is the ROC curve of two classes. It counts the rows of each class in bins of the forecast's logit.
type Curve struct {
	Count [2][]float64 `json:"count"` // [class, bin] weight of the rows; no bins before the first row
}

const (
	curveBins  = 3000 // each is about 0.01 wide
	curveRange = 15.  // the first and the last bin take the logits beyond ±15
)

// Add adds the forecast probability of class 1, and the class that came, 0 or 1. It ignores NaN.
func (c *Curve) Add(probability float64, class int, weight float64) {
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

// Whole tells whether the curve has all bins or, before the first row, none. A curve that was read from a file may lack some.
func (c *Curve) Whole() bool {
	n := len(c.Count[0])
	return n == len(c.Count[1]) && (n == 0 || n == curveBins)
}

// AUC returns the area under the curve: the probability that a row of class 1 has a higher forecast than a row of class 0. Two
// rows in one bin count half, as equal forecasts do. AUC is NaN unless both classes came.
func (c *Curve) AUC() float64 {
	below, area, ones := 0., 0., 0.
	for i, n := range c.Count[0] {
		m := c.Count[1][i]
		area += m * (below + n/2)
		below += n
		ones += m
	}
	return area / (below * ones)
}
