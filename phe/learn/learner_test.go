package learn_test

import (
	"math"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

// Counts say how far a learner has come: epochs, updates, and the steps of each.
func TestCounts(t *testing.T) {
	l := newLearner(t, sum(), config(phe.Point), learn.Options{}) // batches of 16 records
	filetest.Check(t, l.Fit(numbersTo(40), 2))
	fitted := learn.Counts{Epochs: 2, FitSteps: 6, Adam: 6}
	filetest.Want(t, l.Counts(), fitted, "counts of two epochs of 40 records")
	l.Settle()
	filetest.Check(t, l.Update(numbersTo(33), 2))
	filetest.Check(t, l.Replay(numbersTo(33), 2))
	want := learn.Counts{Epochs: 2, FitSteps: 6, Updates: 2, UpdateSteps: 6, ReplaySteps: 2, Adam: 2}
	filetest.Want(t, l.Counts(), want, "counts of an update and a replay")
}

// Every epoch, update and replay has an order of its own: without noise, only the order tells them apart.
func TestOrders(t *testing.T) {
	l := newLearner(t, sum(), hashed(phe.Point), learn.Options{})
	for i := range l.All.Targets {
		l.All.Targets[i] = float32(i%3) - 1
	}
	start := l.State(t)
	for name, call := range map[string]func() error{
		"epoch":  func() error { return l.Fit(numbersTo(40), 1) },
		"update": func() error { return l.Update(numbersTo(40), 1) },
		"replay": func() error { return l.Replay(numbersTo(40), 3) },
	} {
		var ends [3]learn.Snapshot
		for i, counts := range []learn.Counts{{}, {}, {Epochs: 1, Updates: 1}} {
			start.Counts = counts
			filetest.Check(t, l.Restore(start))
			filetest.Check(t, call())
			ends[i] = l.State(t)
		}
		filetest.Want(t, ends[0].Parameters[0], ends[1].Parameters[0], "the end of the same %s, taken again", name)
		filetest.True(t, !slices.Equal(ends[0].Parameters[0], ends[2].Parameters[0]),
			"the %s after it has the same order", name)
	}
}

// Adam's first step moves a coordinate by the learning rate, for any gradient. The first step after Settle does so too, since
// Settle makes a fresh optimiser. The steps between do not.
func TestSettleMakesAdamFresh(t *testing.T) {
	c := config(phe.Point)
	l := newLearner(t, sum(), c, learn.Options{})
	move := func() float32 {
		before := l.State(t).Parameters[0][0]
		filetest.Check(t, l.Fit([]int32{0}, 1))
		return l.State(t).Parameters[0][0] - before
	}
	isRate := func(x float32) bool { return math.Abs(math.Abs(float64(x))/c.LearningRate-1) <= 1e-4 }
	first := move()
	for range 30 {
		move()
	}
	late := move()
	filetest.Want(t, len(l.State(t).Moments), 2, "lists of moments of one parameter in the initial phase")
	l.Settle()
	filetest.Want(t, len(l.State(t).Moments), 0, "lists of moments after the initial phase")
	after := move()
	filetest.True(t, isRate(first) && !isRate(late) && isRate(after),
		"steps of %g at first, %g after 31, and %g after Settle; the learning rate is %g",
		first, late, after, c.LearningRate)
}

// An update takes a fresh optimiser, also before the initial phase is settled.
func TestUpdateIgnoresInitialAdam(t *testing.T) {
	l := newLearner(t, sum(), config(phe.Point), learn.Options{})
	filetest.Check(t, l.Fit(numbersTo(20), 4))
	before := l.State(t)
	filetest.Check(t, l.Update([]int32{1, 30}, 3))
	want := l.State(t)
	filetest.Check(t, l.Restore(before))
	l.Settle()
	filetest.Check(t, l.Update([]int32{1, 30}, 3))
	filetest.Want(t, l.State(t).Parameters[0], want.Parameters[0], "an update by another optimiser of the initial phase")
}

// Each new item gets a row of its own when it is learned. An update must teach it as much as an item that was met before.
func TestLearningGivesRows(t *testing.T) {
	day := []int32{0, 1, 2, 3, 4}
	for name, call := range map[string]func(l nettest.Led) error{
		"update": func(l nettest.Led) error { return l.Update(day, 3) },
		"fit":    func(l nettest.Led) error { return l.Fit(day, 3) },
	} {
		var states [2]learn.Snapshot
		for i, maker := range []func(*testing.T, learn.Network, learn.Config, learn.Options) nettest.Led{newUnmet, newLearner} {
			l := maker(t, sum(), config(phe.Posterior), learn.Options{})
			for k := range l.All.Targets {
				l.All.Targets[k] = float32(k)
			}
			filetest.Check(t, call(l))
			states[i] = l.State(t)
		}
		filetest.Want(t, states[0].Vocabulary, itemBatch().Items[:5], "%s: items with rows", name)
		filetest.Want(t, states[0].Parameters, states[1].Parameters, "%s of new items, and of items that were met before", name)
	}
}

// A snapshot brings its vocabulary along: a learner that knew other items finds the rows of the snapshot's, pinned or not.
func TestRestoreBringsVocabulary(t *testing.T) {
	first := newUnmet(t, sum(), config(phe.Point), learn.Options{})
	filetest.Check(t, first.Update([]int32{90, 7, 33}, 20))
	want := first.Predict(t, []int32{7, 33, 90}, 0)
	for _, pinned := range []bool{false, true} {
		second := newUnmet(t, sum(), config(phe.Point), learn.Options{})
		if pinned {
			filetest.Check(t, second.Pin(second.All)) // gives all its items rows
		}
		filetest.Check(t, second.Restore(first.State(t)))
		got := second.Predict(t, []int32{7, 33, 90}, 0)
		filetest.Want(t, got, want, "pinned %t: a restored learner predicts", pinned)
	}
}

// A full vocabulary has no row to predict a new item by. That is an error, which says what to do; items that have rows are
// predicted.
func TestFullVocabulary(t *testing.T) {
	c := config(phe.Posterior)
	c.Encoder.Capacity = 3
	l := newUnmet(t, sum(), c, learn.Options{})
	filetest.Check(t, l.Update([]int32{5, 6, 7}, 1))
	l.Predict(t, []int32{7, 6, 5}, 0)
	stranger := l.All.Take([]int32{5, 8})
	_, predicting := l.Learner.Predict(stranger)
	pinning := l.Pin(l.All)
	calls := []error{predicting, pinning, l.Learner.Update(stranger, 1), l.Learner.Fit(stranger, 1), l.Learner.Replay(stranger, 1)}
	for _, err := range calls {
		filetest.WantError(t, err, "raise capacity", `"item `)
	}
	s := l.State(t)
	filetest.Want(t, len(s.Vocabulary), 3, "items after errors")
	filetest.Want(t, s.Counts.Updates, 1, "updates after errors")
}

// Forks outlive each other, and the learner that they were forked from. A closed learner says that it is closed.
func TestCloseOneOfThree(t *testing.T) {
	first := newLearner(t, sum(), config(phe.Point), learn.Options{})
	fork := func() nettest.Led {
		l := filetest.Must(first.Fork([]int64{5, 6}))(t)
		t.Cleanup(l.Close)
		return nettest.Led{Learner: l, All: first.All}
	}
	second, third := fork(), fork()
	filetest.Check(t, second.Update([]int32{1}, 1))
	first.Close()
	first.Close() // again, which is nothing
	filetest.WantError(t, filetest.Failure(first.Fork([]int64{5, 6})), "closed")
	filetest.WantError(t, first.Update([]int32{1}, 1), "closed")
	second.Close()
	filetest.Check(t, third.Update([]int32{1, 2}, 2))
	third.Predict(t, []int32{1}, 0)
}

// If MaxUpdated is known, every update numbers its noise as a full update does. The draws of a small day then do not depend on the
// sizes of the days before. The number of steps depends on whether a batch is pinned: this one or another.
func TestMostUpdated(t *testing.T) {
	for _, c := range []struct {
		most, batch      int
		pinned, unpinned uint64 // steps of two epochs
	}{{40, 16, 6, 6}, {100, 80, 4, 4}, {90, 200, 2, 4}} { // batches of a small day are of 64 at most, unless it is pinned
		config := config(phe.Point)
		config.BatchSize = c.batch
		for i, want := range []uint64{c.unpinned, c.pinned, c.pinned} {
			l := newLearner(t, sum(), config, learn.Options{MaxUpdated: c.most})
			filetest.Check(t, l.Pin([]*learn.Batch{nil, l.All, itemBatch()}[i]))
			for day, records := range []int{1, c.most, 3} {
				filetest.Check(t, l.Update(numbersTo(records), 2))
				filetest.Want(t, l.Counts().UpdateSteps, want*uint64(day+1),
					"batch %d of none, this and another is pinned, most %d, batches of %d: the number of the next step after day %d",
					i, c.most, c.batch, day)
			}
		}
	}
}

// With a floor under the likelihood, a record that no belief explains has no gradient; one that is near has.
func TestLikelihoodFloor(t *testing.T) {
	c := config(phe.Point)
	c.Loss, c.LikelihoodFloor = phe.LogAverage, 1e-8
	l := newLearner(t, sum(), c, learn.Options{})
	l.All.Targets[3] = 1e6
	before := l.State(t)
	filetest.Check(t, l.Update([]int32{3, 4}, 1))
	after := l.State(t)
	for _, row := range []int{3, 4} {
		moved := !slices.Equal(before.Parameters[0][2*row:2*row+2], after.Parameters[0][2*row:2*row+2])
		filetest.Want(t, moved, row == 4, "item %d moved", row)
	}
}

// Mistakes are errors that say so, on the host, and change nothing.
func TestLearnerErrors(t *testing.T) {
	l := newLearner(t, sum(), config(phe.Posterior), learn.Options{MaxUpdated: 13})
	filetest.WantError(t, filetest.Failure(l.Fork([]int64{1})), "1 seeds; its learner has 2")
	filetest.Check(t, l.Fit(numbersTo(13), 1)) // the snapshot has moments
	good := l.State(t)
	filetest.WantError(t, l.Update(numbersTo(14), 1), "at most 13")
	for name, bad := range map[string]learn.Snapshot{
		"empty":           {},
		"too few":         {Parameters: good.Parameters[1:]},
		"too short":       {Parameters: append([][]float32{good.Parameters[0][1:]}, good.Parameters[1:]...)},
		"too few moments": {Parameters: good.Parameters, Moments: good.Moments[1:]},
	} {
		filetest.True(t, l.Restore(bad) != nil, "snapshot %s restored", name)
	}
	filetest.Want(t, l.State(t), good, "the state after an error")
}

// A learner's options are checked; no seeds are seed 0.
func TestOptions(t *testing.T) {
	c := config(phe.Point)
	_, err := learn.New(sum(), c, learn.Options{Backend: nettest.Backend(t), MaxUpdated: -1})
	filetest.WantError(t, err, "most updated is -1 records; give at least 1")
	filetest.WantError(t, filetest.Failure(learn.New(sum(), c, learn.Options{})), "a learner needs a backend")
	none, zero := nettest.New(t, sum(), c, learn.Options{}, nil), nettest.New(t, sum(), c, learn.Options{Seeds: []int64{0}}, nil)
	filetest.Want(t, none.State(t), zero.State(t), "the state of no seeds, and of seed 0")
}
