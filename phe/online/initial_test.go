package online_test

import (
	"slices"
	"testing"

	"gophe/phe"
)

// An epoch learns from every minibatch: row i's likelihood moves row i of the table and no other.
func TestEpochLearnsEveryMinibatch(t *testing.T) {
	l := newLearner(t, rowItems, phe.Point) // batches of 16 rows
	before, err := l.Snapshot()
	check(t, err)
	rows := numbersTo(41)[1:] // two batches and a half
	check(t, l.TrainEpoch(rows, 0))
	after, err := l.Snapshot()
	check(t, err)
	for row := range 2 * capacity {
		was, is := before.Parameters[0][2*row:2*row+2], after.Parameters[0][2*row:2*row+2]
		if moved := !slices.Equal(was, is); moved != slices.Contains(rows, int32(row%capacity)) {
			t.Errorf("run %d, row %d moved: %t", row/capacity, row%capacity, moved)
		}
	}
}

// Adam's memory is the initial phase's: it is kept from epoch to epoch, and gone at the end.
func TestEndInitialPhase(t *testing.T) {
	l := newLearner(t, rowItems, phe.Point)
	moments := func() (lists int) {
		s, err := l.Snapshot()
		check(t, err)
		return len(s.Moments)
	}
	check(t, l.TrainEpoch([]int32{1, 2}, 0))
	if n := moments(); n != 2 {
		t.Errorf("%d lists of moments of one parameter in the initial phase", n)
	}
	l.EndInitialPhase()
	if n := moments(); n != 0 {
		t.Errorf("%d lists of moments after the initial phase", n)
	}
}
