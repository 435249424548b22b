package stream

import (
	"sync"

	"github.com/pkg/errors"

	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// Pipeline takes a learner along records on several threads:
//
//	Prepare: items and numbers, keys and slots  →  first model │ all other models, census  →  last step and score
//
// Step learns the first model, which takes longest, in the caller's goroutine. A scheduler with few threads cannot leave it for the end.
// Each model learns the records in their order, and no model reads the numbers of another. So the bits are those of Learner.Step.
// The learner is locked from the first Step to Drain. A Pipeline is for one goroutine; another one may call Prepare.
type Pipeline struct {
	l        *Learner
	reader   *reader // of Prepare, with the encoders
	encoders []*onepass.Encoder
	asleep   *asleep

	others, scores chan []*Prepared // batches for the goroutines
	under          []*Prepared      // the batch under way: learned, and not yet scored; nil if there is none
	beside         sync.WaitGroup   // what the goroutines do beside a Step
	rows           int64            // learned when the batch under way has come out
}

// Prepared is a record on its way through a Pipeline. It can be used again.
type Prepared struct {
	Forecast Forecast // after the batch has come out of the Pipeline
	Alarms   int      // Learner.Alarms after this record

	y, weight, full float64 // target, weight, and weight in learning
	known           bool    // the target is known
	items           []item
	rows            []*onepass.Row // [experts]
	predictions     predictions
	exact           prediction
}

// errWakes is the error of Prepare for a record that Learner.Step must learn.
var errWakes = errors.New("a column wakes: learn the record by Step")

// Pipeline returns a pipeline for the learner. It returns nil while the learner needs its records one by one: before it knows the scale
// of a number, has chosen its pairs of columns, or knows the bins of a column that wakes, and always for counts.
func (l *Learner) Pipeline() *Pipeline {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.model
	if l.schema.Target.Kind == schema.Count || !m.scale.known() || m.sleepers.waits() || m.mixture.experts[0].learner.Choosing() {
		return nil
	}
	p := &Pipeline{l: l, reader: newReader(l.schema), others: make(chan []*Prepared, 1), scores: make(chan []*Prepared, 1)}
	p.asleep = newAsleep(p.reader, m.sleepers)
	for _, x := range m.mixture.experts {
		e := x.encoder.Twin()
		p.reader.share(e)
		p.encoders = append(p.encoders, e)
	}
	go p.work(p.others, p.learnOthers)
	go p.work(p.scores, p.finish)
	return p
}

// Close ends the pipeline's goroutines. Call it after Drain.
func (p *Pipeline) Close() {
	close(p.others)
	close(p.scores)
}

func (p *Pipeline) work(batches <-chan []*Prepared, do func(*Prepared)) {
	for batch := range batches {
		for _, r := range batch {
			do(r)
		}
		p.beside.Done()
	}
}

// Prepare reads a record. A record that Learner.Step cannot learn gives the error of Step. From the record at which a column wakes, up to
// its bins, records give an error too, and Step must learn them. The record's fields must stay valid until it comes out of the pipeline.
func (p *Pipeline) Prepare(record schema.Record, r *Prepared) (err error) {
	if r.y, r.known, r.weight, err = p.l.label(record); err != nil {
		return err
	}
	if p.asleep.wait(record, r.known) {
		return errWakes
	}
	if r.rows == nil {
		r.predictions.Experts = make([]prediction, len(p.l.model.mixture.predictions))
		for range p.encoders {
			r.rows = append(r.rows, &onepass.Row{})
		}
	}
	p.reader.read(p.encoders[0], record)
	r.items = append(r.items[:0], p.reader.items...)
	onepass.Rows(p.encoders, r.rows)
	return nil
}

// Step learns a batch of records, and returns the batch before with its forecasts; nil if there was none. The batch must not be empty.
func (p *Pipeline) Step(batch []*Prepared) (done []*Prepared) {
	if done = p.under; done == nil {
		p.l.mu.Lock()
		p.rows = p.l.model.rows
	}
	for _, r := range batch {
		p.begin(r)
	}
	p.beside.Add(2)
	p.others <- batch
	p.scores <- done
	for _, r := range batch {
		p.learnFirst(r)
	}
	p.beside.Wait()
	p.under = batch
	return done
}

// Drain returns the last batch, and gives the learner back.
func (p *Pipeline) Drain() (done []*Prepared) {
	if p.under == nil {
		return nil
	}
	done, p.under = p.under, nil
	for _, r := range done {
		p.finish(r)
	}
	p.l.mu.Unlock()
	return done
}

// begin gives a record what it needs of the targets before it.
func (p *Pipeline) begin(r *Prepared) {
	m := p.l.model
	r.predictions.rows = p.rows
	if r.known {
		r.y = m.tame(r.y)
		r.full = r.weight * m.classWeight(r.y)
		p.rows++
	}
	r.predictions.BaseRate.set(m.baseRate.predict(m.target.Kind))
	if r.known {
		m.baseRate.learn(m.target.Kind, r.y, r.weight)
	}
}

// learnFirst lets the first expert learn a record.
func (p *Pipeline) learnFirst(r *Prepared) {
	p.learn(r, 0)
	if n := len(r.rows); len(r.predictions.Experts) > n {
		r.predictions.Experts[n].set(p.l.model.mixture.experts[0].alone)
	}
}

// learnOthers lets the other experts, the exact model and the census learn a record.
func (p *Pipeline) learnOthers(r *Prepared) {
	for i := range r.rows[1:] {
		p.learn(r, 1+i)
	}
	r.predictions.Exact = nil
	if !r.known {
		r.predictions.seen = p.l.observer.seen(r.items)
		return
	}
	if m := p.l.model; m.takeExact(r.rows[0]) {
		r.exact.set(m.exact.step(0, r.y, r.full))
		r.predictions.Exact = &r.exact
	}
	r.predictions.seen = p.l.observer.count(r.items, r.predictions.rows+1)
}

// learn lets an expert forecast a record, and learn it if its target is known.
func (p *Pipeline) learn(r *Prepared, expert int) {
	m := p.l.model.mixture.experts[expert]
	own := m.row
	if m.row = r.rows[expert]; r.known {
		r.predictions.Experts[expert].set(m.step(0, r.y, r.full))
	} else {
		r.predictions.Experts[expert].set(m.predict(0))
	}
	m.row = own
}

// finish makes the forecast of a record that all models have learned, and scores it.
func (p *Pipeline) finish(r *Prepared) {
	l := p.l
	l.model.mixture.join(&r.predictions)
	r.Forecast = l.eval.forecast(&r.predictions)
	if r.known {
		l.model.weigh(&r.predictions, r.y, r.weight)
		l.eval.add(&r.predictions, r.y, r.weight)
		l.model.rows++
	} else {
		l.eval.unlabelled++
	}
	r.Alarms = l.eval.alarm.Alarms
}
