package stream

import (
	"math"

	"gophe/phe/stream/internal/change"
	"gophe/phe/stream/schema"
)

// course is what a learner measures of its stream, to know how much a row counts, how stale what came last is, and whether the forecasts
// still hold. A learner without design.Course has none: nil.
type course struct {
	LogWeight float64     `json:"log_weight,omitempty"` // running mean of the logarithms of the rows' weights
	Lag       float64     `json:"lag,omitempty"`        // running mean of the rows that are learned between a forecast and its label
	Change    change.Test `json:"change"`
}

func newCourse(d design) *course {
	if !d.Course {
		return nil
	}
	return &course{Change: change.Test{Places: change.NewPlaces()}}
}

// counts returns the number of rows that the next row counts as, after a number of rows: its weight relative to the geometric mean of the
// weights so far. So the unit of the weights is nothing, and one wild weight moves neither the mean nor the beliefs far.
func (c *course) counts(weight float64, rows int64) float64 {
	const least, most, farthest = 1e-3, 20, 7
	w := math.Log(weight)
	seen := w
	if rows > 0 {
		seen = max(c.LogWeight-farthest, min(c.LogWeight+farthest, w))
	}
	c.LogWeight += (seen - c.LogWeight) / float64(rows+1)
	return max(least, min(most, math.Exp(w-c.LogWeight)))
}

// fresh returns the share of what came last that is no more stale: labels that come late tell less of the present.
func (c *course) fresh() float64 {
	const halved = 32 // rows of lag at which it counts half
	if c == nil {
		return 1
	}
	return 1 / (1 + c.Lag/halved)
}

// Widening is the number of rows after an alarm of the forecasts at which beliefs become less sure. It is fixed, so that the bits are the
// same with several threads: twice as many rows are under way in a [Pipeline].
const widening = 2 * MaxBatch

// widens tells whether beliefs become less sure once the next row is learned.
func (c *course) widens(rows int64) bool {
	return c != nil && c.Change.Due > 0 && rows+1 == c.Change.Due
}

// changes returns the number of times that the forecasts did not hold.
func (c *course) changes() int {
	if c == nil {
		return 0
	}
	return c.Change.Alarms
}

// watch tests whether the forecasts of a row still held, which was just learned. factor is the width of a number's interval, in standard
// deviations.
func (m *model) watch(p *predictions, y, factor float64) {
	c, rows := m.course, m.rows-1
	if c == nil {
		return
	}
	const pace = 0.002 // least rate of the running mean
	c.Lag += max(1/float64(m.rows), pace) * (float64(rows-p.rows) - c.Lag)
	if c.widens(rows) && m.mixture.last != nil {
		m.mixture.last.widen()
	}
	watches := c.Change.Watches(p.rows, rows)
	if m.target.Kind == schema.Classes {
		if watches {
			c.Change.Add(change.OfClasses(p.Main.Classes, int(y)), m.rows, widening)
		}
		return
	}
	low, high := p.Main.Low, p.Main.High
	if m.target.Kind == schema.Amount {
		half := factor * math.Sqrt(p.Main.Variance)
		low, high = p.Main.Mean-half, p.Main.Mean+half
	}
	place := 1
	if y < low {
		place = 0
	} else if y > high {
		place = 2
	}
	if watches {
		c.Change.Add(c.Change.Places.Ratios(place), m.rows, widening)
	}
	c.Change.Places.Learn(place, rows)
}
