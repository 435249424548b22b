package learn_test

import (
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/learn"

	"gophe/phe/disk/filetest"
)

// An epoch learns from every minibatch: row i's likelihood moves row i of the table and no other.
func TestEpochLearnsEveryMinibatch(t *testing.T) {
	l := newLearner(t, sum(), config(phe.Point), learn.Options{}) // batches of 16 rows
	before := l.State(t)
	rows := numbersTo(41)[1:] // two batches and a half
	filetest.Check(t, l.Fit(rows, 1))
	after := l.State(t)
	for row := range 2 * capacity {
		was, is := before.Parameters[0][2*row:2*row+2], after.Parameters[0][2*row:2*row+2]
		filetest.Want(t, !slices.Equal(was, is), slices.Contains(rows, int32(row%capacity)), "run %d, row %d moved", row/capacity, row%capacity)
	}
}

// Adam's memory is the initial phase's: it is kept from epoch to epoch, and gone at the end.
func TestSettle(t *testing.T) {
	l := newLearner(t, sum(), config(phe.Point), learn.Options{})
	moments := func() (lists int) {
		return len(l.State(t).Moments)
	}
	filetest.Check(t, l.Fit([]int32{1, 2}, 1))
	filetest.Want(t, moments(), 2, "lists of moments of one parameter in the initial phase")
	l.Settle()
	filetest.Want(t, moments(), 0, "lists of moments after the initial phase")
}
