package stream

import (
	"slices"

	"gophe/phe/belief"
	"gophe/phe/count"
	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// part is a part of the ensemble. Every row takes the same road through the parts, whenever its label comes.
type part interface {
	// forecast puts the part's forecast into a row.
	forecast(r *row)
	// learn learns the label of the row that was forecast last, from what the row holds.
	learn(r *row)
}

// take lets parts forecast a row, and learn it if its label is known.
func take(r *row, parts ...part) {
	for _, p := range parts {
		if p.forecast(r); r.known {
			p.learn(r)
		}
	}
}

// model is an ensemble that forecasts the target of a record, and learns it. Beside the mixture it has two rivals to compare with: the base
// rate and the exact model.
type model struct {
	design   design
	target   schema.Target
	reader   *reader
	scale    *scale
	baseRate *baseRate
	experts  []*expert
	counter  *counter // of counts, which have no expert; otherwise nil
	exact    *exact   // nil for counts, with Options.NoExactModel, and after there were too many items
	mixture  *mixture // nil for counts
	sleepers *sleepers

	forecasters []part // parts that forecast from the record alone; none reads the numbers of another
	joiners     []part // parts that forecast from those forecasts

	inputs int   // of the main forecast
	rows   int64 // learned
}

// row is a record on its way through the parts, with everything that one part leaves for another. It can be used again.
type row struct {
	record schema.Record
	items  []item
	odd    []int          // columns whose fields cannot be read as what they hold
	gaps   []int          // columns without a value
	jump   string         // what has jumped at this row
	rows   []*onepass.Row // by encoder
	call   call
	late   *predictions // of a label: the forecasts that its record got when it was asked
	labelled

	predictions predictions
	exact       prediction // memory of predictions.Exact
	odds        float64    // log-odds of the second of two classes, before recalibration
	share       float64    // the part of its weight with which a late row counts
}

// call is the learner's method that a row comes from.
type call int

const (
	callStep    call = iota // forecast and, if the label is known, learned
	callAsk                 // forecast, and learned when its label comes
	callLabel               // learned by the forecasts that it got when it was asked
	callPredict             // forecast, and no row of the stream
	callPeek                // the same, and not counted
)

// labelled is the target of a record.
type labelled struct {
	known  bool
	y      float64
	weight float64 // in the score, and in learning but for the weights of classes
}

// newModel returns a model that has seen nothing.
func newModel(s schema.Schema, d design, without Ablation) (*model, error) {
	m := &model{design: d, target: s.Target, scale: newScale(s.Target.Kind), inputs: len(windows)}
	m.baseRate = newBaseRate(s.Target, m.scale)
	var encoders []*onepass.Encoder
	for i, x := range d.Experts {
		encoder, err := onepass.NewEncoder(x.Learner, namesOf(s))
		if err != nil {
			return nil, err
		}
		encoders = append(encoders, encoder)
		if x.Counts != nil {
			m.counter = newCounter(*x.Counts)
			m.forecasters = append(m.forecasters, m.counter)
			continue
		}
		e, err := newExpert(x, m, i)
		if err != nil {
			return nil, err
		}
		e.encoder, m.experts, m.forecasters = encoder, append(m.experts, e), append(m.forecasters, e)
	}
	m.reader = newReader(s, encoders)
	m.sleepers = newSleepers(m.reader)
	if d.Exact != nil {
		x, err := newExact(*d.Exact, m)
		if err != nil {
			return nil, err
		}
		m.exact, m.forecasters = x, append(m.forecasters, x)
	}
	if m.counter == nil {
		m.mixture = newMixture(s.Target.Kind, d.views())
		stacking, inputs := newStacking(d.views(), s.Target, m.scale, without)
		m.joiners, m.inputs = append([]part{m.mixture}, stacking...), inputs
	}
	m.scale.ready = m.learnFirst
	m.joiners = append(m.joiners, m.scale, m.sleepers)
	return m, nil
}

// newRow returns a row for a reader's records.
func (m *model) newRow() row {
	r := row{predictions: predictions{Experts: make([]prediction, m.design.views())}}
	for range m.reader.encoders {
		r.rows = append(r.rows, &onepass.Row{})
	}
	return r
}

// begin forecasts a row by the base rate, which then learns the label if it is known. rows is the number of rows learned before.
func (m *model) begin(r *row, rows int64) {
	r.predictions.rows, r.predictions.restart, r.predictions.Exact = rows, false, nil
	take(r, m.baseRate)
}

// finish joins the forecasts of a row that the forecasters have taken. Then the other parts learn it, if its label is known. The label of
// a record that was asked is learned by the forecasts of that time.
func (m *model) finish(r *row) {
	if r.late != nil {
		r.predictions = *r.late
	} else {
		for _, p := range m.joiners {
			p.forecast(r)
		}
	}
	if !r.known {
		return
	}
	known := float64(r.predictions.rows+1) / float64(m.rows+1)
	r.share = known * known * known * known // the forecasts of a young learner say little about how to join those of an older one
	for _, p := range m.joiners {
		p.learn(r)
	}
	m.rows++
}

// learnFirst learns the rows that waited for the scale.
func (m *model) learnFirst() {
	if m.scale.clipped { // the base rate has the outlier already: it begins again
		m.baseRate.begin(m.target)
		m.baseRate.outliers++
		for _, f := range m.scale.First {
			m.baseRate.add(f.Y, f.Weight)
		}
	}
	r := m.newRow()
	for _, f := range m.scale.First {
		r.labelled = labelled{true, f.Y, f.Weight}
		m.reader.read(schema.Record(f.Record), &r)
		take(&r, m.forecasters...)
	}
	m.scale.First = nil
}

// expertNames begin the names of the experts' tables.
var expertNames = [...]string{"", "plain "}

// tables returns the tables of all parts but the exact model.
func (m *model) tables() (all []belief.Part) {
	for i, x := range m.experts {
		all = append(all, prefixed(expertNames[i], x.learner.Parts())...)
	}
	if m.counter != nil {
		all = m.counter.tables()
	}
	for _, p := range m.joiners {
		if p, ok := p.(interface{ tables() []belief.Part }); ok {
			all = append(all, p.tables()...)
		}
	}
	return all
}

func prefixed(prefix string, tables []belief.Part) []belief.Part {
	for i := range tables {
		tables[i].Name = prefix + tables[i].Name
	}
	return tables
}

// weights returns the weights of the mixture; nil for counts.
func (m *model) weights() []float64 {
	if m.mixture == nil {
		return nil
	}
	return m.mixture.weights
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

// predictions are the forecasts that all models made of one record.
type predictions struct {
	Main     prediction   `json:"main"`
	Experts  []prediction `json:"experts"` // also of the first expert's evidence alone, for classes
	BaseRate prediction   `json:"usual"`
	Exact    *prediction  `json:"exact,omitempty"`

	seen    int64 // number of times that the record's rarest item was learned before
	rows    int64 // number of rows learned before
	restart bool  // a number before was an outlier beside the others: the scores so far count no more
}

// kept returns copies that stay valid after the row's next use.
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
	Inputs   []float64 `json:"inputs,omitempty"` // from which stacking, or the model of a count, made the forecast

	count count.Distribution // distribution of a count, valid until the model's next call
}

// kept returns a copy that stays valid after the row's next use. The copy lacks the distribution of a count.
func (p prediction) kept() prediction {
	p.Classes, p.Inputs, p.count = slices.Clone(p.Classes), slices.Clone(p.Inputs), nil
	return p
}

// set copies a prediction into memory of its own.
func (p *prediction) set(from prediction) {
	classes, inputs := p.Classes, p.Inputs
	*p = from
	p.Classes, p.Inputs = append(classes[:0], from.Classes...), append(inputs[:0], from.Inputs...)
}
