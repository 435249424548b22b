package learn_test

import (
	"cmp"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

// Tables that stay on the device learn and forecast the same digits as tables that the host writes into: with and without a table W, for
// few items and for all, in new tables, in grown ones and in a snapshot's.
func TestTablesOnDevice(t *testing.T) {
	plain, all := hashed(phe.Posterior), hashed(phe.Posterior)
	plain.Encoder.NumWeights, plain.Encoder.Assembly, all.Scope = 0, phe.Average, phe.AllParameters
	for i, c := range []learn.Config{all, plain, hashed(phe.Point), config(phe.Posterior)} {
		if i > 0 && nettest.Brief(t) {
			break
		}
		host, device := newUnmet(t, weighted(), c, learn.Options{}), newUnmet(t, weighted(), c, learn.Options{})
		learn.OnDevice(device.Learner)
		start := host.State(t)
		step := func(rows []int32) {
			t.Helper()
			filetest.Want(t, device.Predict(t, rows, 0), host.Predict(t, rows, 0), "%d: predictions", i)
			filetest.Check(t, cmp.Or(host.Update(rows, 2), device.Update(rows, 2)))
			filetest.Want(t, device.State(t), host.State(t), "%d: state", i)
		}
		step([]int32{3, 3, 99})
		step(numbersTo(items))
		if i < 3 {
			filetest.Check(t, cmp.Or(host.Grow(), device.Grow()))
			step([]int32{98, 5})
		}
		filetest.Check(t, cmp.Or(host.Restore(start), device.Restore(start)))
		step([]int32{7})
	}
}

// A chunk sends numbers and no row of a table, so that replicas cost little. The numbers are for 64 items two rows of E and one of W, for
// a prediction and the update. Both send the batch, with two numbers of rows of E, one of W, a column, an index and a target for each
// item, and 0 for the lack of sequences. The prediction sends its records, the keys of the runs and a number. The update sends the order
// of the runs, a mask and a number of records in eight batches of 16, and for each run a key, first number, rate and weight, and two
// numbers.
func TestChunkSendsNoTables(t *testing.T) {
	for _, runs := range []int{1, 256} {
		l := newLearner(t, sum(), hashed(phe.Posterior), learn.Options{Seeds: make([]int64, runs)})
		learn.OnDevice(l.Learner)
		filetest.Check(t, l.Update(numbersTo(40), 2)) // sends the zeros
		sent := 0
		learn.Uploads(t, func(bytes int) { sent += bytes })
		l.Predict(t, numbersTo(40), 0)
		filetest.Check(t, l.Update(numbersTo(40), 2))
		steps := map[bool]int{true: 2, false: 6}[nettest.Backend(t).Name() == "xla"]
		rows, batch := 64*(2+1), 64*(2+1+1+1+1)+1
		want := 4 * (2*(rows+batch) + 64 + runs + 1 + 8*(16*(runs+1)+1) + 4*runs + 2 + steps)
		filetest.Want(t, sent, want, "bytes sent in a chunk of %d runs", runs)
	}
}

// If the rows cannot be put into the tables, nothing has changed.
func TestPutFails(t *testing.T) {
	l, calm := newUnmet(t, sum(), config(phe.Posterior), learn.Options{}), newUnmet(t, sum(), config(phe.Posterior), learn.Options{})
	learn.PutFails(l.Learner)
	before := l.State(t)
	filetest.WantError(t, l.Update(numbersTo(3), 1), "writing tables")
	filetest.Want(t, l.State(t), before, "state after an update that failed")
	learn.OnDevice(l.Learner)
	filetest.Check(t, cmp.Or(l.Update(numbersTo(5), 1), calm.Update(numbersTo(5), 1)))
	filetest.Want(t, l.State(t), calm.State(t), "state after the next update")
}
