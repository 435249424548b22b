package stream

import (
	"sync"

	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// Pipeline takes a learner along records on several threads:
//
//	Prepare: items and numbers, keys and slots  →  Step: one model │ all other models, census  →  last step and score
//
// Each model learns the records in their order, and no model reads the numbers of another. So the bits are those of Learner.Step.
// The learner is locked from the first Step to Drain. A Pipeline is for one goroutine; another one may call Prepare.
type Pipeline struct {
	l        *Learner
	reader   *reader // of Prepare, with the encoders
	encoders []*onepass.Encoder

	first, others chan []*Prepared // batches for the goroutines that learn
	under         []*Prepared      // the batch under way; nil if there is none
	learned       sync.WaitGroup   // of the batch under way
	rows          int64            // learned when the batch under way has come out
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

// Pipeline returns a pipeline for the learner. It returns nil while the learner needs its records one by one: before it knows the scale
// of a number, or has chosen its pairs of columns, and always for counts.
func (l *Learner) Pipeline() *Pipeline {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.schema.Target.Kind == schema.Count || !l.scale.known() || l.main.experts[0].learner.Choosing() {
		return nil
	}
	p := &Pipeline{l: l, reader: newReader(l.schema), first: make(chan []*Prepared), others: make(chan []*Prepared)}
	for _, x := range l.main.experts {
		e := x.encoder.Twin()
		p.reader.share(e)
		p.encoders = append(p.encoders, e)
	}
	go p.work(p.first, p.learnFirst)
	go p.work(p.others, p.learnOthers)
	return p
}

// Close ends the pipeline's goroutines. Call it after Drain.
func (p *Pipeline) Close() {
	close(p.first)
	close(p.others)
}

func (p *Pipeline) work(batches <-chan []*Prepared, do func(*Prepared)) {
	for batch := range batches {
		for _, r := range batch {
			do(r)
		}
		p.learned.Done()
	}
}

// Prepare reads a record. A record that Learner.Step cannot learn gives the error of Step. The record's fields must stay valid until the
// record comes out of the pipeline.
func (p *Pipeline) Prepare(record schema.Record, r *Prepared) (err error) {
	if r.y, r.known, r.weight, err = p.l.label(record); err != nil {
		return err
	}
	if r.rows == nil {
		r.laws.Experts = make([]law, len(p.l.main.laws))
		for range p.encoders {
			r.rows = append(r.rows, &onepass.Row{})
		}
	}
	p.reader.read(p.encoders[0], record)
	r.items = append(r.items[:0], p.reader.items...)
	encode(p.encoders, r.rows)
	return nil
}

// Step begins to learn a batch of records, and returns the batch before with its forecasts; nil if there was none. The batch must not
// be empty.
func (p *Pipeline) Step(batch []*Prepared) (done []*Prepared) {
	before := p.under
	if before == nil {
		p.l.mu.Lock()
		p.rows = p.l.rows
	} else {
		p.learned.Wait()
	}
	for _, r := range batch {
		p.begin(r)
	}
	p.under = batch
	p.learned.Add(2)
	p.first <- batch
	p.others <- batch
	p.finish(before)
	return before
}

// Drain returns the last batch, and gives the learner back.
func (p *Pipeline) Drain() (done []*Prepared) {
	if p.under == nil {
		return nil
	}
	done, p.under = p.under, nil
	p.learned.Wait()
	p.finish(done)
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

// learnFirst lets the first model learn a record, which takes as long as all others together.
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

// finish makes the forecasts of a batch that all models have learned, and scores them.
func (p *Pipeline) finish(batch []*Prepared) {
	l := p.l
	for _, r := range batch {
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
}

// set copies a law into memory of its own.
func (m *law) set(from law) {
	own := m.Classes
	*m = from
	m.Classes = append(own[:0], from.Classes...)
}
