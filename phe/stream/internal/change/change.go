// Package change tests whether the forecasts of a stream still hold, whatever its labels are and however hard they are to forecast.
//
// # Method
//
// Be p the forecast of a row, and q another distribution that was chosen before the label y was known. If p is right, the ratio q(y)/p(y)
// has the mean 1. So the sum R ← (R + 1) q(y)/p(y) of Shiryaev and Roberts is n on average after n rows, and so is the mean of the sums
// of several q. It passes a threshold A at most once in A rows on average (Shin, Ramdas and Rinaldo, 2023, "E-detectors"). If some q is
// better than p, its sum grows like the product of its ratios, and passes the threshold soon.
//
// The alternatives of classes are less sure, surer, uniform, and for two classes also turned around and moved to either side. A number or a
// count has no distribution that could be trusted so far. It lies below, in or above its interval, and p is how often that was so.
package change

import (
	"math"
	"slices"
)

// Threshold is A: one alarm in ten million rows whose forecasts are right.
const Threshold = 1e7

// From is the number of rows before which nothing is tested: a model that is learning its first rows is often too sure.
const From = 1000

// Test watches one stream. Its fields are exported for encoding/json, which keeps every bit.
type Test struct {
	Sums   [alternatives]float64 `json:"sums"`
	Places Places                `json:"places"`
	Known  int64                 `json:"known,omitempty"`  // rows that were learned when the label that was watched last was known
	Due    int64                 `json:"due,omitempty"`    // after an alarm, rows before this one are not watched
	Alarms int                   `json:"alarms,omitempty"` // so far
	Last   int64                 `json:"last,omitempty"`   // row of the last alarm
}

// Ratios are q(y)/p(y) of each alternative q.
type Ratios [alternatives]float64

const alternatives = 6

// Watches tells whether a label is to be watched, which comes when a number of rows is learned. asked is the number of rows that were
// learned when its row was forecast. Only a forecast that knew the label watched before keeps the mean of R: errors of the forecasts
// in between have one cause.
func (t *Test) Watches(asked, rows int64) bool { return rows >= max(From, t.Due) && asked >= t.Known }

// Add takes the ratios of a watched label, the row-th that is learned. After an alarm, which is true, the test pauses and begins again.
func (t *Test) Add(r Ratios, row, pause int64) bool {
	sum := 0.0
	for i := range t.Sums {
		t.Sums[i] = (t.Sums[i] + 1) * r[i]
		sum += t.Sums[i]
	}
	t.Known = row
	if sum < alternatives*Threshold {
		return false
	}
	t.Sums, t.Due, t.Last = [alternatives]float64{}, row+pause, row
	t.Alarms++
	return true
}

// Sound tells whether a test from a file can go on.
func (t *Test) Sound() bool {
	return min(slices.Min(t.Sums[:]), slices.Min(t.Places[:])) >= 0 && slices.Max(t.Sums[:]) < alternatives*Threshold
}

// least bounds a probability, so that no label alone decides.
const least = 1e-7

// OfClasses returns the ratios of the class that came.
func OfClasses(p []float64, class int) Ratios {
	if len(p) == 2 {
		return ofTwo(p[1], class)
	}
	k, roots, powers := float64(len(p)), 0.0, 0.0
	for _, q := range p {
		root := math.Sqrt(max(q, least))
		roots += root
		powers += root * max(q, least)
	}
	own := max(p[class], least)
	uniform := 1 / k / own
	return Ratios{1 / math.Sqrt(own) / roots, math.Sqrt(own) / powers, uniform, 0.5 + 0.5*uniform, 0.8 + 0.2*uniform, 0.2 + 0.8*uniform}
}

// ofTwo returns the ratios of two classes. The alternatives have the odds √o, 1, 1/√o, 2o, o/2 and o√o, where o are the forecast's.
func ofTwo(second float64, class int) (r Ratios) {
	p := min(max(second, least), 1-least)
	o := p / (1 - p)
	root := math.Sqrt(o)
	for i, odds := range [alternatives]float64{root, 1, 1 / root, 2 * o, o / 2, o * root} {
		if r[i] = 1 / ((1 + odds) * (1 - p)); class == 1 {
			r[i] = odds / ((1 + odds) * p)
		}
	}
	return r
}

// Places are the shares of the rows whose number came below, in and above its interval.
type Places [3]float64

// NewPlaces returns the shares of an interval that holds nine in ten numbers.
func NewPlaces() Places { return Places{0.05, 0.9, 0.05} }

// Ratios returns the ratios of a number that came below (0), in (1) or above (2) its interval. The alternatives have shares in proportion
// to the present ones times a row of tilts.
func (p *Places) Ratios(place int) (r Ratios) {
	for i, tilt := range tilts {
		r[i] = tilt[place] / (p[0]*tilt[0] + p[1]*tilt[1] + p[2]*tilt[2])
	}
	return r
}

// tilts are nine and nineteen in twenty misses instead of one in ten, on both sides, above or below. Fewer are no reason to forget: items
// of great spread, such as users who rate as nobody else does, have them for a while.
var tilts = [alternatives][3]float64{{9, 1. / 9, 9}, {0.2, 1. / 9, 18}, {18, 1. / 9, 0.2}, {9.6, 0.04, 9.6}, {0.2, 0.04, 19},
	{19, 0.04, 0.2}}

// Learn moves the shares to a row's place, after a number of rows.
func (p *Places) Learn(place int, rows int64) {
	const first, pace = 20, 1e-3 // rows that the first shares count as; least rate
	rate := max(pace, 1/float64(rows+first))
	for i := range p {
		came := 0.0
		if i == place {
			came = 1
		}
		p[i] += rate * (came - p[i])
	}
}
