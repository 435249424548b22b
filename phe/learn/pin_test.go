package learn_test

import (
	"testing"

	"gophe/phe"
	"gophe/phe/learn"

	"gophe/phe/disk/filetest"
)

// An update numbers its steps by MaxUpdated only if a batch is pinned: this one or another.
func TestPinnedSteps(t *testing.T) {
	c := config(phe.Point)
	c.BatchSize = 90
	l := newLearner(t, sum(), c, learn.Options{MaxUpdated: 90})
	steps := func() uint64 {
		before := l.Counts().UpdateSteps
		filetest.Check(t, l.Update([]int32{1}, 1))
		return l.Counts().UpdateSteps - before
	}
	free := steps()
	filetest.Check(t, l.Pin(l.All))
	pinned := steps()
	filetest.Check(t, l.Pin(itemBatch()))
	filetest.Want(t, []uint64{free, pinned, steps()}, []uint64{2, 1, 1}, "steps of updates with no batch pinned, with one, and with another")
}
