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
	row             int64          // number of rows learned before
	seen            int64          // times that the rarest item was seen
	laws            laws
	exact           law
}

// errWakes is the error of Prepare for a record that Learner.Step must learn.
var errWakes = errors.New("a column wakes: learn the record by Step")

// Pipeline returns a pipeline for the learner. It returns nil while the learner needs its records one by one: before it knows the scale
// of a number, has chosen its pairs of columns, or knows the bins of a column that wakes, and always for counts.
func (l *Learner) Pipeline() *Pipeline {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.schema.Target.Kind == schema.Count || !l.scale.known() || l.waits() || l.main.experts[0].learner.Choosing() {
		return nil
	}
	p := &Pipeline{l: l, reader: newReader(l.schema), others: make(chan []*Prepared, 1), scores: make(chan []*Prepared, 1)}
	p.reader.wake(l.sleepers)
	p.asleep = p.reader.asleep(l.sleepers)
	for _, x := range l.main.experts {
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
	if p.asleep.wait(p.l, p.reader, record, r.known) {
		return errWakes
	}
	if r.rows == nil {
		r.laws.Experts = make([]law, len(p.l.main.laws))
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
		p.rows = p.l.rows
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
	l := p.l
	r.row = p.rows
	if !r.known {
		r.laws.Usual.set(l.usual.law(l.schema.Target.Kind))
		return
	}
	r.y = l.tame(r.y)
	r.full = r.weight * l.classWeight(r.y)
	r.laws.Usual.set(l.usual.law(l.schema.Target.Kind))
	l.usual.learn(l.schema.Target.Kind, r.y, r.weight)
	p.rows++
}

// learnFirst lets the first model learn a record.
func (p *Pipeline) learnFirst(r *Prepared) {
	p.learn(r, 0)
	if n := len(r.rows); len(r.laws.Experts) > n {
		r.laws.Experts[n].set(p.l.main.experts[0].alone)
	}
}

// learnOthers lets the other models and the census learn a record.
func (p *Pipeline) learnOthers(r *Prepared) {
	l := p.l
	for i := range r.rows[1:] {
		p.learn(r, 1+i)
	}
	if r.laws.Exact = nil; !r.known {
		r.seen = l.rarest(r.items)
		return
	}
	if l.exact != nil && !l.exact.take(r.rows[0]) {
		l.exact = nil
	}
	if l.exact != nil {
		r.exact.set(l.exact.step(0, r.y, r.full))
		r.laws.Exact = &r.exact
	}
	r.seen = l.count(r.items, r.row)
}

// learn lets a model forecast a record, and learn it if its target is known.
func (p *Pipeline) learn(r *Prepared, expert int) {
	m := p.l.main.experts[expert]
	own := m.row
	if m.row = r.rows[expert]; r.known {
		r.laws.Experts[expert].set(m.step(0, r.y, r.full))
	} else {
		r.laws.Experts[expert].set(m.predict(0))
	}
	m.row = own
}

// finish makes the forecast of a record that all models have learned, and scores it.
func (p *Pipeline) finish(r *Prepared) {
	l := p.l
	r.laws.Main = l.main.law(l.schema.Target.Kind, r.laws.Experts, r.laws.Usual, r.seen)
	r.Forecast = l.forecast(r.laws.Main, r.seen)
	if r.known {
		l.score(&r.laws, r.seen, r.y, r.weight, l.rows)
		l.rows++
	} else {
		l.unlabelled++
	}
	r.Alarms = l.alarm.Alarms
}

// set copies a law into memory of its own.
func (m *law) set(from law) {
	own := m.Classes
	*m = from
	m.Classes = append(own[:0], from.Classes...)
}
