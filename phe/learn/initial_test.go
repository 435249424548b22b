package learn_test

import (
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/learn"
)

// An epoch learns from every minibatch: row i's likelihood moves row i of the table and no other.
func TestEpochLearnsEveryMinibatch(t *testing.T) {
	l := newLearner(t, sum(), config(phe.Point), learn.Options{}) // batches of 16 rows
	before := l.State(t)
	rows := numbersTo(41)[1:] // two batches and a half
	check(t, l.Fit(rows, 1))
	after := l.State(t)
	for row := range 2 * capacity {
		was, is := before.Parameters[0][2*row:2*row+2], after.Parameters[0][2*row:2*row+2]
		if moved := !slices.Equal(was, is); moved != slices.Contains(rows, int32(row%capacity)) {
			t.Errorf("run %d, row %d moved: %t", row/capacity, row%capacity, moved)
		}
	}
}

// Adam's memory is the initial phase's: it is kept from epoch to epoch, and gone at the end.
func TestSettle(t *testing.T) {
	l := newLearner(t, sum(), config(phe.Point), learn.Options{})
	moments := func() (lists int) {
		return len(l.State(t).Moments)
	}
	check(t, l.Fit([]int32{1, 2}, 1))
	if n := moments(); n != 2 {
		t.Errorf("%d lists of moments of one parameter in the initial phase", n)
	}
	l.Settle()
	if n := moments(); n != 0 {
		t.Errorf("%d lists of moments after the initial phase", n)
	}
}
