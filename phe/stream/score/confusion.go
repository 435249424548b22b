package score

import (
	"encoding/json"
	"math"

	"github.com/pkg/errors"
)

// Confusion counts predicted classes by the class that came.
type Confusion struct {
	Weight  [][]float64 `json:"weight"`   // [came, predicted] sums
	LogLoss []float64   `json:"log_loss"` // [came] sums
}

// NewConfusion returns the confusion of n classes without rows.
func NewConfusion(n int) *Confusion {
	c := &Confusion{LogLoss: make([]float64, n)}
	for range n {
		c.Weight = append(c.Weight, make([]float64, n))
	}
	return c
}

// Add adds a forecast, the class that came, and the row's Outcome.LogLoss.
func (c *Confusion) Add(p []float64, class int, logLoss, weight float64) {
	c.Weight[class][Likeliest(p)] += weight
	c.LogLoss[class] += weight * logLoss
}

// Class is the score of the forecasts for one class. JSON has null for a field that is NaN.
type Class struct {
	Weight    float64 // weight of the rows in which the class came
	Precision float64 // share of right predictions in all predictions of the class; NaN without one
	Recall    float64 // share of right predictions in the rows in which the class came; NaN without one
	LogLoss   float64 // mean over the rows in which the class came; NaN without one
}

// Classes returns the score of each class.
func (c *Confusion) Classes() []Class {
	list := make([]Class, len(c.Weight))
	for k := range list {
		came, predicted, right := 0., 0., c.Weight[k][k]
		for other := range c.Weight {
			came += c.Weight[k][other]
			predicted += c.Weight[other][k]
		}
		list[k] = Class{Weight: came, Precision: right / predicted, Recall: right / came, LogLoss: c.LogLoss[k] / came}
	}
	return list
}

// MarshalJSON writes null for NaN, which JSON does not have.
func (c Class) MarshalJSON() ([]byte, error) {
	known := func(v float64) *float64 {
		if math.IsNaN(v) {
			return nil
		}
		return &v
	}
	b, err := json.Marshal(struct {
		Weight    float64  `json:"weight"`
		Precision *float64 `json:"precision"`
		Recall    *float64 `json:"recall"`
		LogLoss   *float64 `json:"log_loss"`
	}{c.Weight, known(c.Precision), known(c.Recall), known(c.LogLoss)})
	return b, errors.Wrap(err, "encoding the score of a class")
}
