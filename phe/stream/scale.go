package stream

import (
	"gophe/phe/disk/text"
	"gophe/phe/stream/schema"
	"math"
	"slices"
)

// scale brings a number to about mean 0 and standard deviation 1, which the model's priors need. It is learned from the first rows. Their
// forecasts are the base rate, and the models learn them as soon as the scale is known.
type scale struct {
	Center float64 `json:"center"`
	Spread float64 `json:"spread"` // 0 while it is not known

	First []first `json:"first,omitempty"`

	tamed bool // a number of First was wild
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
func newScale(kind schema.TargetKind) *scale {
	if kind == schema.Amount {
		return &scale{}
	}
	return &scale{Spread: 1}
}

// known tells whether the scale is known.
func (s *scale) known() bool { return s.Spread > 0 }

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

// in returns a target in the model's scale.
func (s *scale) in(y float64) float64 { return (y - s.Center) / s.Spread }

// out returns a forecast in the target's scale.
func (s *scale) out(m prediction) prediction {
	m.Mean = s.Center + s.Spread*m.Mean
	m.Variance *= s.Spread * s.Spread
	m.Spread *= s.Spread
	return m
}
