package ensemble

import (
	"math"
	"slices"

	"gophe/phe/internal/text"
	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// unit is a linear scale in which a number has about mean 0 and standard deviation 1: the experts' priors need that.
type unit struct {
	Center float64 `json:"center"`
	Spread float64 `json:"spread"` // 0 while it is not known
}

func (u unit) known() bool { return u.Spread > 0 }

// in returns a target in the unit, where tables of float32 can hold its errors.
func (u unit) in(y float64) float64 { return max(-maxScaled, min(maxScaled, (y-u.Center)/u.Spread)) }

// out sets to to a copy of a forecast, in the target's unit.
func (u unit) out(f *onepass.Forecast, to *Prediction) {
	to.Classes = append(to.Classes[:0], f.Classes...)
	to.Mean, to.Variance, to.Spread = u.Center+u.Spread*f.Mean, f.Variance*(u.Spread*u.Spread), f.Spread*u.Spread
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

const (
	// MaxWeight is the largest weight of a row.
	MaxWeight = 1e6
	scaleRows = 20   // number of rows that the scale is learned from
	maxScaled = 1e25 // largest number in a unit
)

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

// clip moves the number of First that lies farthest from the center to the distance of the next one, if it is an outlier.
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
