package stream

import (
	"container/list"
	"sync"

	"github.com/pkg/errors"

	"gophe/phe/count"
	"gophe/phe/stream/schema"
)

// Learner learns a stream row by row in fixed memory, and keeps the score of its forecasts. It is safe for concurrent use.
type Learner struct {
	Schema schema.Schema // of the records; it must not be changed

	mu      sync.Mutex
	options Options
	target  int // place of the target in a record
	weight  int // place of the weight; −1 without one

	model    *model
	eval     *evaluation
	observer *observer
	waiting  waiting
	row      row // memory for one record
}

// Forecast is a learner's forecast of a record. A field that does not apply to the kind of target is 0.
type Forecast struct {
	// Probability is the probability of the second of two classes.
	Probability float64 `json:"probability"`
	// Classes are the probabilities of several classes, in the order of Target.Classes.
	Classes []float64 `json:"classes,omitempty"`
	// Value is the likeliest class's number, a number's mean, or a count's median.
	Value float64 `json:"value"`
	// Low and High bound the interval that holds nine in ten numbers or counts.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Novelty is the number of times that the record's rarest item was learned before; −1 if the record has no items.
	Novelty int64 `json:"novelty"`
	// Spread is the standard deviation of the model's uncertainty about the record: in the logit, or in a number's mean.
	Spread float64 `json:"spread"`
	// Rows is the number of rows learned when the forecast was made.
	Rows int64 `json:"rows"`
	// Changes is the number of times so far that the forecasts did not hold, in this row too if it was learned.
	Changes int `json:"-"`
	// Alarms is the number of alarms so far, in this row too if it was learned: the loss of the forecasts has risen, or there was a Jump.
	Alarms int `json:"-"`
	// Jump says which columns' fields can no longer be read, or are now empty, if the alarm for that went off at this row.
	Jump string `json:"-"`
	// Unread are the columns whose fields are not what they hold.
	Unread []string `json:"unread,omitempty"`
}

// New returns a learner that has seen no row.
func New(s schema.Schema, o Options) (*Learner, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := o.validate(); err != nil {
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
	return &Learner{Schema: s, options: o, target: s.PlaceOf(schema.Label), weight: s.PlaceOf(schema.Weight),
		model: m, row: m.newRow(), eval: newEvaluation(s.Target, d), observer: newObserver(s),
		waiting: waiting{byID: map[string]*list.Element{}}}, nil
}

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

// Predict forecasts the target of a record. It changes nothing but what Fields counts of forecasts.
func (l *Learner) Predict(r schema.Record) (Forecast, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(r); err != nil {
		return Forecast{}, err
	}
	return l.forecast(l.step(r, l.observer.asked, labelled{})), nil
}

// forecast returns the forecast of the record that was read last.
func (l *Learner) forecast(p *predictions) Forecast {
	f := l.eval.forecast(p)
	f.Changes = l.model.course.changes()
	for _, at := range l.row.odd {
		f.Unread = append(f.Unread, l.Schema.Columns[at].Name)
	}
	return f
}

// step lets the experts forecast a record, and learn it if its target is known. It returns the forecasts. It counts the fields in f if f is
// not nil.
func (l *Learner) step(r schema.Record, f *fields, y labelled) *predictions {
	row := &l.row
	row.labelled = y
	l.model.reader.read(r, row)
	l.model.begin(row, l.model.rows)
	row.predictions.seen = l.observer.observe(row, f, l.model.rows)
	for i := range row.rows {
		l.model.stepExpert(row, i, row.predictions.seen)
	}
	if y.known {
		l.model.stepExact(row)
	}
	l.model.join(&row.predictions)
	return &row.predictions
}

// Distribution calls use with the distribution of a record's count. Predict returns only its median and an interval. The distribution is
// valid until use returns, and use must not call the learner. A target of classes or numbers is an error: Predict returns everything.
func (l *Learner) Distribution(r schema.Record, use func(count.Distribution)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(r); err != nil {
		return err
	}
	if l.Schema.Target.Kind != schema.Count {
		return errors.Errorf("the target %s is forecast as %s; only a count has a distribution of its own", l.Schema.Target.Column, l.Schema.Target.Kind)
	}
	use(l.step(r, nil, labelled{}).Main.count)
	return nil
}

// Learn learns a record and its target, and scores the forecast that Predict would have made. A record without a target is an
// error.
func (l *Learner) Learn(r schema.Record) error {
	_, learned, err := l.Step(r)
	if err == nil && !learned {
		err = errors.Errorf("the record has no %s to learn; call Predict, or Ask for a label that comes later", l.Schema.Target.Column)
	}
	return err
}

// Step forecasts the target of a record, scores the forecast and learns the record, as Predict and then Learn do. A record without a
// target is only forecast, and learned is false. After an error nothing has changed.
func (l *Learner) Step(r schema.Record) (f Forecast, learned bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	y, err := l.label(r)
	if err != nil {
		return Forecast{}, false, err
	}
	l.step(r, l.observer.learned, y)
	return l.finish(&l.row), y.known, nil
}

// finish returns the forecast of a row that the experts have learned, scores it, and lets everything after the experts learn.
func (l *Learner) finish(r *row) Forecast {
	p := &r.predictions
	f := l.eval.forecast(p)
	if r.known {
		l.model.finish(r, p)
		l.score(r, p)
	} else {
		l.eval.unlabelled++
	}
	l.observer.learned.addLabel(r.record, r.labelled)
	f.Alarms, f.Jump = l.alarms(r)
	f.Changes = l.model.course.changes()
	return f
}

// score tests and scores the forecasts of a row that was just learned.
func (l *Learner) score(r *row, p *predictions) {
	l.model.watch(p, r.y, l.eval.Intervals.factor(p.seen))
	l.eval.add(p, r.y, r.weight)
}

// alarms returns the number of alarms so far, with that of a jump at a row of the stream, and the jump.
func (l *Learner) alarms(r *row) (n int, jump string) {
	if r.jump != "" {
		l.eval.Alarm.Alarms++
	}
	return l.eval.Alarm.Alarms, r.jump
}

// check returns an error if a record does not have the schema's number of fields.
func (l *Learner) check(r schema.Record) error {
	if len(r) != len(l.Schema.Columns) {
		return errors.Errorf("the record has %d fields; this model has %d columns", len(r), len(l.Schema.Columns))
	}
	return nil
}

// label returns the record's target and weight.
func (l *Learner) label(r schema.Record) (y labelled, err error) {
	if err = l.check(r); err != nil {
		return y, err
	}
	y.weight = 1
	if y.y, y.known, err = l.Schema.Target.Parse(r[l.target]); err != nil || l.weight < 0 {
		return y, err
	}
	c, field, ok := &l.Schema.Columns[l.weight], r[l.weight], false
	if y.weight, ok = c.Number(field); !ok || !(y.weight >= 0) || y.weight > maxWeight {
		return y, &schema.FieldError{Column: c.Name, Value: field, Problem: "a weight is a number from 0 to a million", Remedy: "correct it"}
	}
	y.known = y.known && y.weight > 0 // a row of weight 0 is only forecast
	return y, nil
}

const maxWeight = 1e6
