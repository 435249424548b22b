// Package change finds out when a forecast that once held is wrong, whatever the labels are and however hard they are to forecast.
//
// A Detector compares a reference forecast p with alternatives q. Each q is chosen before the label y of a row is known. It sums
//
//	R ← (R + 1) q(y) / (p(y) max(1, M) (1 + a))
//
// for each alternative (Shiryaev and Roberts). M is the mean of the ratio q(y)/p(y) over the rows before, and a is an allowance of 1 %.
// The alarm goes off when the mean of the sums reaches A. This is an e-detector (Shin, Ramdas and Rinaldo, 2023, "E-detectors").
//
// Suppose that each label is known before the next row is forecast, and that p is right, or wrong by no more than a in the mean of the
// ratio. Then there is at most one alarm in A rows on average. The proof is in docs/stream-model.md, with the cases in which the bound is
// only argued. While R is large, neither the reference nor M learns: a suspected forecast is no reference.
package change

import (
	"math"
	"slices"

	"gophe/phe/internal/text"
)

const (
	// Ways is the number of alternatives.
	Ways = 6

	threshold = 13.8 // logarithm of A: one alarm in a million rows
	allowance = 0.01 // a
	suspected = 5    // logarithm of the mean of R from which the reference does not learn
	mostRatio = 20   // of a ratio in M

	// Each alarm raises the logarithm of A for a while. On a stream that changes again and again it says little, and forgetting is no cure.
	raise, lowered = 14, 5e-5 // added by an alarm; share that a row takes off

	first = 500  // rows before which no forecast is watched: a model that is learning its first rows is often too sure
	tests = 1000 // rows of a reference before the first alarm
	again = 500  // rows of a later reference

	// Holds is the slope from which nothing is to be forgotten.
	Holds   = 0.75
	follows = 0.65 // slope below which the remedy is Forget

	reads = 64 // rows after an alarm until its remedy is chosen: the rows that set it off say too little about the slope

	// resetDelay is the number of rows from this choice to the remedy: fixed, so that threads with two batches under way give equal bits.
	resetDelay = 2 * MaxBatch
	// MaxBatch is the largest number of rows that threads may take through a model together.
	MaxBatch = 32

	soon = 5000 // rows in which a second alarm without a remedy is only counted
	kept = 20   // alarms that are kept
)

// suspicion is the mean of R from which its logarithm matters.
var suspicion = math.Exp(suspected)

// Detector watches one stream. Its fields are exported for encoding/json, which keeps every bit.
type Detector struct {
	Sums   [Ways]float64 `json:"sums"`  // R
	Means  [Ways]float64 `json:"means"` // M
	Level  float64       `json:"level,omitempty"`
	Raised float64       `json:"raised,omitempty"`
	Rows   float64       `json:"rows,omitempty"` // of the reference
	Since  int64         `json:"since"`          // a forecast that knew fewer rows is older than the reference
	From   int64         `json:"from"`           // row from which there may be alarms
	Read   int64         `json:"read,omitempty"` // row from which the remedy of an alarm is chosen; 0 without such an alarm
	Due    int64         `json:"due,omitempty"`  // row of the last remedy
	Remedy Remedy        `json:"remedy,omitempty"`
	Keep   float64       `json:"keep,omitempty"` // share of the means that stays
	Far    [5]float64    `json:"far,omitzero"`   // blocks of the distances of a number's errors from 0: far errors may follow each other
	Count  int           `json:"count,omitempty"`
	Alarms []Alarm       `json:"alarms,omitempty"` // the newest that were told, oldest first
}

// New returns a detector of a stream that has no row yet.
func New() *Detector {
	d := &Detector{}
	d.begin(first, tests)
	return d
}

// begin begins a reference that knows a number of rows.
func (d *Detector) begin(since, rows int64) {
	d.Sums, d.Means, d.Level, d.Rows, d.Since, d.From = [Ways]float64{}, [Ways]float64{1, 1, 1, 1, 1, 1}, 0, 0, since, since+rows
}

// Remedy names the part of a model that is forgotten after an alarm.
type Remedy string

// Remedies. Which one is right depends on the slope of the labels by the reference: the share of the effects that still holds.
const (
	Nothing Remedy = ""
	Reset   Remedy = "reset"  // covariances become wider
	Forget  Remedy = "forget" // covariances become as wide as at first, means shrink by the slope, and no item has evidence
)

// Resets returns the remedy that is due in the next row, after a number of rows, and the share of the means that stays.
func (d *Detector) Resets(rows int64) (remedy Remedy, keep float64) {
	if rows+1 != d.Due {
		return Nothing, 1
	}
	return d.Remedy, d.Keep
}

// Learns tells whether the reference learns the next row.
func (d *Detector) Learns() bool { return d.Level <= suspected && d.Read == 0 }

// Rate returns the weight of the next row in a slow mean.
func (d *Detector) Rate() float64 { return max(1e-4, 1/(d.Rows/2+20)) }

// Add takes the ratios of a row, and returns true for an alarm.
func (d *Detector) Add(ratios [Ways]float64, row int64) bool {
	learns, rate, sum := d.Learns(), d.Rate()/2, 0.0
	d.Rows++
	d.Raised *= 1 - lowered
	for k, ratio := range ratios {
		if row >= d.From {
			d.Sums[k] = (d.Sums[k] + 1) * ratio / (max(1, d.Means[k]) * (1 + allowance))
			sum += d.Sums[k] / Ways
		}
		if learns {
			d.Means[k] += rate * (min(ratio, mostRatio) - d.Means[k])
		}
	}
	if row < d.From {
		return false
	}
	if d.Level = 0; sum > suspicion {
		d.Level = math.Log(sum)
	}
	return d.Level >= threshold+d.Raised
}

// Lead returns the alternative with the largest sum.
func (d *Detector) Lead() int { return slices.Index(d.Sums[:], slices.Max(d.Sums[:])) }

// Alarm is a row in which an alarm went off.
type Alarm struct {
	Row    int64  `json:"row"` // number of rows learned
	Kind   Kind   `json:"kind"`
	Remedy Remedy `json:"remedy,omitempty"`
	More   int    `json:"more,omitempty"` // alarms that soon followed, without a remedy like this one: they are only counted
	Last   int64  `json:"last,omitempty"` // row of the last of them
}

// Raise takes up an alarm at a row. It returns the alarm to tell; nil for one that is only counted. Its remedy is chosen later.
func (d *Detector) Raise(row int64, kind Kind) (told *Alarm) {
	d.Count++
	d.Read = row + reads
	if n := len(d.Alarms); n > 0 {
		if a := &d.Alarms[n-1]; a.Remedy == Nothing && row-max(a.Row, a.Last) <= soon {
			a.More, a.Last = a.More+1, row
			return nil
		}
	}
	d.Alarms = append(d.Alarms, Alarm{Row: row, Kind: kind})
	d.Alarms = d.Alarms[max(0, len(d.Alarms)-kept):]
	return &d.Alarms[len(d.Alarms)-1]
}

// Choose chooses the remedy of the last alarm, given its kind, the slope of the labels by the reference since then, and the usual lag of
// labels. The reference begins anew.
func (d *Detector) Choose(row int64, kind Kind, slope float64, lag int64) {
	since, a := row, &d.Alarms[len(d.Alarms)-1]
	if a.More == 0 {
		a.Kind = kind
	}
	if d.Remedy = Nothing; d.Raised < raise/2 && kind == Items && slope < Holds {
		if d.Remedy = Reset; slope < follows {
			d.Remedy = Forget
		}
		d.Due = row + resetDelay
		since, a.Remedy = d.Due, d.Remedy
	}
	d.Keep = max(0, slope)
	d.Raised += raise
	d.Read = 0
	d.begin(since, again+lag)
}

// String returns the meaning of an alarm.
func (a Alarm) String() string {
	s := "the forecasts did not hold: " + says[a.Kind]
	if a.More > 0 {
		s += ", and " + text.Grouped(int64(a.More)) + " more like it, last at row " + text.Grouped(a.Last)
	}
	return s
}

// Kind is what has changed.
type Kind string

// Kinds.
const (
	Items    Kind = "items"
	BaseRate Kind = "base_rate"
	Level    Kind = "level"
	Noise    Kind = "noise"
)

var says = map[Kind]string{
	Items:    "the same items say something else",
	BaseRate: "the base rate has changed",
	Level:    "the level has changed",
	Noise:    "the columns say less",
}

// Sound reports whether a detector from a file can go on.
func (d *Detector) Sound() bool {
	positive := func(list ...float64) bool {
		return !slices.ContainsFunc(list, func(v float64) bool { return !(v >= 0 && v <= math.MaxFloat64) })
	}
	return d != nil && positive(d.Sums[:]...) && positive(d.Means[:]...) && !math.IsNaN(d.Level) &&
		positive(d.Raised, d.Rows, d.Keep, d.Far[0], d.Far[2], d.Far[3], d.Far[4])
}
