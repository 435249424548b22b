package ensemble

import (
	"math"

	"gophe/phe/onepass"
)

// unit is a linear scale in which a number has about mean 0 and standard deviation 1: the experts' priors need that.
type unit struct {
	Center float64 `json:"center"`
	Spread float64 `json:"spread"` // 0 while it is not known
}

func (u unit) known() bool { return u.Spread > 0 }

// in returns a target in the unit, where tables of float32 can hold its errors.
func (u unit) in(y float64) float64 { return max(-maxScaled, min(maxScaled, (y-u.Center)/u.Spread)) }

const maxScaled = 1e25

// out sets to to a copy of a forecast, in the target's unit.
func (u unit) out(f *onepass.Forecast, to *Prediction) {
	to.Classes = append(to.Classes[:0], f.Classes...)
	to.Mean, to.Variance, to.Spread = u.Center+u.Spread*f.Mean, f.Variance*(u.Spread*u.Spread), f.Spread*u.Spread
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
