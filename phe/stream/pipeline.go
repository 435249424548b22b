package stream

import (
	"slices"
	"sync"

	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// Pipeline takes a learner along records on several threads:
//
//	Prepare: items and numbers, keys and slots  →  first model │ all other models, census  →  last step and score
//
// Step learns the first model, which takes longest, in the caller's goroutine. A scheduler with few threads cannot leave it for the end.
// Each model learns the records in their order, and no model reads the numbers of another. So the bits are those of Learner.Step.
// The learner is locked while a batch is under way. A Pipeline is for one goroutine; another one may call Prepare.
type Pipeline struct {
	l      *Learner
	reader *reader // of Prepare, with encoders of its own
	asleep *asleep

	under []*Prepared // the batch under way: learned, and not yet scored; nil if there is none
	rows  int64       // learned when the batch under way has come out
}

// Prepared is a record on its way through a Pipeline. It can be used again.
type Prepared struct {
	Forecast Forecast // after the batch has come out of the Pipeline
	row      row
}

// Pipeline returns a pipeline for the learner. It returns nil while the learner needs its records one by one: before it knows the scale
// of a number, has chosen its pairs of columns, or knows the bins of a column that wakes, and always for counts.
func (l *Learner) Pipeline() *Pipeline {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.model
	if l.Schema.Target.Kind == schema.Count || !m.scale.known() || m.sleepers.waits() || m.chooses() {
		return nil
	}
	var twins []*onepass.Encoder
	for _, d := range m.design.Experts {
		twin, err := onepass.NewEncoder(d.Learner, l.observer.names)
		if err != nil {
			panic(err) // the encoder of the model was made so
		}
		twins = append(twins, twin)
	}
	twins[0].Keep(m.pairs())
	p := &Pipeline{l: l, reader: newReader(l.Schema, twins)}
	p.asleep = newAsleep(p.reader, m.sleepers)
	return p
}

// Prepare reads a record. It returns false for a record that is for Learner.Step: one that cannot be learned, and all records from the one at
// which a column wakes up to its bins. The record's fields must stay valid until it comes out of the pipeline.
func (p *Pipeline) Prepare(record schema.Record, r *Prepared) bool {
	if r.row.rows == nil {
		r.row = p.l.model.newRow()
	}
	var err error
	if r.row.labelled, err = p.l.label(record); err != nil || p.asleep.wait(record, r.row.known) {
		return false
	}
	p.reader.read(record, &r.row)
	return true
}

// MaxBatch is the largest number of records of a batch.
const MaxBatch = 32

// Step learns a batch of at most MaxBatch records, and returns the batch before with its forecasts; nil if there was none. An empty batch only ends the
// batch before, and gives the learner back.
func (p *Pipeline) Step(batch []*Prepared) (done []*Prepared) {
	done, p.under = p.under, batch
	switch {
	case done == nil && len(batch) == 0:
		return nil
	case done == nil:
		p.l.mu.Lock()
		p.rows = p.l.model.rows
	}
	for _, r := range batch {
		p.l.model.begin(&r.row, p.rows)
		if r.row.known {
			p.rows++
		}
	}
	var beside sync.WaitGroup
	beside.Go(func() { p.learnOthers(batch) })
	beside.Go(func() { p.finish(done) })
	for _, r := range batch {
		p.l.model.stepExpert(&r.row, 0, 0)
	}
	beside.Wait()
	if len(batch) == 0 {
		p.under = nil
		p.l.mu.Unlock()
	}
	return done
}

// learnOthers lets the other experts, the exact model and the census learn records.
func (p *Pipeline) learnOthers(batch []*Prepared) {
	for _, r := range batch {
		for i := range r.row.rows[1:] {
			p.l.model.stepExpert(&r.row, 1+i, 0)
		}
		if r.row.known {
			p.l.model.stepExact(&r.row)
		}
		r.row.predictions.seen = p.l.observer.observe(&r.row, p.l.observer.learned, r.row.predictions.rows)
	}
}

// finish makes the forecasts of records that all models have learned, and scores them.
func (p *Pipeline) finish(batch []*Prepared) {
	for _, r := range batch {
		p.l.model.join(&r.row.predictions)
		r.Forecast = p.l.finish(&r.row)
	}
}

// asleep are the columns of a pipeline that sleep. From the record at which one begins to vary, up to the record after which the model
// knows its bins, the learner takes the records one by one.
type asleep struct {
	model   *sleepers
	columns []*schema.Input // of the pipeline's reader
	list    []sleeper       // the model's, when the pipeline last looked
	varied  []bool
}

func newAsleep(r *reader, model *sleepers) *asleep {
	a := &asleep{model, r.sleepers(), slices.Clone(model.list), make([]bool, len(model.list))}
	wake(a.columns, a.list)
	return a
}

// wait tells whether the learner must take a record by itself. It gives the pipeline's reader the bins of the columns that have woken.
func (a *asleep) wait(record schema.Record, known bool) (wait bool) {
	for i, in := range a.columns {
		a.varied[i] = a.varied[i] || known && varies(in, record)
		if a.varied[i] && !a.list[i].awake() {
			a.list = *a.model.awake.Load()
			wake(a.columns, a.list)
			wait = wait || !a.list[i].awake()
		}
	}
	return wait
}
