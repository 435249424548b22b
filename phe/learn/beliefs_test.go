package learn_test

import (
	"math"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
)

// Each run has its own beliefs. An update moves the beliefs of the rows that its items use, and no others.
func TestBeliefs(t *testing.T) {
	l := newLearner(t, sum(), config(phe.Posterior), learn.Options{})
	s := l.State(t)
	day := []int32{7, 99, 7, 41}
	for run := range 2 {
		check(t, l.Restore(s))
		before := filetest.Must(l.Beliefs(run))(t)
		check(t, l.Update(day, 3))
		after := filetest.Must(l.Beliefs(run))(t)
		mean, variance := before.E.Mean[2*41:2*42], before.E.Variance[2*41:2*42]
		if float32(mean[1]) != s.Parameters[0][2*(run*capacity+41)+1] || !(math.Abs(variance[0]-math.Exp(-6)) <= 1e-8) {
			t.Errorf("run %d, row 41: mean %v and variance %v", run, mean, variance)
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

// A point estimate is a certainty.
func TestBeliefsOfPoints(t *testing.T) {
	b := filetest.Must(newLearner(t, sum(), config(phe.Point), learn.Options{}).Beliefs(1))(t)
	if mean, variance := b.E.Mean[2*(capacity-1):], b.E.Variance[2*(capacity-1):]; len(mean) != 2 || !slices.Equal(variance, []float64{0, 0}) {
		t.Errorf("mean %v, variance %v", mean, variance)
	}
}
