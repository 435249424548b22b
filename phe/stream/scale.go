package stream

import (
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
}

// first is a row that waits for the scale.
type first struct {
	Record schema.Record `json:"record"`
	Y      float64       `json:"y"`
	Weight float64       `json:"weight"`
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

// add takes a first row. It returns true if the scale is known now.
func (s *scale) add(r schema.Record, y, weight float64) bool {
	s.First = append(s.First, first{slices.Clone(r), y, weight})
	if len(s.First) < scaleRows {
		return false
	}
	values := make([]float64, scaleRows)
	for i, f := range s.First {
		values[i] = f.Y
	}
	slices.Sort(values)
	const perDeviation = 1.349 // distance between the quartiles of N(0, 1)
	s.Center = (values[scaleRows/2-1] + values[scaleRows/2]) / 2
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

// in returns a target in the model's scale.
func (s *scale) in(y float64) float64 { return (y - s.Center) / s.Spread }

// out returns a forecast in the target's scale.
func (s *scale) out(m law) law {
	m.Mean = s.Center + s.Spread*m.Mean
	m.Variance *= s.Spread * s.Spread
	m.Spread *= s.Spread
	return m
}
