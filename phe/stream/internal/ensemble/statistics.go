package ensemble

import (
	"math"

	"gophe/phe/stream/internal/change"
	"gophe/phe/stream/schema"
)

// Statistics are measured along the stream: the usual weight, the lag of labels, and whether the forecasts hold.
type Statistics struct {
	LogWeight float64     `json:"log_weight,omitempty"` // running mean of the logarithms of the rows' weights
	Lag       float64     `json:"lag,omitempty"`        // running mean of the rows that are learned between a forecast and its label
	Change    change.Test `json:"change"`
}

func newStatistics() *Statistics { return &Statistics{Change: change.Test{Places: change.NewPlaces()}} }

// counts returns the number of rows that the next row counts as, after a number of rows: its weight relative to the geometric mean of the
// weights so far. So the unit of the weights is nothing, and one wild weight moves neither the mean nor the beliefs far.
func (s *Statistics) counts(weight float64, rows int64) float64 {
	const least, most, farthest = 1e-3, 20, 7
	w := math.Log(weight)
	seen := w
	if rows > 0 {
		seen = max(s.LogWeight-farthest, min(s.LogWeight+farthest, w))
	}
	s.LogWeight += (seen - s.LogWeight) / float64(rows+1)
	return max(least, min(most, math.Exp(w-s.LogWeight)))
}

// discount returns the factor of the recent inputs of stacking. It falls with the staleness of the labels: late ones tell less of the
// present.
func (r *Row) discount() float64 {
	const halved = 32 // lag at which it counts half
	return 1 / (1 + r.lag/halved)
}

// MaxBatch is the largest number of rows that threads may take through the parts together.
const MaxBatch = 32

// resetDelay is the number of rows between an alarm and the reset. It is fixed, so that threads with two batches under way give the same
// bits.
const resetDelay = 2 * MaxBatch

// resets tells whether beliefs become less sure once the next row is learned.
func (s *Statistics) resets(rows int64) bool {
	return s.Change.Due > 0 && rows+1 == s.Change.Due
}

// Watch returns true for an alarm: the forecasts do not hold at a row that was just learned. People saw the interval from low to high.
func (m *Model) Watch(r *Row, low, high float64) (alarm bool) {
	c, rows := m.statistics, m.Rows-1
	const pace = 0.002 // least rate of the running mean
	c.Lag += max(1/float64(m.Rows), pace) * (float64(rows-r.Predictions.Rows) - c.Lag)
	for i := 0; i < len(m.combiners) && r.resets; i++ {
		if s, ok := m.combiners[i].(interface{ resetCovariance() }); ok {
			s.resetCovariance()
		}
	}
	watches := c.Change.Watches(r.Predictions.Rows, rows)
	if m.target.Kind == schema.Classes {
		return watches && c.Change.Add(change.OfClasses(r.Predictions.Main.Classes, int(r.Y)), m.Rows, resetDelay)
	}
	place := 1
	if r.Y < low {
		place = 0
	} else if r.Y > high {
		place = 2
	}
	alarm = watches && c.Change.Add(c.Change.Places.Ratios(place), m.Rows, resetDelay)
	c.Change.Places.Learn(place, rows)
	return alarm
}
