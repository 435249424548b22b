package stream

import (
	"slices"

	"gophe/phe/count"
	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// model forecasts the target of a record, and learns it. Beside the mixture it has two rivals to compare with: the base rate and the exact
// model.
type model struct {
	design   design
	target   schema.Target
	reader   *reader
	mixture  *mixture
	exact    *exact // nil for counts, with Options.NoExactModel, and after there were too many items
	baseRate baseRate
	scale    *scale
	sleepers *sleepers
	course   *course // nil in a learner of before

	rows int64 // learned
	wild int64 // rows whose target was a number beyond all measure
}

// row is a record on its way through the models, with the forecasts that it gets. It can be used again.
type row struct {
	record schema.Record
	items  []item
	odd    []int          // columns whose fields cannot be read as what they hold
	gaps   []int          // columns without a value
	jump   string         // what has jumped at this row
	rows   []*onepass.Row // by expert
	labelled
	widens bool // the beliefs become less sure once the row is learned

	predictions predictions
	exact       prediction
}

// labelled is the target of a record.
type labelled struct {
	known  bool
	y      float64
	weight float64 // in the score
	counts float64 // rows that it counts as in learning, but for the weights of classes
}

// newModel returns a model that has seen nothing.
func newModel(s schema.Schema, d design, without Ablation) (*model, error) {
	m := &model{design: d, target: s.Target, baseRate: newBaseRate(s.Target), scale: newScale(s.Target.Kind), course: newCourse(d)}
	var err error
	if m.mixture, err = newMixture(d, s, m.scale, without); err != nil {
		return nil, err
	}
	var encoders []*onepass.Encoder
	for _, x := range m.mixture.experts {
		encoders = append(encoders, x.encoder)
	}
	m.reader = newReader(s, encoders)
	m.sleepers = newSleepers(m.reader)
	if d.Exact != nil {
		m.exact, err = newExact(*d.Exact, m.scale)
	}
	return m, err
}

// newRow returns a row for a reader's records.
func (m *model) newRow() row {
	r := row{predictions: predictions{Experts: make([]prediction, m.mixture.views)}}
	for range m.mixture.experts {
		r.rows = append(r.rows, &onepass.Row{})
	}
	return r
}

// begin forecasts a row by the base rate, which then learns the target if it is known. rows is the number of rows learned before.
func (m *model) begin(r *row, rows int64) {
	p := &r.predictions
	p.rows, p.restart, p.Exact = rows, false, nil
	if r.known {
		m.tame(&r.labelled, rows)
	}
	r.widens = r.known && m.course.widens(rows)
	p.BaseRate.set(m.baseRate.predict(m.target.Kind))
	if r.known {
		m.baseRate.learn(m.target.Kind, r.y, r.counts)
	}
}

// stepExpert lets an expert forecast a row, and learn it if its target is known. Only counts need seen, the number of times that the row's
// rarest item was learned before.
func (m *model) stepExpert(r *row, expert int, seen int64) {
	x, p := m.mixture.experts[expert], &r.predictions
	m.step(x, r, r.rows[expert], seen, &p.Experts[expert])
	if r.widens {
		x.widen()
	}
	if n := len(m.mixture.experts); expert == 0 && m.mixture.views > n {
		p.Experts[n].set(x.alone)
	}
}

// stepExact lets the exact model, if there is one, forecast a row, and learn it if its target is known.
func (m *model) stepExact(r *row) {
	if m.takeExact(r) {
		m.step(&m.exact.expert, r, m.exact.row, 0, &r.exact)
		r.predictions.Exact = &r.exact
	}
}

// step lets an expert or the exact model forecast a row, and learn it if its target is known. Until a number's scale is known, the
// forecast is the base rate.
func (m *model) step(x *expert, r *row, encoded *onepass.Row, seen int64, p *prediction) {
	switch {
	case !m.scale.known():
		p.set(r.predictions.BaseRate)
	case r.known:
		p.set(x.step(encoded, seen, r.y, r.counts*m.classWeight(r.y)))
		x.choose()
	default:
		p.set(x.predict(encoded, seen))
	}
}

// takeExact gives a row to the exact model. It returns false if there is no such model, and drops the model if it has no room.
func (m *model) takeExact(r *row) bool {
	if m.exact != nil && !m.exact.take(r.rows[0]) {
		m.exact = nil
	}
	return m.exact != nil
}

// learn learns a row that was forecast before, by the forecasts that it got.
func (m *model) learn(r *row, p *predictions, seen int64) {
	m.baseRate.learn(m.target.Kind, r.y, r.counts)
	r.widens = m.course.widens(m.rows)
	if m.takeExact(r); m.scale.known() {
		if c := m.mixture.experts[0].counts; c != nil {
			copy(c.came, p.Main.Inputs) // what came last when the record was forecast
		}
		m.learnExperts(r, seen)
	}
	m.finish(r, p)
}

// learnExperts lets the experts and the exact model learn a row.
func (m *model) learnExperts(r *row, seen int64) {
	weight := r.counts * m.classWeight(r.y)
	for i, x := range m.mixture.experts {
		x.learn(r.rows[i], seen, r.y, weight)
		x.choose()
		if r.widens {
			x.widen()
		}
	}
	if m.exact != nil {
		m.exact.learn(m.exact.row, seen, r.y, weight)
	}
}

// finish lets everything after the experts learn a row and its forecasts.
func (m *model) finish(r *row, p *predictions) {
	m.mixture.weigh(p, r.y, r.counts, float64(p.rows+1)/float64(m.rows+1))
	if !m.scale.known() && m.scale.add(r.record, r.y, r.counts) {
		p.restart = m.scale.tamed
		m.learnFirst()
	}
	m.sleepers.watch(r.record)
	m.rows++
}

// join makes the main forecast of a row.
func (m *model) join(p *predictions) {
	p.fresh = m.course.fresh()
	m.mixture.join(p)
}

// learnFirst learns the rows that waited for the scale.
func (m *model) learnFirst() {
	if m.scale.tamed { // the base rate has the wild number already: it begins again
		m.wild++
		m.baseRate = newBaseRate(m.target)
		for _, f := range m.scale.First {
			m.baseRate.learn(m.target.Kind, f.Y, f.Weight)
		}
	}
	r := m.newRow()
	for _, f := range m.scale.First {
		r.labelled = labelled{true, f.Y, f.Weight, f.Weight}
		m.reader.read(schema.Record(f.Record), &r)
		m.takeExact(&r)
		m.learnExperts(&r, unknownNovelty) // no model of numbers reads the novelty
	}
	m.scale.First = nil
}

// classWeight returns the weight of a class in learning. With a course, the classes count alike in learning, and their weights shift the
// forecast.
func (m *model) classWeight(y float64) float64 {
	if t := &m.target; len(t.Weights) > 0 && m.course == nil {
		if w, ok := t.Weights[t.Classes[int(y)]]; ok {
			return w
		}
	}
	return 1
}

// predictions are the forecasts that all models made of one record.
type predictions struct {
	Main     prediction   `json:"main"`
	Experts  []prediction `json:"experts"` // also of the first expert's evidence alone, for classes
	BaseRate prediction   `json:"usual"`
	Exact    *prediction  `json:"exact,omitempty"`

	seen    int64   // number of times that the record's rarest item was learned before
	rows    int64   // number of rows learned before
	fresh   float64 // share of what came last that is not stale
	restart bool    // a number before was wild beside the others: the scores so far count no more
}

// kept returns copies that stay valid after the models' next calls.
func (p predictions) kept() predictions {
	p.Main, p.BaseRate, p.Experts = p.Main.kept(), p.BaseRate.kept(), slices.Clone(p.Experts)
	for i, x := range p.Experts {
		p.Experts[i] = x.kept()
	}
	if p.Exact != nil {
		x := p.Exact.kept()
		p.Exact = &x
	}
	return p
}

// prediction is a model's forecast. Classes have probabilities, a number has mean and variance, and a count has median and interval.
type prediction struct {
	Classes  []float64 `json:"classes,omitempty"`
	Mean     float64   `json:"mean,omitempty"`
	Variance float64   `json:"variance,omitempty"`
	Median   float64   `json:"median,omitempty"`
	Low      float64   `json:"low,omitempty"`
	High     float64   `json:"high,omitempty"`
	Spread   float64   `json:"spread,omitempty"` // standard deviation of the model's uncertainty, in the logit or the mean
	Inputs   []float64 `json:"inputs,omitempty"` // of the last step, in the forecast that it made

	count count.Distribution // distribution of a count, valid until the model's next call
}

// kept returns a copy that stays valid after the model's next call. The copy lacks the distribution of a count.
func (p prediction) kept() prediction {
	p.Classes, p.Inputs, p.count = slices.Clone(p.Classes), slices.Clone(p.Inputs), nil
	return p
}

// set copies a prediction into memory of its own.
func (p *prediction) set(from prediction) {
	own := p.Classes
	*p = from
	p.Classes = append(own[:0], from.Classes...)
}
