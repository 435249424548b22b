package ensemble

import (
	"math"

	"gophe/phe/stream/change"
)

// Statistics are measured along the stream: the usual weight, the lag of labels, and whether the forecasts hold.
type Statistics struct {
	LogWeight float64          `json:"log_weight,omitempty"` // running mean of the logarithms of the rows' weights
	Lag       float64          `json:"lag,omitempty"`        // running mean of the rows that are learned between a forecast and its label
	Change    *change.Detector `json:"change"`
}

func newStatistics() *Statistics { return &Statistics{Change: change.New()} }

// counts returns the weight of the next row relative to the geometric mean of the weights so far. So weights have no unit, and one wild
// weight moves neither the mean nor the beliefs far.
func (s *Statistics) counts(weight float64, rows int64) float64 {
	const least, most, farthest = 1e-3, 20, 7
	if weight == 1 && s.LogWeight == 0 { // most streams have no weights
		return 1
	}
	w := math.Log(weight)
	seen := w
	if rows > 0 {
		seen = max(s.LogWeight-farthest, min(s.LogWeight+farthest, w))
	}
	s.LogWeight += (seen - s.LogWeight) / float64(rows+1)
	return max(least, min(most, math.Exp(w-s.LogWeight)))
}
