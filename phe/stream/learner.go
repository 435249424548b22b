package stream

import (
	"sync"

	"github.com/pkg/errors"

	"gophe/phe/count"
	"gophe/phe/stream/schema"
)

// Learner learns a stream row by row in fixed memory, and keeps the score of its forecasts. It is safe for concurrent use.
type Learner struct {
	mu      sync.Mutex
	schema  schema.Schema
	options Options
	target  int // place of the target in a record
	weight  int // place of the weight; −1 without one

	model    *model
	eval     *evaluation
	observer *observer
	waiting  waiting
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
	m, err := newModel(s, d, o.Without)
	if err != nil {
		return nil, err
	}
	return &Learner{schema: s, options: o, target: s.PlaceOf(schema.Label), weight: s.PlaceOf(schema.Weight),
		model: m, eval: newEvaluation(s.Target, d), observer: newObserver(s), waiting: newWaiting(o)}, nil
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
	return l.model.rows
}

// Alarms returns the number of times that the loss of the forecasts has risen.
func (l *Learner) Alarms() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.eval.alarm.Alarms
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

func (l *Learner) predict(r schema.Record) Forecast {
	p := l.model.predict(l.read(r))
	return l.eval.forecast(&p)
}

// read gives a record to the model, and looks up how new it is.
func (l *Learner) read(r schema.Record) row { return row{r, l.observer.seen(l.model.read(r))} }

// readNew gives a record that will be learned to the model, and counts its items.
func (l *Learner) readNew(r schema.Record) row {
	return row{r, l.observer.count(l.model.read(r), l.model.rows+1)}
}

// Distribution calls use with the distribution of a record's count. Predict returns only its median and an interval. The distribution is
// valid until use returns, and use must not call the learner. A target of classes or numbers is an error: Predict returns everything.
func (l *Learner) Distribution(r schema.Record, use func(count.Distribution)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(r); err != nil {
		return err
	}
	if l.schema.Target.Kind != schema.Count {
		return errors.Errorf("the target %s is forecast as %s; only a count has a distribution of its own", l.schema.Target.Column, l.schema.Target.Kind)
	}
	use(l.model.predict(l.read(r)).Main.count)
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
		l.eval.unlabelled++
		return l.predict(r), false, nil
	}
	y = l.model.tame(y)
	row := l.readNew(r)
	p := l.model.step(row, y, weight)
	f = l.eval.forecast(&p)
	l.eval.add(&p, y, weight)
	return f, true, nil
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
	if !ok || !(w > 0) || w > maxWeight {
		err = &schema.FieldError{Column: l.schema.Columns[l.weight].Name, Value: field,
			Problem: "a weight is a number above 0, up to a million", Remedy: "correct it"}
	}
	return y, known, w, err
}

const maxWeight = 1e6
