package phetest

import "gophe/phe/learn"

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
