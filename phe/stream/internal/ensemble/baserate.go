package ensemble

import (
	"math"
	"slices"

	"gophe/phe/count"
	"gophe/phe/internal/text"
	"gophe/phe/stream/schema"
)

// BaseRate is the forecast from the targets so far alone: frequencies of classes or of cells of counts, or mean and variance.
type BaseRate struct {
	Weights []float64 `json:"weights,omitempty"` // weights of classes or cells
	Total   float64   `json:"total"`
	Mean    float64   `json:"mean,omitempty"`
	Squares float64   `json:"squares,omitempty"`  // around the mean
	Last    float64   `json:"last,omitempty"`     // target
	Run     int       `json:"outliers,omitempty"` // number of outliers since the last other row

	kind       schema.TargetKind
	scale      *Scale
	statistics *Statistics
	shares     []float64
	outliers   int64 // rows whose target was a number beyond all measure
}

func newBaseRate(t schema.Target, in *Scale, c *Statistics) *BaseRate {
	u := &BaseRate{kind: t.Kind, scale: in, statistics: c}
	u.begin(t)
	return u
}

func (u *BaseRate) begin(t schema.Target) {
	n := max(1, len(t.Classes))
	u.Weights, u.Total, u.Mean, u.Squares, u.Run = slices.Repeat([]float64{1}, len(t.Classes)), float64(n), 0, 0, 0
	if t.Kind == schema.Count { // before any row, P(Y + 1 ≥ y) = 1/y²
		u.Weights = count.Octaves().Small()
	}
	u.shares = make([]float64, len(u.Weights))
}

// fit tells whether a base rate can take the place of another one.
func (u *BaseRate) fit(own *BaseRate) bool {
	return len(u.Weights) == len(own.Weights) && Positive(u.Weights...) && Positive(u.Total) && finite(u.Mean, u.Squares)
}

func (u *BaseRate) Forecast(r *Row) {
	p := &r.Predictions.BaseRate
	r.Predictions.Last = u.Last
	if u.kind == schema.Amount {
		p.Mean, p.Variance = u.Mean, u.variance()
		return
	}
	for k, w := range u.Weights {
		u.shares[k] = w / u.Total
	}
	if u.kind == schema.Classes {
		p.Classes = append(p.Classes[:0], u.shares...)
		return
	}
	*p = predictionOfCount(shifted{count.Histogram(count.Octaves(), u.shares)})
}

func (u *BaseRate) variance() float64 {
	variance := 1.0
	if u.Total > 2 {
		variance = u.Squares / (u.Total - 2)
	}
	return max(variance, math.SmallestNonzeroFloat32)
}

// Learn clips the row's target first, so that no later part learns an outlier.
func (u *BaseRate) Learn(r *Row) {
	u.clip(r)
	u.add(r.Y, r.Weight)
}

func (u *BaseRate) add(y, weight float64) {
	u.Total += weight
	u.Last = y
	switch u.kind {
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

// A target that lies more than outlierAt deviations from the mean of a stream of numbers is an outlier, and counts as outlierAs deviations
// at most. If it is not alone the stream has changed: each counts as twice the one before, unless they are fewer than one in alone rows.
const outlierAt, outlierAs, alone = 1e6, 5, 40

// clip bounds an outlier by what one row may do to a belief, and counts it. It leaves all other targets as they are. It also sets
// the rows that the row counts as.
func (u *BaseRate) clip(r *Row) {
	r.Weight = u.statistics.counts(r.Scored, r.Predictions.Rows)
	if u.kind != schema.Amount {
		return
	}
	// The stream may have been constant so far, but for the noise of its arithmetic. So no deviation is less than the first numbers' scale.
	d := max(math.Sqrt(u.variance()), u.scale.Spread, 1e-3*max(1, math.Abs(u.Mean)))
	at := outlierAt * d
	if u.Squares == 0 {
		at *= 1000 // a million deviations of a constant are nothing
	}
	if !u.scale.known() || math.Abs(r.Y-u.Mean) <= at {
		if r.Predictions.Rows%alone == 0 {
			u.Run = max(0, u.Run-1)
		}
		return
	}
	d *= min(math.Ldexp(outlierAs, u.Run), outlierAt/2) // of many, twice as much would make the deviation grow with its own multiple
	u.Run = min(u.Run+1, 20)
	u.outliers++
	r.Y = u.Mean + math.Copysign(d, r.Y-u.Mean)
}

// Scale holds the unit of a number. It is learned from the first rows. Their forecasts are the base rate, and the models learn them as soon
// as the unit is known. From then on the unit follows a window of rows.
type Scale struct {
	unit
	First  []First `json:"first,omitempty"`
	Window *Window `json:"window,omitempty"` // nil unless the target is a number

	clipped bool   // a number of First was an outlier
	ready   func() // called when the scale is known, to learn First
}

// First is a row that waits for the scale.
type First struct {
	Record text.Strings `json:"record"`
	Y      float64      `json:"y"`
	Weight float64      `json:"weight"`
}

// MaxWeight is the largest weight of a row.
const MaxWeight = 1e6

// scaleRows is the number of rows that the scale is learned from.
const scaleRows = 20

// newScale returns the scale of a target. The scale of classes and counts changes nothing.
func newScale(kind schema.TargetKind) *Scale {
	if kind != schema.Amount {
		return &Scale{unit: unit{Spread: 1}}
	}
	return &Scale{Window: &Window{Reach: leastReach}}
}

func (s *Scale) sound(m *Model) bool {
	odd := func(f First) bool {
		return len(f.Record) != m.columns || !(f.Weight > 0 && f.Weight <= MaxWeight) || !finite(f.Y)
	}
	if (s.Window != nil) != (m.scale.Window != nil) || s.Window != nil && !s.Window.sound() {
		return false
	}
	return len(s.First) < scaleRows && !slices.ContainsFunc(s.First, odd) &&
		finite(s.Center) && s.Spread >= 0 && s.Spread <= math.MaxFloat32 &&
		(m.target.Kind == schema.Amount || s.Center == 0 && s.Spread == 1)
}

// Forecast leaves a row as it is: each expert brings its forecasts to the unit of the target.
func (s *Scale) Forecast(*Row) {}

// Learn takes a first row.
func (s *Scale) Learn(r *Row) {
	if !s.known() && s.add(r.Record, r.Y, r.Weight) {
		r.Predictions.Restart = s.clipped
		s.ready()
	}
}

// clip brings the number of First that lies farthest from the center to the next one, if it is an outlier beside all others.
func (s *Scale) clip() {
	farthest, largest, second := 0, 0., 0.
	for i, f := range s.First {
		if d := math.Abs(f.Y - s.Center); d > largest {
			farthest, largest, second = i, d, largest
		} else {
			second = max(second, d)
		}
	}
	if s.clipped = largest > outlierAt*max(second, 1000*max(1, math.Abs(s.Center))); s.clipped {
		y := &s.First[farthest].Y
		*y = s.Center + math.Copysign(second, *y-s.Center)
	}
}

// add takes a first row. It returns true if the scale is known now.
func (s *Scale) add(r schema.Record, y, weight float64) bool {
	s.First = append(s.First, First{slices.Clone(text.Strings(r)), y, weight})
	if len(s.First) < scaleRows {
		return false
	}
	values := s.sorted()
	s.Center = (values[scaleRows/2-1] + values[scaleRows/2]) / 2
	if s.clip(); s.clipped {
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
	for _, f := range s.First {
		s.Window.add(f.Y, s.unit)
	}
	if spread := math.Sqrt(s.Window.Now.Squares / s.Window.Now.Rows); spread > leastSpread {
		s.Spread = spread
	}
	return true
}

func (s *Scale) sorted() (values []float64) {
	for _, f := range s.First {
		values = append(values, f.Y)
	}
	slices.Sort(values)
	return values
}
