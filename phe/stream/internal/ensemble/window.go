package ensemble

import "math"

// Window measures the level and the spread of the last thousand or two thousand numbers, exactly: nothing older counts.
type Window struct {
	Last    Moments `json:"last"`  // of the last full block of rows
	Now     Moments `json:"now"`   // of the block that is not full
	Reach   float64 `json:"reach"` // deviations from the level up to which a number counts in full
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

// add adds a number. A number beyond the reach counts as if it lay there, and doubles the reach: outliers that come together are a change.
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

func (w *Window) sound() bool {
	ok := w.Reach >= leastReach && w.Reach <= mostReach
	for _, m := range [2]Moments{w.Last, w.Now} {
		ok = ok && m.Rows >= 0 && m.Rows <= blockRows && m.Squares >= 0 && math.Abs(m.Mean) <= math.MaxFloat32
	}
	return ok
}
