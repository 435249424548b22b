package stream

import (
	"cmp"
	"container/list"
	"math"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/pkg/errors"

	"gophe/phe/count"
	"gophe/phe/onepass"
	"gophe/phe/stream/internal/ensemble"
	"gophe/phe/stream/internal/evaluation"
	"gophe/phe/stream/internal/observer"
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/schema"
)

// Learner learns a stream row by row in fixed memory, and keeps the score of its forecasts. It is safe for concurrent use.
type Learner struct {
	Schema schema.Schema // of the records; it must not be changed

	mu      sync.Mutex
	options Options
	target  int // place of the target in a record
	weight  int // place of the weight; −1 without one
	id      int // place of the id

	model    *ensemble.Model
	eval     *evaluation.Evaluation
	observer *observer.Observer
	pending  pending
	last     *repeats.Memory // of the rows that have an id; nil if none is kept
	idsFrom  int64           // the first row whose id may be kept; 0 is the first of all
	row      ensemble.Row    // memory for one record
	told     *Told           // for the next Moment
	looks    bool            // the next forecast is the one to keep

	first, others []ensemble.Part // the model's first forecaster, which takes longest; the observer and the other forecasters
}

// New returns a learner that has seen no row.
func New(s schema.Schema, o Options) (*Learner, error) {
	if err := cmp.Or(s.Validate(), o.Validate()); err != nil {
		return nil, err
	}
	o = o.WithDefaults()
	d, err := ensemble.NewDesign(s, onepass.Shape{Memory: o.Memory, Interactions: o.Interactions}, o.Forget, o.Seed, !o.NoExactModel)
	if err != nil {
		return nil, err
	}
	return build(s, o, d)
}

func build(s schema.Schema, o Options, d ensemble.Design) (*Learner, error) {
	m, err := ensemble.New(s, d, o.Without)
	if err != nil {
		return nil, err
	}
	l := &Learner{Schema: s, options: o, target: s.PlaceOf(schema.Label), weight: s.PlaceOf(schema.Weight),
		model: m, row: m.NewRow(), eval: evaluation.New(s.Target, d), observer: observer.New(s),
		pending: pending{byID: map[string]*list.Element{}}}
	if l.id = s.PlaceOf(schema.ID); l.id >= 0 && o.IDs > 0 {
		l.last = repeats.New(o.IDs, o.Seed)
	}
	l.first, l.others = m.Forecasters[:1], append([]ensemble.Part{l.observer}, m.Forecasters[1:]...)
	return l, nil
}

// NameRows makes a column that was left out the id of the rows from now on, and keeps the ids of a number of rows. It is an error if
// the column is learned, or if the rows have an id. No other method may run meanwhile.
func (l *Learner) NameRows(column string, ids int) error {
	at := slices.Index(l.Schema.Names(), column)
	switch {
	case l.id >= 0:
		return errors.Errorf("the rows of this model have the id %q; no other column can name them", l.Schema.Columns[l.id].Name)
	case at < 0 || l.Schema.Columns[at].Kind != schema.Dropped:
		return errors.Errorf("%q cannot name the rows: the model learns it, or does not know it; a column that it left out can", column)
	}
	l.Schema.Columns[at].Kind, l.Schema.Columns[at].Empty = schema.ID, false
	if l.id = at; ids > 0 {
		l.options.IDs, l.idsFrom, l.last = ids, l.model.Rows+1, repeats.New(ids, l.options.Seed)
	}
	l.observer.Name(at)
	return nil
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
	return l.model.Rows
}

// Predict forecasts the target of a record. It changes only the counts of Fields.
func (l *Learner) Predict(r schema.Record) (Forecast, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(r); err != nil {
		return Forecast{}, err
	}
	l.take(r, ensemble.Label{}, ensemble.CallPredict)
	f := l.forecastRead()
	l.keep(r, f)
	return f, nil
}

func (l *Learner) forecastRead() Forecast {
	f := l.forecast(&l.row.Predictions)
	for _, at := range l.row.Odd {
		f.Unread = append(f.Unread, l.Schema.Columns[at].Name)
	}
	return f
}

// take takes a record through all parts. They forecast it, and learn it if its label is known.
func (l *Learner) take(record schema.Record, y ensemble.Label, c ensemble.Call) *ensemble.Row {
	l.read(record, y)
	return l.takeRead(c)
}

func (l *Learner) read(record schema.Record, y ensemble.Label) {
	l.row.Label = y
	l.model.Read(record, &l.row)
}

// takeRead takes the record that was read.
func (l *Learner) takeRead(c ensemble.Call) *ensemble.Row {
	r := &l.row
	r.Call = c
	l.model.Begin(r, l.model.Rows)
	ensemble.Take(r, l.others...)
	ensemble.Take(r, l.first...)
	l.model.Finish(r)
	return r
}

// Distribution calls use with the distribution of a record's count. Predict returns only its median and an interval. The distribution is
// valid until use returns, and use must not call the learner. A target of classes or numbers is an error: Predict returns everything.
func (l *Learner) Distribution(r schema.Record, use func(count.Distribution)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(r); err != nil {
		return err
	}
	if y := l.Schema.Target; y.Kind != schema.Count {
		return errors.Errorf("the target %s is forecast as %s; only a count has a distribution of its own", y.Column, y.Kind)
	}
	use(l.take(r, ensemble.Label{}, ensemble.CallPeek).Predictions.Main.Count)
	return nil
}

// Learn learns a record and its target, and scores the forecast that Predict would have made. A record without a target is an error. A
// record that came before changes nothing.
func (l *Learner) Learn(r schema.Record) error {
	f, learned, err := l.Step(r)
	if err == nil && !learned && f.Again.Learned() {
		err = errors.Errorf("the record has no %s to learn, or no weight; call Predict, or Ask for a label that comes later",
			l.Schema.Target.Column)
	}
	return err
}

// Step forecasts the target of a record, scores the forecast and learns the record, as Predict and then Learn do. A record without a target
// is only forecast, and learned is false. One that came before is not even forecast (Forecast.Again). An error changes nothing.
func (l *Learner) Step(r schema.Record) (f Forecast, learned bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	y, err := l.label(r)
	if err != nil {
		return Forecast{}, false, err
	}
	l.read(r, y)
	again := l.last.See(l.hash(&l.row, y))
	if !again.Learned() {
		return Forecast{Again: again}, false, nil
	}
	f = l.score(l.takeRead(ensemble.CallStep))
	f.Again = again
	return f, y.Known, nil
}

// hash returns the hash of a row and its label, by the values that its columns read.
func (l *Learner) hash(r *ensemble.Row, y ensemble.Label) (h repeats.Hash) {
	if l.last == nil {
		return h
	}
	id, _ := l.Schema.Columns[l.id].Value(r.Record[l.id])
	values := r.Values
	if l.weight >= 0 { // no input
		weight, _ := l.Schema.Columns[l.weight].Value(r.Record[l.weight])
		values = repeats.Mix(values, xxhash.Sum64String(weight))
	}
	if h = l.last.Hash(id, values); y.Known {
		h.Label(math.Float64bits(y.Y))
	}
	return h
}

// score returns the forecast of a row of the stream that all parts have taken, and scores it.
func (l *Learner) score(r *ensemble.Row) Forecast {
	p := &r.Predictions
	f := l.forecast(p)
	if r.Known {
		l.eval.Add(p, r.Y, r.Scored)
	} else {
		l.eval.Unlabelled++
	}
	l.observer.Learned.AddLabel(r.Record, r.Label)
	l.tell(r, &f)
	l.keep(r.Record, f)
	return f
}

// keep keeps the first forecast after a Moment for the next Moment.
func (l *Learner) keep(r schema.Record, f Forecast) {
	if l.looks {
		l.looks, l.told = false, &Told{slices.Clone(r), f}
	}
}

// tell puts the alarm of a row of the stream into its forecast, with the number of alarms so far.
func (l *Learner) tell(r *ensemble.Row, f *Forecast) {
	if r.Reason != "" {
		l.eval.Alarms++
	}
	f.Alarms, f.Reason, f.Changed = l.eval.Alarms, r.Reason, r.Changed
}

func (l *Learner) check(r schema.Record) error {
	if len(r) != len(l.Schema.Columns) {
		return errors.Errorf("the record has %d fields; this model has %d columns", len(r), len(l.Schema.Columns))
	}
	return nil
}

func (l *Learner) label(r schema.Record) (y ensemble.Label, err error) {
	if err = l.check(r); err != nil {
		return y, err
	}
	y.Scored = 1
	if y.Y, y.Known, err = l.Schema.Target.Parse(r[l.target]); err != nil || l.weight < 0 {
		return y, err
	}
	c, field, ok := &l.Schema.Columns[l.weight], r[l.weight], false
	if y.Scored, ok = c.Number(field); !ok || !(y.Scored >= 0) || y.Scored > ensemble.MaxWeight {
		return y, &schema.FieldError{Column: c.Name, Value: field, Problem: "a weight is a number from 0 to a million",
			Remedy: "correct it"}
	}
	y.Known = y.Known && y.Scored > 0 // a row of weight 0 is only forecast
	return y, nil
}
