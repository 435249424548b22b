package online_test

import (
	"math"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/online"
)

// Each run's beliefs are its own; an update moves those of its items' rows and no others.
func TestBeliefs(t *testing.T) {
	l := newLearner(t, rowItems, phe.Posterior)
	s, err := l.Snapshot()
	check(t, err)
	day := []int32{7, 99, 41}
	check(t, l.Update(day, 3, 0))
	for run := range 2 {
		after, err := l.Beliefs(run)
		check(t, err)
		check(t, l.Restore(s))
		before, err := l.Beliefs(run)
		check(t, err)
		check(t, l.Update(day, 3, 0))
		if mean, stdDev := before.E.Row(41); float32(mean[1]) != s.Parameters[0][2*(run*capacity+41)+1] || !(math.Abs(stdDev[0]-math.Exp(-3)) <= 1e-8) {
			t.Errorf("run %d, row 41: mean %v and σ %v", run, mean, stdDev)
		}
		if len(before.E.Mean) != 2*capacity || before.E.Dim != 2 || before.W.Mean != nil || before.Theta != nil {
			t.Errorf("run %d: %d entries of dim %d, W %v, θ %v", run, len(before.E.Mean), before.E.Dim, before.W.Mean, before.Theta)
		}
		for row, kl := range after.E.KL(before.E) {
			if moved := kl > 0; moved != slices.Contains(day, int32(row)) || kl < 0 {
				t.Errorf("run %d, row %d moved by %g nats", run, row, kl)
			}
		}
	}
	for _, run := range []int{-1, 2} {
		if _, err := l.Beliefs(run); err == nil {
			t.Errorf("run %d of two is no error", run)
		}
	}
}

// A mean moved by two σ is 2 nats away, and a σ halved ln 2 − 3/8.
func TestBeliefKL(t *testing.T) {
	prior := online.Belief{Dim: 2, Mean: []float64{1, 2, 3, 4}, StdDev: []float64{0.5, 1, 2, 4}}
	belief := online.Belief{Dim: 2, Mean: []float64{2, 2, 3, 4}, StdDev: []float64{0.5, 1, 1, 4}}
	want := []float64{2, math.Ln2 - 0.375}
	for row, kl := range belief.KL(prior) {
		if !(math.Abs(kl-want[row]) <= 1e-12) {
			t.Errorf("row %d: %g nats, want %g", row, kl, want[row])
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("the KL of a point estimate is no panic")
		}
	}()
	online.Belief{Dim: 2, Mean: belief.Mean}.KL(prior)
}

// A point estimate has no σ.
func TestBeliefsOfPoints(t *testing.T) {
	b, err := newLearner(t, rowItems, phe.Point).Beliefs(1)
	check(t, err)
	if mean, stdDev := b.E.Row(capacity - 1); len(mean) != 2 || stdDev != nil {
		t.Errorf("mean %v, σ %v", mean, stdDev)
	}
}
