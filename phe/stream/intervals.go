package stream

import (
	"math"
)

// intervals learns the width of 90 % intervals, in standard deviations, for each tier of novelty. It widens the interval after a miss
// and narrows it after a hit. In the long run the intervals then hold nine in ten numbers for any distribution of the errors (Gibbs
// and Candès, 2021).
type intervals struct {
	Factor [noveltyTiers]float64 `json:"factor"`
	Rows   [noveltyTiers]int64   `json:"rows"`
}

func newIntervals() (v intervals) {
	for i := range v.Factor {
		v.Factor[i] = normalQuantile
	}
	return v
}

func (v *intervals) factor(seen int64) float64 { return v.Factor[NoveltyTier(seen)] }

// learn adapts the factor to a hit or a miss of an interval.
func (v *intervals) learn(seen int64, held bool) {
	const (
		first, last      = 0.05, 0.005 // steps, in units of the factor
		settled          = 100         // rows of the first steps
		smallest, widest = 0.2, 20.
	)
	tier := NoveltyTier(seen)
	v.Rows[tier]++
	step := max(last, first/math.Sqrt(1+float64(v.Rows[tier])/settled))
	missed := 1.0
	if held {
		missed = 0
	}
	v.Factor[tier] = min(max(v.Factor[tier]*(1+step*(missed-(1-(highQuantile-lowQuantile)))), smallest), widest)
}
