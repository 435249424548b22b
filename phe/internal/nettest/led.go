package nettest

import (
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
)

// Led is a learner of one batch. A test leads it by the numbers of the batch's records.
type Led struct {
	*learn.Learner
	All *learn.Batch
}

// New returns a learner of a network on the tests' backend, which the test closes at its end.
func New(t testing.TB, n learn.Network, c learn.Config, o learn.Options, all *learn.Batch) Led {
	t.Helper()
	o.Backend = Backend(t)
	l := filetest.Must(learn.New(n, c, o))(t)
	t.Cleanup(l.Close)
	return Led{l, all}
}

// Pinned returns the learner with its batch on the device.
func (l Led) Pinned(t testing.TB) Led {
	t.Helper()
	filetest.Check(t, l.Pin(l.All))
	return l
}

// Fit trains on records of the batch.
func (l Led) Fit(records []int32, epochs int) error {
	return l.Learner.Fit(l.All.Take(records), epochs)
}

// Update learns records of the batch.
func (l Led) Update(records []int32, epochs int) error {
	return l.Learner.Update(l.All.Take(records), epochs)
}

// Replay continues the initial phase on records of the batch.
func (l Led) Replay(records []int32, minibatches int) error {
	return l.Learner.Replay(l.All.Take(records), minibatches)
}

// Predict returns the forecasts of records of the batch, run after run, with the noise of update number draw. An error ends the test.
func (l Led) Predict(t testing.TB, records []int32, draw int) []float32 {
	t.Helper()
	return filetest.Must(l.PredictDraw(l.All.Take(records), uint64(draw)))(t).Values
}

// State returns the learner's snapshot. An error ends the test.
func (l Led) State(t testing.TB) learn.Snapshot {
	t.Helper()
	return filetest.Must(l.Snapshot())(t)
}
