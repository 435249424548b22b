package learn_test

import (
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
)

// A batch is pinned until it is unpinned or another one is pinned. With a vocabulary, pinning gives rows to all items of the batch,
// so the vocabulary shows which batch was pinned. An update numbers its steps by MaxUpdated only if a batch is pinned.
func TestUnpin(t *testing.T) {
	c := config(phe.Point)
	c.BatchSize = 90
	l := newLearner(t, sum(), c, learn.Options{MaxUpdated: 90})
	steps := func() uint64 {
		before := l.Counts().UpdateSteps
		check(t, l.Update([]int32{1}, 1))
		return l.Counts().UpdateSteps - before
	}
	other := itemBatch()
	unpin := filetest.Must(l.Pin(l.All))(t)
	pinned := steps()
	unpinOther := filetest.Must(l.Pin(other))(t)
	unpin() // of a batch that is no longer pinned: nothing
	replaced := steps()
	unpinOther()
	if got := []uint64{pinned, replaced, steps()}; !slices.Equal(got, []uint64{1, 1, 2}) {
		t.Errorf("updates take %d steps with a batch pinned, with another, and with none", got)
	}
}
