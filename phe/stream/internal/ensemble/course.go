package ensemble

import (
	"math"

	"gophe/phe/onepass"
	"gophe/phe/stream/internal/change"
	"gophe/phe/stream/schema"
)

// Course is measured along the stream: the usual weight, the lag of labels, and whether the forecasts hold. Old models have none: nil.
type Course struct {
	LogWeight float64     `json:"log_weight,omitempty"` // running mean of the logarithms of the rows' weights
	Lag       float64     `json:"lag,omitempty"`        // running mean of the rows that are learned between a forecast and its label
	Change    change.Test `json:"change"`
}

func newCourse(d Design) *Course {
	if !d.Course {
		return nil
	}
	return &Course{Change: change.Test{Places: change.NewPlaces()}}
}

// counts returns the number of rows that the next row counts as, after a number of rows: its weight relative to the geometric mean of the
// weights so far. So the unit of the weights is nothing, and one wild weight moves neither the mean nor the beliefs far.
func (c *Course) counts(weight float64, rows int64) float64 {
	const least, most, farthest = 1e-3, 20, 7
	w := math.Log(weight)
	seen := w
	if rows > 0 {
		seen = max(c.LogWeight-farthest, min(c.LogWeight+farthest, w))
	}
	c.LogWeight += (seen - c.LogWeight) / float64(rows+1)
	return max(least, min(most, math.Exp(w-c.LogWeight)))
}

// fresh returns the factor of the recent inputs of stacking: labels that come late tell less of the present.
func (r *Row) fresh() float64 {
	const halved = 32 // lag at which it counts half
	return 1 / (1 + r.lag/halved)
}

// MaxBatch is the largest number of rows that threads may take through the parts together.
const MaxBatch = 32

// widening is the rows between an alarm and less sure beliefs. It is fixed, so that threads with two batches under way give the same bits.
const widening = 2 * MaxBatch

// widens tells whether beliefs become less sure once the next row is learned.
func (c *Course) widens(rows int64) bool {
	return c != nil && c.Change.Due > 0 && rows+1 == c.Change.Due
}

// Watch returns true for an alarm: the forecasts do not hold at a row that was just learned. People saw the interval from low to high.
func (m *Model) Watch(r *Row, low, high float64) (alarm bool) {
	c, rows := m.course, m.Rows-1
	if c == nil {
		return false
	}
	const pace = 0.002 // least rate of the running mean
	c.Lag += max(1/float64(m.Rows), pace) * (float64(rows-r.Predictions.Rows) - c.Lag)
	for i := 0; i < len(m.joiners) && r.widens; i++ {
		if s, ok := m.joiners[i].(interface{ widen() }); ok {
			s.widen()
		}
	}
	watches := c.Change.Watches(r.Predictions.Rows, rows)
	if m.target.Kind == schema.Classes {
		return watches && c.Change.Add(change.OfClasses(r.Predictions.Main.Classes, int(r.Y)), m.Rows, widening)
	}
	place := 1
	if r.Y < low {
		place = 0
	} else if r.Y > high {
		place = 2
	}
	alarm = watches && c.Change.Add(c.Change.Places.Ratios(place), m.Rows, widening)
	c.Change.Places.Learn(place, rows)
	return alarm
}

// unit is a linear scale in which a number has about mean 0 and standard deviation 1: the experts' priors need that.
type unit struct {
	Center float64 `json:"center"`
	Spread float64 `json:"spread"` // 0 while it is not known
}

func (u unit) known() bool { return u.Spread > 0 }

// in returns a target in the unit, where tables of float32 can hold its errors.
func (u unit) in(y float64) float64 { return max(-maxScaled, min(maxScaled, (y-u.Center)/u.Spread)) }

const maxScaled = 1e25

// out returns a forecast in the target's unit.
func (u unit) out(f onepass.Forecast) Prediction {
	variance := f.Variance * (u.Spread * u.Spread)
	return Prediction{Classes: f.Classes, Mean: u.Center + u.Spread*f.Mean, Variance: variance, Spread: f.Spread * u.Spread}
}

// Window measures the level and the spread of the last thousand or two thousand numbers, exactly: nothing older counts.
type Window struct {
	Last    Moments `json:"last"`  // of the last full block of rows
	Now     Moments `json:"now"`   // of the block that is not full
	Reach   float64 `json:"reach"` // deviations that a row counts at most
	Changes int64   `json:"changes"`
}

// Moments are number, mean and sum of squares around the mean.
type Moments struct {
	Rows    float64 `json:"rows"`
	Mean    float64 `json:"mean"`
	Squares float64 `json:"squares"`
}

func (m *Moments) add(y float64) {
	m.Rows++
	step := y - m.Mean
	m.Mean += step / m.Rows
	m.Squares += step * (y - m.Mean)
}

// and returns the moments of two sets of rows together (Chan, Golub and LeVeque, 1979).
func (m Moments) and(o Moments) Moments {
	rows, step := m.Rows+o.Rows, o.Mean-m.Mean
	if rows == 0 {
		return m
	}
	return Moments{rows, m.Mean + step*o.Rows/rows, m.Squares + o.Squares + step*step*m.Rows*o.Rows/rows}
}

const (
	firstBlock  = 125    // rows of the first block; each one is twice as long as the one before, so that a wild start is soon gone
	blockRows   = 1000   // of a block of the window, at most
	leastReach  = 10     // deviations
	mostReach   = 1e9    // deviations
	reachPace   = 0.0035 // share of its reach that the window loses in a row; so outliers may be one number in 200
	leastSpread = 1e-30  // that a unit follows, so that the factor from one unit to another is finite
	loose       = 2      // the unit follows when the spread differs by this factor
	away        = 3      // deviations by which the level differs when the unit follows
)

// add adds a number. One that lies beyond the reach counts as so far only, and doubles it: an outlier that has company is none.
func (w *Window) add(y float64, u unit) {
	all := w.Last.and(w.Now)
	level, spread := all.Mean, math.Sqrt(all.Squares/max(1, all.Rows))
	if all.Rows < scaleRows {
		level, spread = u.Center, u.Spread
	}
	if most := w.Reach * spread; math.Abs(y-level) <= most || most == 0 {
		w.Reach = max(leastReach, w.Reach*(1-reachPace))
	} else {
		y = level + math.Copysign(most, y-level)
		w.Reach = min(2*w.Reach, mostReach)
	}
	if w.Now.add(y); w.Now.Rows >= min(blockRows, max(firstBlock, 2*w.Last.Rows)) {
		w.Last, w.Now = w.Now, Moments{}
	}
}

// watch measures a number, and lets the unit follow.
func (s *Scale) watch(y float64) {
	w := s.Window
	if w == nil || !s.known() {
		return
	}
	w.add(y, s.unit)
	all := w.Last.and(w.Now)
	spread := math.Sqrt(all.Squares / all.Rows)
	by := spread / s.Spread
	if spread > leastSpread && (by > loose || by < 1./loose || math.Abs(all.Mean-s.Center) > away*s.Spread) {
		s.unit = unit{all.Mean, spread}
		w.Changes++
	}
}

func (w *Window) sound() bool {
	ok := w.Reach >= leastReach && w.Reach <= mostReach
	for _, m := range [2]Moments{w.Last, w.Now} {
		ok = ok && m.Rows >= 0 && m.Rows <= blockRows && m.Squares >= 0 && math.Abs(m.Mean) <= math.MaxFloat32
	}
	return ok
}
