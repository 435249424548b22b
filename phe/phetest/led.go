package phetest

import (
	"testing"

	"gophe/phe/learn"
)

// Led is a learner of one batch. A test leads it by the numbers of the batch's records.
type Led struct {
	*learn.Learner
	All *learn.Batch
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

// Predict returns the forecasts of records of the batch, run after run, with the noise of update number draw.
func (l Led) Predict(records []int32, draw int) ([]float32, error) {
	p, err := l.PredictDraw(l.All.Take(records), uint64(draw))
	return p.Values, err
}

// Predict returns what l's method does. An error ends the test.
func Predict(t testing.TB, l Led, records []int32, draw int) []float32 {
	t.Helper()
	p, err := l.Predict(records, draw)
	Check(t, err)
	return p
}

// Snapshot returns the learner's. An error ends the test.
func Snapshot(t testing.TB, l Led) learn.Snapshot {
	t.Helper()
	s, err := l.Snapshot()
	Check(t, err)
	return s
}
