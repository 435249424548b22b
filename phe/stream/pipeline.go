package stream

import (
	"sync"

	"gophe/phe/stream/change"
	"gophe/phe/stream/internal/ensemble"
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/schema"
)

// Pipeline takes a learner along records on several threads:
//
//	Prepare: items and numbers, keys and slots  →  first model │ all other models, census  →  stacking and score
//
// Step learns the first model, which takes longest, in the caller's goroutine. A scheduler with few threads cannot leave it for the end.
// Each model learns the records in their order, and no model reads the numbers of another. So the bits equal Learner.Step's.
// The learner is locked while a batch is under way. A Pipeline is for one goroutine; another one may call Prepare.
type Pipeline struct {
	l      *Learner
	varied map[int]bool // of Prepare

	near uint64 // of Memory.Near

	under []*Prepared // the batch under way: learned, and not yet scored; nil if there is none
	rows  int64       // learned when the batch under way has come out
}

// Prepared is a record on its way through a Pipeline. It can be used again.
type Prepared struct {
	Forecast Forecast // after the batch has come out of the Pipeline
	row      ensemble.Row
	hash     repeats.Hash
	again    repeats.Kind // whether the row came before, once its batch is under way
}

// Pipeline returns a pipeline for the learner. It returns nil while the learner needs its records one by one: before it knows the scale
// of a number, has chosen its pairs of columns, or knows the bins of a column that was constant, and always for counts.
func (l *Learner) Pipeline() *Pipeline {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.model.OneByOne() {
		return nil
	}
	return &Pipeline{l: l, varied: map[int]bool{}}
}

// Prepare reads a record. It returns false for a record that is for Learner.Step: one that cannot be learned, and all records from the one
// at which a constant column varies, up to its bins. The record's fields must stay valid until it comes out of the pipeline.
func (p *Pipeline) Prepare(record schema.Record, r *Prepared) bool {
	if r.row.Predictions.Experts == nil {
		r.row = p.l.model.NewRow()
	}
	var err error
	r.row.Label, err = p.l.label(record)
	if err != nil || !p.l.model.ReadAhead(record, &r.row, p.varied) {
		return false
	}
	r.hash = p.l.hash(&r.row, r.row.Label)
	return true
}

// MaxBatch is the largest number of records of a batch.
const MaxBatch = change.MaxBatch

// Step learns a batch of at most MaxBatch records, and returns the batch before with its forecasts; nil if there was none. An empty batch
// only ends the batch before, and gives the learner back.
func (p *Pipeline) Step(batch []*Prepared) (done []*Prepared) {
	l := p.l
	done, p.under = p.under, batch
	switch {
	case done == nil && len(batch) == 0:
		return nil
	case done == nil:
		l.mu.Lock()
		p.rows = l.model.Rows
	}
	if l.last != nil {
		for _, r := range batch {
			p.near += l.last.Near(r.hash)
		}
	}
	for _, r := range batch {
		if r.again = l.last.See(r.hash); !r.again.Learned() {
			continue
		}
		if l.model.Begin(&r.row, p.rows); r.row.Known {
			p.rows++
		}
	}
	take := func(parts []ensemble.Part) {
		for _, r := range batch {
			if r.again.Learned() {
				ensemble.Take(&r.row, parts...)
			}
		}
	}
	var beside sync.WaitGroup
	beside.Go(func() { take(l.others) })
	beside.Go(func() {
		for _, r := range done {
			if r.Forecast = (Forecast{}); r.again.Learned() {
				l.model.Finish(&r.row)
				r.Forecast = l.score(&r.row)
			}
			r.Forecast.Again = r.again
		}
	})
	take(l.first)
	beside.Wait()
	if len(batch) == 0 {
		p.under = nil
		l.mu.Unlock()
	}
	return done
}
