package evaluation

import (
	"math"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// TestIntervals: a miss widens the interval of its tier of novelty, and of no other one. A row that is held narrows it.
func TestIntervals(t *testing.T) {
	v, want := newIntervals(), [4]float64{normalQuantile, normalQuantile, normalQuantile, normalQuantile}
	for i, seen := range []int64{0, 1, 3, 11} {
		for row := range 3 {
			v.learn(seen, row == 2)
			step := 0.05 / math.Sqrt(1+float64(row+1)/100)
			want[i] *= 1 + step*map[bool]float64{false: 0.9, true: -0.1}[row == 2]
		}
		for k, seen := range []int64{0, 2, 10, 1e6} {
			filetest.Near(t, v.width(seen), want[k], 1e-12, "after rows of tier %d: the width of tier %d", i, k)
		}
	}
}

// reportOf is a report of ten parts of 100 rows with the given log-losses.
func reportOf(losses ...float64) Report {
	r := Report{Target: schema.Target{Kind: schema.Classes, Classes: []string{"no", "yes"}}, Rows: 1000, Models: make([]Score, 1),
		Novelty: make([]Tally, 4)}
	for _, loss := range losses {
		part := Tally{Rows: 100, Weight: 100, Sum: Outcome{LogLoss: 100 * loss}}
		r.Parts = append(r.Parts, part)
		r.Models[0].All.merge(part)
	}
	return r
}

// TestGain: a run is better if it is by .2 % of the score, and in eight tenths of the rows.
func TestGain(t *testing.T) {
	base := reportOf(1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	for want, r := range map[string]Report{
		"log-loss 0.9200 instead of 1.0000": reportOf(.9, .9, .9, .9, .9, .9, .9, .9, 1, 1),
		"log-loss 0.9960 instead of 1.0000": reportOf(.9, .9, .9, .9, .9, .9, .9, .9, 1.38, 1.38),
	} {
		filetest.Want(t, r.Gain(base), want, "the gain")
	}
	for _, r := range []Report{base, reportOf(.5, .5, .5, .5, .5, .5, .5, 1, 1, 1), reportOf(.9, .9, .9, .9, .9, .9, .9, .9, 1.395, 1.395)} {
		filetest.Want(t, r.Gain(base), "", "the gain in %v", r.Parts)
	}
}

// TestLoad: a report says that new items look known where more than six in ten counters are in use.
func TestLoad(t *testing.T) {
	r := reportOf(1)
	r.Load = 0.61
	filetest.WantWords(t, r.String(), "\n61 % of the counters of seen items are in use, so that many new items look known\n")
	r.Load = 0.6
	filetest.WantNone(t, r.String(), "counters")
}
