package evaluation

import (
	"math"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/internal/ensemble"
	"gophe/phe/stream/schema"
)

// A forecast that waited is scored by the interval that was told, and teaches how wide an interval must be from now on.
func TestWaitingInterval(t *testing.T) {
	e := New(schema.Target{Kind: schema.Amount}, ensemble.Design{})
	e.Add(&ensemble.Predictions{Main: ensemble.Prediction{Variance: 1}, Width: 1}, 1.3, 1)
	filetest.Want(t, e.Boards.Main.All.Sum.Covered, 0, "1.3 is in an interval of 1")
	filetest.True(t, e.Intervals.width(0) < normalQuantile, "a number that is in the interval of today widens it")
}

// TestIntervals: a miss widens the interval of its tier of novelty and of no other one, and a row that is held narrows it.
func TestIntervals(t *testing.T) {
	v, rows, want := newIntervals(), [4]float64{}, [4]float64{normalQuantile, normalQuantile, normalQuantile, normalQuantile}
	for row, seen := range []int64{0, 0, 1, 3, 11, 2, 10, 1e6, 2} {
		tier := []int{0, 0, 1, 2, 3, 1, 2, 3, 1}[row]
		v.learn(seen, row > 4)
		rows[tier]++
		want[tier] *= 1 + 0.05/math.Sqrt(1+rows[tier]/100)*map[bool]float64{false: 0.9, true: -0.1}[row > 4]
		for tier, seen := range []int64{0, 2, 10, 1e6} {
			filetest.Near(t, v.width(seen), want[tier], 1e-12, "after row %d: the width of tier %d", row+1, tier)
		}
	}
}
