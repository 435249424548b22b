package stream

import (
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

	rows int64 // learned
	wild int64 // rows whose target was a number beyond all measure
}

// row is a record that the model has read.
type row struct {
	record schema.Record
	seen   int64 // number of times that its rarest item was learned before; unknownNovelty without items
}

// newModel returns a model that has seen nothing.
func newModel(s schema.Schema, d design, without ablation) (*model, error) {
	m := &model{design: d, target: s.Target, reader: newReader(s), baseRate: newBaseRate(s.Target), scale: newScale(s.Target.Kind)}
	m.sleepers = newSleepers(m.reader)
	var err error
	if m.mixture, err = newMixture(d, s, m.reader, m.scale, without); err == nil && d.Exact != nil {
		m.exact, err = newExact(*d.Exact, m.scale)
	}
	return m, err
}

// read reads a record, and returns its items. All other methods mean the record that was read last.
func (m *model) read(r schema.Record) []item {
	m.reader.read(m.mixture.encoder(), r)
	m.mixture.take()
	return m.reader.items
}

// predict forecasts a record, and changes nothing. The forecasts are valid until the next call. They are the base rate until a number's
// scale is known.
func (m *model) predict(r row) predictions {
	p := m.begin(r)
	if m.scale.known() {
		m.mixture.predict(r.seen)
	}
	m.join(&p)
	return p
}

// ask forecasts a record that learn will learn, also by the exact model. The forecasts stay valid.
func (m *model) ask(r row) predictions {
	p := m.predict(r)
	if m.takeExact(m.mixture.rows[0]) {
		p.Exact = &p.BaseRate
		if m.scale.known() {
			x := m.exact.predict(r.seen)
			p.Exact = &x
		}
	}
	return p.kept()
}

// step forecasts a record, and then learns it.
func (m *model) step(r row, y, weight float64) predictions {
	p := m.begin(r)
	exact := m.takeExact(m.mixture.rows[0])
	if exact {
		m.exact.last = p.BaseRate
		p.Exact = &m.exact.last
	}
	if m.scale.known() {
		full := weight * m.classWeight(y)
		m.mixture.step(r.seen, y, full)
		if exact {
			m.exact.last = m.exact.step(r.seen, y, full)
		}
	}
	m.join(&p)
	m.finish(&p, r.record, y, weight)
	return p
}

// learn learns a record that was forecast before.
func (m *model) learn(r row, p *predictions, y, weight float64) {
	if m.takeExact(m.mixture.rows[0]); m.scale.known() {
		m.mixture.remember(p.Main.Inputs)
		m.learnExperts(r.seen, y, weight)
	}
	m.finish(p, r.record, y, weight)
}

// begin makes the base rate the forecast of all experts.
func (m *model) begin(r row) predictions {
	rate := m.baseRate.predict(m.target.Kind)
	if !m.scale.known() {
		m.mixture.predictBaseRate(rate)
	}
	return predictions{BaseRate: rate, seen: r.seen, rows: m.rows}
}

// join makes the main forecast of the experts'.
func (m *model) join(p *predictions) {
	p.Experts = m.mixture.predictions
	m.mixture.join(p)
}

// takeExact gives a row to the exact model. It returns false if there is no such model, and drops the model if it has no room.
func (m *model) takeExact(row *onepass.Row) bool {
	if m.exact != nil && !m.exact.take(row) {
		m.exact = nil
	}
	return m.exact != nil
}

// learnExperts lets the experts and the exact model learn a record.
func (m *model) learnExperts(seen int64, y, weight float64) {
	weight *= m.classWeight(y)
	m.mixture.learn(seen, y, weight)
	if m.exact != nil {
		m.exact.learn(seen, y, weight)
	}
}

// finish lets everything after the experts learn a row and its forecasts.
func (m *model) finish(p *predictions, r schema.Record, y, weight float64) {
	m.weigh(p, y, weight)
	m.baseRate.learn(m.target.Kind, y, weight)
	if !m.scale.known() && m.scale.add(r, y, weight) {
		p.restart = m.scale.tamed
		m.learnFirst()
	}
	m.sleepers.watch(r)
	m.rows++
}

// weigh lets the mixture's last step and its weights learn a target.
func (m *model) weigh(p *predictions, y, weight float64) {
	m.mixture.weigh(p, y, weight, float64(p.rows+1)/float64(m.rows+1))
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
	for _, f := range m.scale.First {
		m.read(schema.Record(f.Record))
		m.takeExact(m.mixture.rows[0])
		m.learnExperts(unknownNovelty, f.Y, f.Weight) // no model of numbers reads the novelty
	}
	m.scale.First = nil
}

// tame bounds a number that is wild, and counts it. It returns all other targets as they are.
func (m *model) tame(y float64) float64 {
	if m.target.Kind != schema.Amount {
		return y
	}
	y, wild := m.baseRate.tame(m.scale, y)
	if wild {
		m.wild++
	}
	return y
}

// classWeight returns the weight of a class in learning.
func (m *model) classWeight(y float64) float64 {
	if t := &m.target; len(t.Weights) > 0 {
		if w, ok := t.Weights[t.Classes[int(y)]]; ok {
			return w
		}
	}
	return 1
}
