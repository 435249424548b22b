// Package stream learns a table row by row in fixed memory. A [Learner] forecasts the target of each record, scores the forecast,
// and then learns the record. Package schema describes the table, and package onepass holds the models.
package stream

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/pkg/errors"

	"gophe/phe/census"
	"gophe/phe/count"
	"gophe/phe/drift"
	"gophe/phe/stream/schema"
)

// Learner learns a stream row by row in fixed memory, and keeps the score of its forecasts. It is safe for concurrent use.
type Learner struct {
	mu      sync.Mutex
	schema  schema.Schema
	options Options
	design  design
	reader  *reader
	id      int // place of the column; −1 without it
	weight  int
	target  int

	main   *mixture
	exact  *exact // nil with Options.Alone, for counts, and after there were too many items
	census *census.Census
	usual  usual
	scale  *scale
	limits intervals
	alarm  *drift.Alarm
	boards *boards
	wait   waiting

	sleepers []sleeper                 // by their order in the schema
	sleeping []*readColumn             // the reader's columns of the sleepers
	awake    atomic.Pointer[[]sleeper] // a copy after the last that woke, for pipelines; nil before

	newest   [shownItems]newItem // a ring
	newestAt int

	rows       int64 // learned
	unlabelled int64 // rows of the stream without a target
	wild       int64 // rows whose target was a number beyond all measure
}

// New returns a learner that has seen no row.
func New(s schema.Schema, o Options) (*Learner, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	d, err := newDesign(s, o)
	if err != nil {
		return nil, err
	}
	return build(s, o, d)
}

// build returns a learner of a design.
func build(s schema.Schema, o Options, d design) (*Learner, error) {
	l := &Learner{schema: s, options: o, design: d, reader: newReader(s), id: s.PlaceOf(schema.ID), weight: s.PlaceOf(schema.Weight), target: s.PlaceOf(schema.Label)}
	l.sleeping = l.reader.sleepers()
	l.sleepers = make([]sleeper, len(l.sleeping))
	l.scale = newScale(s.Target.Kind)
	var err error
	if l.main, err = newMixture(d, s, l.reader, l.scale, o.Without); err != nil {
		return nil, err
	}
	if d.Exact != nil {
		if l.exact, err = newExact(*d.Exact, l.scale); err != nil {
			return nil, err
		}
	}
	l.census = census.New(len(s.FeatureNames()))
	l.usual = newUsual(s.Target)
	l.limits = newIntervals()
	l.alarm = drift.New(drift.Options{})
	l.boards = newBoards(s.Target)
	l.wait = newWaiting(o)
	return l, nil
}

// Schema returns the learner's schema.
func (l *Learner) Schema() schema.Schema { return l.schema }

// Options returns the learner's options, defaults filled in.
func (l *Learner) Options() Options {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.options
}

// Rows returns the number of rows learned.
func (l *Learner) Rows() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rows
}

// Alarms returns the number of times that the loss of the forecasts has risen.
func (l *Learner) Alarms() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.alarm.Alarms
}

// Predict forecasts the target of a record. It changes nothing.
func (l *Learner) Predict(r schema.Record) (Forecast, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(r); err != nil {
		return Forecast{}, err
	}
	return l.predict(r), nil
}

// Law calls use with the distribution of a record's count. Predict returns only its median and an interval. The distribution is valid
// until use returns, and use must not call the learner. Law returns an error for classes and numbers, where Predict returns everything.
func (l *Learner) Law(r schema.Record, use func(count.Distribution)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(r); err != nil {
		return err
	}
	m := l.main.experts[0]
	if m.counts == nil {
		return errors.Errorf("the target %s is forecast as %s; only a count has a law of its own", l.schema.Target.Column, l.schema.Target.Kind)
	}
	l.reader.read(m.encoder, r)
	m.take()
	use(m.counts.forecast(m.row, l.rarest(l.reader.items)))
	return nil
}

// Learn learns a record and its target, and scores the forecast that Predict would have made. A record without a target is an
// error.
func (l *Learner) Learn(r schema.Record) error {
	_, learned, err := l.Step(r)
	if err == nil && !learned {
		err = errors.Errorf("the record has no %s to learn; call Predict, or Ask for a label that comes later", l.schema.Target.Column)
	}
	return err
}

// Step forecasts the target of a record, scores the forecast and learns the record, as Predict and then Learn do. A record without a
// target is only forecast, and learned is false. After an error nothing has changed.
func (l *Learner) Step(r schema.Record) (f Forecast, learned bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	y, known, weight, err := l.label(r)
	if err != nil {
		return Forecast{}, false, err
	}
	if !known {
		l.unlabelled++
		return l.predict(r), false, nil
	}
	y = l.tame(y)
	l.read(r)
	seen := l.count(l.reader.items, l.rows)
	all := l.laws(seen, true, y, weight)
	f = l.forecast(all.Main, seen)
	l.score(&all, seen, y, weight, l.rows)
	l.usual.learn(l.schema.Target.Kind, y, weight)
	l.rows++
	if !l.scale.known() && l.scale.add(r, y, weight) {
		l.learnFirst()
	}
	l.watch(r)
	return f, true, nil
}

// laws returns the forecasts that all models make of the last record. With learn, the models then learn the record. All models
// forecast the base rate until a number's scale is known.
func (l *Learner) laws(seen int64, learn bool, y, weight float64) (all laws) {
	kind := l.schema.Target.Kind
	all.Usual, all.Experts = l.usual.law(kind), l.main.laws
	if l.exact != nil {
		all.Exact = &l.exact.law
	}
	switch {
	case !l.scale.known():
		l.main.sayUsual(all.Usual)
		if all.Exact != nil {
			*all.Exact = all.Usual
		}
	case learn:
		weight *= l.classWeight(y)
		l.main.step(seen, y, weight)
		if all.Exact != nil {
			*all.Exact = l.exact.step(seen, y, weight)
		}
	default:
		l.main.predict(seen)
		if all.Exact != nil {
			*all.Exact = l.exact.predict(seen)
		}
	}
	all.Main = l.main.law(kind, all.Experts, all.Usual, seen)
	return all
}

// learnFirst learns the rows that waited for the scale.
func (l *Learner) learnFirst() {
	if l.scale.tamed { // the base rate and the scores have it already: they begin again
		l.wild++
		l.usual, l.limits, l.boards, l.alarm = newUsual(l.schema.Target), newIntervals(), newBoards(l.schema.Target), drift.New(drift.Options{})
		for _, f := range l.scale.First {
			l.usual.learn(l.schema.Target.Kind, f.Y, f.Weight)
		}
	}
	for _, f := range l.scale.First {
		l.read(schema.Record(f.Record))
		l.learn(l.rarest(l.reader.items), f.Y, f.Weight)
	}
	l.scale.First = nil
}

// learn lets all models learn the last record.
func (l *Learner) learn(seen int64, y, weight float64) {
	weight *= l.classWeight(y)
	l.main.learn(seen, y, weight)
	if l.exact != nil {
		l.exact.learn(seen, y, weight)
	}
}

// tame bounds a number that is wild, and counts it. It returns all other targets as they are.
func (l *Learner) tame(y float64) float64 {
	if l.schema.Target.Kind != schema.Amount {
		return y
	}
	y, wild := l.usual.tame(l.scale, y)
	if wild {
		l.wild++
	}
	return y
}

// read gives a record to all models.
func (l *Learner) read(r schema.Record) {
	l.reader.read(l.main.encoder(), r)
	l.main.take()
	if l.exact != nil && !l.exact.take(l.main.experts[0].row) {
		l.exact = nil
	}
}

func (l *Learner) predict(r schema.Record) Forecast {
	l.reader.read(l.main.encoder(), r)
	l.main.take()
	seen := l.rarest(l.reader.items)
	usual := l.usual.law(l.schema.Target.Kind)
	if l.scale.known() {
		l.main.predict(seen)
	} else {
		l.main.sayUsual(usual)
	}
	return l.forecast(l.main.law(l.schema.Target.Kind, l.main.laws, usual, seen), seen)
}

// check returns an error if a record does not have the schema's number of fields.
func (l *Learner) check(r schema.Record) error {
	if len(r) != len(l.schema.Columns) {
		return errors.Errorf("the record has %d fields; this model has %d columns", len(r), len(l.schema.Columns))
	}
	return nil
}

// label returns the record's target and weight.
func (l *Learner) label(r schema.Record) (y float64, known bool, weight float64, err error) {
	if err = l.check(r); err != nil {
		return
	}
	if y, known, err = l.schema.Target.Parse(r[l.target]); err != nil {
		return
	}
	weight = 1
	if l.weight < 0 {
		return
	}
	field := r[l.weight]
	w, ok := schema.ParseNumber(field, l.schema.Columns[l.weight].DecimalComma)
	if !ok || !(w > 0) || w > mostWeight {
		err = &schema.FieldError{Column: l.schema.Columns[l.weight].Name, Value: field,
			Problem: "a weight is a number above 0, up to a million", Remedy: "correct it"}
	}
	return y, known, w, err
}

const mostWeight = 1e6

// classWeight returns the weight of a class in learning.
func (l *Learner) classWeight(y float64) float64 {
	if t := &l.schema.Target; len(t.Weights) > 0 {
		if w, ok := t.Weights[t.Classes[int(y)]]; ok {
			return w
		}
	}
	return 1
}

// rarest returns how often the rarest item of a record was seen. It returns unknownNovelty for a record without items.
func (l *Learner) rarest(items []item) int64 {
	least := int64(math.MaxInt64)
	for _, it := range items {
		least = min(least, l.census.Seen(it.key))
	}
	return novelty(least)
}

// count adds the items of a record to the census. It returns how often the rarest of them was seen before. rows is the number of rows
// learned before.
func (l *Learner) count(items []item, rows int64) int64 {
	least := int64(math.MaxInt64)
	for _, it := range items {
		before := l.census.Add(it.column, it.key, it.name)
		if before == 0 {
			l.note(it, rows+1)
		}
		least = min(least, before)
	}
	return novelty(least)
}

// novelty returns a least count of items, or unknownNovelty if there were no items to count.
func novelty(least int64) int64 {
	if least == math.MaxInt64 {
		return unknownNovelty
	}
	return least
}

// unknownNovelty is the novelty of a record without items, which counts as known.
const unknownNovelty = math.MaxInt64
