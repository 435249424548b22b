package stream

import (
	"math"
	"slices"

	"gophe/phe/count"
	"gophe/phe/internal/text"
	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// baseRate is the base rate: a forecast from the targets so far and nothing else. It holds the frequencies of classes or of cells of
// counts, or the mean and variance of numbers.
type baseRate struct {
	Weights []float64 `json:"weights,omitempty"` // weights of classes or cells
	Total   float64   `json:"total"`
	Mean    float64   `json:"mean,omitempty"`
	Squares float64   `json:"squares,omitempty"` // around the mean
	Wild    int       `json:"wild,omitempty"`    // number of wild rows since the last other row

	shares []float64
}

func newBaseRate(t schema.Target) baseRate {
	n := len(t.Classes)
	u := baseRate{Weights: slices.Repeat([]float64{1}, n), Total: float64(max(1, n))}
	if t.Kind == schema.Count { // before any row, P(Y + 1 ≥ y) = 1/y²
		u.Weights = count.Octaves().Small()
	}
	u.shares = make([]float64, len(u.Weights))
	return u
}

// predict returns the forecast. It is valid until the next learn.
func (u *baseRate) predict(kind schema.TargetKind) prediction {
	if kind == schema.Amount {
		variance := 1.0
		if u.Total > 2 {
			variance = u.Squares / (u.Total - 2)
		}
		return prediction{Mean: u.Mean, Variance: max(variance, math.SmallestNonzeroFloat32)}
	}
	for k, w := range u.Weights {
		u.shares[k] = w / u.Total
	}
	if kind == schema.Count {
		return predictionOfCount(shifted{count.Histogram(count.Octaves(), u.shares)})
	}
	return prediction{Classes: u.shares}
}

// learn learns a target.
func (u *baseRate) learn(kind schema.TargetKind, y, weight float64) {
	u.Total += weight
	switch kind {
	case schema.Amount:
		step := y - u.Mean
		u.Mean += step * weight / (u.Total - 1)
		u.Squares += weight * step * (y - u.Mean)
	case schema.Count:
		u.Weights[count.Octaves().Of(int(y)+1)] += weight
	default:
		u.Weights[int(y)] += weight
	}
}

// A target that lies more than wildAt deviations from the mean of a stream of numbers is wild. It counts as wildAs deviations. If it is
// not alone the stream has changed: each wild row counts as twice the one before.
const wildAt, wildAs = 1e6, 10

// tame bounds a number that is wild by what one row may do to a belief, and counts it. It leaves all other targets as they are. A weight
// counts at least as a small share of the mean weight of the base rate's rows.
func (m *model) tame(of *labelled, rows int64) {
	of.weight = max(of.weight, onepass.LeastWeight*m.baseRate.Total/float64(rows+int64(max(1, len(m.target.Classes)))))
	if m.target.Kind != schema.Amount {
		return
	}
	// The stream may have been constant so far, but for the noise of its arithmetic. So no deviation is less than the first numbers' scale.
	u := &m.baseRate
	d := max(math.Sqrt(u.predict(schema.Amount).Variance), m.scale.Spread, 1e-3*max(1, math.Abs(u.Mean)))
	at := wildAt * d
	if u.Squares == 0 {
		at *= 1000 // a million deviations of a constant are nothing
	}
	if !m.scale.known() || math.Abs(of.y-u.Mean) <= at {
		u.Wild = 0
		return
	}
	d *= min(math.Ldexp(wildAs, u.Wild), wildAt)
	u.Wild = min(u.Wild+1, 20)
	m.wild++
	of.y = u.Mean + math.Copysign(d, of.y-u.Mean)
}

// unit is a linear scale of numbers. The experts learn a number in a unit in which it has about mean 0 and standard deviation 1, since their
// priors need that.
type unit struct {
	Center float64 `json:"center"`
	Spread float64 `json:"spread"` // 0 while it is not known
}

// scale holds the unit of a number. It is learned from the first rows. Their forecasts are the base rate, and the models learn them as soon as
// the unit is known. From then on the unit follows what a window measures. In a model of before, the first rows fix it for ever.
type scale struct {
	unit
	First  []first `json:"first,omitempty"`
	Window *window `json:"window,omitempty"` // nil in models of before

	tamed bool // a number of First was wild
}

// window measures the level and the spread of the last thousand or two thousand numbers, exactly: nothing older counts.
type window struct {
	Last    moments `json:"last"`  // of the last full block of rows
	Now     moments `json:"now"`   // of the block that is not full
	Reach   float64 `json:"reach"` // deviations that a row counts at most
	Changes int64   `json:"changes"`
}

// moments are number, mean and sum of squares around the mean.
type moments struct {
	Rows    float64 `json:"rows"`
	Mean    float64 `json:"mean"`
	Squares float64 `json:"squares"`
}

// add adds a number.
func (m *moments) add(y float64) {
	m.Rows++
	step := y - m.Mean
	m.Mean += step / m.Rows
	m.Squares += step * (y - m.Mean)
}

// and returns the moments of two sets of rows together (Chan, Golub and LeVeque, 1979).
func (m moments) and(o moments) moments {
	rows, step := m.Rows+o.Rows, o.Mean-m.Mean
	if rows == 0 {
		return m
	}
	return moments{rows, m.Mean + step*o.Rows/rows, m.Squares + o.Squares + step*step*m.Rows*o.Rows/rows}
}

const (
	blockRows   = 1000   // of a block of the window
	leastReach  = 10     // deviations
	mostReach   = 1e9    // deviations
	reachPace   = 0.0035 // share of its reach that the window loses in a row; so numbers are no outliers if more than one in 200 is like them
	leastSpread = 1e-30  // that a unit follows, so that the factor from one unit to another is finite
	loose       = 2      // the unit follows when the spread differs by this factor, or the level by as many deviations
)

// add adds a number. One that lies beyond the reach counts as so far only, and doubles it: an outlier that has company is none.
func (w *window) add(y float64, u unit) {
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
	if w.Now.add(y); w.Now.Rows == blockRows {
		w.Last, w.Now = w.Now, moments{}
	}
}

// watch measures a number, and lets the unit follow.
func (s *scale) watch(y float64) {
	w := s.Window
	if w == nil || !s.known() {
		return
	}
	w.add(y, s.unit)
	all := w.Last.and(w.Now)
	spread := math.Sqrt(all.Squares / all.Rows)
	by := spread / s.Spread
	if spread > leastSpread && (by > loose || by < 1./loose || math.Abs(all.Mean-s.Center) > loose*s.Spread) {
		s.unit = unit{all.Mean, spread}
		w.Changes++
	}
}

// first is a row that waits for the scale.
type first struct {
	Record text.Strings `json:"record"`
	Y      float64      `json:"y"`
	Weight float64      `json:"weight"`
}

// scaleRows is the number of rows that the scale is learned from.
const scaleRows = 20

// newScale returns the scale of a target. The scale of classes and counts changes nothing.
func newScale(kind schema.TargetKind, follows bool) *scale {
	switch {
	case kind == schema.Amount && follows:
		return &scale{Window: &window{Reach: leastReach}}
	case kind == schema.Amount:
		return &scale{}
	}
	return &scale{unit: unit{Spread: 1}}
}

// known tells whether the scale is known.
func (s unit) known() bool { return s.Spread > 0 }

// tame brings the number of First that lies farthest from the center to the next one, if it is wild beside all others.
func (s *scale) tame() {
	farthest, largest, second := 0, 0., 0.
	for i, f := range s.First {
		if d := math.Abs(f.Y - s.Center); d > largest {
			farthest, largest, second = i, d, largest
		} else {
			second = max(second, d)
		}
	}
	if s.tamed = largest > wildAt*max(second, 1000*max(1, math.Abs(s.Center))); s.tamed {
		y := &s.First[farthest].Y
		*y = s.Center + math.Copysign(second, *y-s.Center)
	}
}

// add takes a first row. It returns true if the scale is known now.
func (s *scale) add(r schema.Record, y, weight float64) bool {
	s.First = append(s.First, first{slices.Clone(text.Strings(r)), y, weight})
	if len(s.First) < scaleRows {
		return false
	}
	values := s.sorted()
	s.Center = (values[scaleRows/2-1] + values[scaleRows/2]) / 2
	if s.tame(); s.tamed {
		values = s.sorted()
	}
	const perDeviation = 1.349 // distance between the quartiles of N(0, 1)
	s.Spread = (values[3*scaleRows/4] - values[scaleRows/4-1]) / perDeviation
	if s.Spread == 0 { // at least half of the values are equal: take the largest distance from them
		for _, v := range values {
			s.Spread = max(s.Spread, math.Abs(v-s.Center))
		}
	}
	if s.Spread == 0 {
		s.Spread = max(1, math.Abs(s.Center))
	}
	if w := s.Window; w != nil {
		for _, f := range s.First {
			w.add(f.Y, s.unit)
		}
		if spread := math.Sqrt(w.Now.Squares / w.Now.Rows); spread > leastSpread {
			s.Spread = spread
		}
	}
	return true
}

// sorted returns the numbers of First.
func (s *scale) sorted() (values []float64) {
	for _, f := range s.First {
		values = append(values, f.Y)
	}
	slices.Sort(values)
	return values
}

// in returns a target in the model's scale, where tables of float32 can hold its errors.
func (s unit) in(y float64) float64 { return max(-maxScaled, min(maxScaled, (y-s.Center)/s.Spread)) }

const maxScaled = 1e25

// out returns a forecast in the target's scale.
func (s unit) out(m prediction) prediction {
	m.Mean = s.Center + s.Spread*m.Mean
	m.Variance *= s.Spread * s.Spread
	m.Spread *= s.Spread
	return m
}
