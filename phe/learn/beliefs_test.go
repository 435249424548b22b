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
		filetest.Check(t, l.Restore(s))
		before := filetest.Must(l.Beliefs(run))(t)
		filetest.Check(t, l.Update(day, 3))
		after := filetest.Must(l.Beliefs(run))(t)
		mean, variance := before.E.Mean[2*41:2*42], before.E.Variance[2*41:2*42]
		filetest.Want(t, float32(mean[1]), s.Parameters[0][2*(run*capacity+41)+1], "run %d, row 41: mean", run)
		filetest.Near(t, variance[0], math.Exp(-6), 1e-8, "run %d, row 41: variance", run)
		filetest.Want(t, [2]int{len(before.E.Mean), before.E.Dim}, [2]int{2 * capacity, 2}, "run %d: entries and dim of table E", run)
		filetest.True(t, before.W.Mean == nil && before.Theta == nil, "run %d: W %v, θ %v", run, before.W.Mean, before.Theta)
		for row, kl := range after.E.KL(before.E) {
			filetest.Want(t, kl != 0, slices.Contains(day, int32(row)), "run %d, row %d moved by %g nats; moved", run, row, kl)
			filetest.True(t, kl >= 0, "run %d, row %d moved by %g nats", run, row, kl)
		}
	}
	for _, run := range []int{-1, 2} {
		filetest.True(t, filetest.Failure(l.Beliefs(run)) != nil, "run %d of two is no error", run)
	}
}

// A point estimate is a certainty.
func TestBeliefsOfPoints(t *testing.T) {
	b := filetest.Must(newLearner(t, sum(), config(phe.Point), learn.Options{}).Beliefs(1))(t)
	filetest.Want(t, len(b.E.Mean[2*(capacity-1):]), 2, "numbers of the last row")
	filetest.Want(t, b.E.Variance[2*(capacity-1):], []float64{0, 0}, "variances of the last row")
}
