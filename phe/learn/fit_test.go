package learn_test

import (
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

// A learner finds the data of the same records on the device, and the shuffle of the next epoch ready. It learns as one that has neither.
// Whatever happens between two calls: other records, other items that take the next rows, larger tables, or a state from before.
func TestFitAgain(t *testing.T) {
	for i, c := range []learn.Config{config(phe.Posterior), hashed(phe.Posterior), config(phe.Posterior)} {
		learner := func() nettest.Led { return newUnmet(t, sum(), c, learn.Options{}) }
		if i == 2 {
			learner = func() nettest.Led { return newUnmet(t, sum(), c, learn.Options{}).Pinned(t) }
		}
		l := learner()
		start, rows := l.State(t), numbersTo(40)
		fit := func(rows []int32) {
			t.Helper()
			anew := learner()
			filetest.Check(t, anew.Restore(l.State(t)))
			filetest.Check(t, anew.Fit(rows, 1))
			filetest.Check(t, l.Fit(rows, 1))
			filetest.Want(t, l.State(t), anew.State(t), "%d: state after %d epochs", i, l.Counts().Epochs)
		}
		fit(rows[10:])
		fit(rows)
		fit(rows)
		copy(rows, rows[20:]) // the caller's own
		fit(rows)
		fit(numbersTo(40))
		filetest.Check(t, l.Restore(start))
		filetest.Check(t, l.Meet(&learn.Batch{Items: []string{"another"}, Columns: []int32{0}}))
		if i == 1 {
			filetest.Check(t, l.Grow())
		}
		fit(numbersTo(40))
		l.Settle()
		fit(rows)
	}
}

// The first epoch sends the batch: a row, column, index and target for each of 40 items, and 0 for the lack of sequences. Each epoch sends
// the order of two runs, a mask and a number of records in three batches of 16, the keys, first numbers, rates and weights of two runs, two
// numbers, and the steps: a byte each where one call takes all, and else the number of each.
func TestFitSendsOnce(t *testing.T) {
	l := newUnmet(t, sum(), config(phe.Point), learn.Options{})
	l.State(t) // draws the parameters
	var sent []int
	learn.Uploads(t, func(bytes int) { sent[len(sent)-1] += bytes })
	steps := map[bool]int{true: 3, false: 3 * 4}[nettest.Backend(t).Name() == "xla"]
	for range 3 {
		sent = append(sent, 0)
		filetest.Check(t, l.Fit(numbersTo(40), 1))
	}
	epoch, batch, moments := 4*(3*(16*3+1)+4*2+2)+steps, 4*(4*40+1), 4*2*2*2*capacity
	filetest.Want(t, sent, []int{batch + moments + epoch, epoch, epoch}, "bytes sent in the epochs")
}
