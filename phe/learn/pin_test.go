package learn_test

import (
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/learn"
)

// An update numbers its steps by MaxUpdated only if a batch is pinned: this one or another.
func TestPinnedSteps(t *testing.T) {
	c := config(phe.Point)
	c.BatchSize = 90
	l := newLearner(t, sum(), c, learn.Options{MaxUpdated: 90})
	steps := func() uint64 {
		before := l.Counts().UpdateSteps
		check(t, l.Update([]int32{1}, 1))
		return l.Counts().UpdateSteps - before
	}
	free := steps()
	check(t, l.Pin(l.All))
	pinned := steps()
	check(t, l.Pin(itemBatch()))
	if got := []uint64{free, pinned, steps()}; !slices.Equal(got, []uint64{2, 1, 1}) {
		t.Errorf("updates take %d steps with no batch pinned, with one, and with another", got)
	}
}
