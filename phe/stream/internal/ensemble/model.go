package ensemble

import (
	"slices"

	"gophe/phe/belief"
	"gophe/phe/onepass"
	"gophe/phe/stream/change"
	"gophe/phe/stream/schema"
)

// Model forecasts the target of a record, and learns it. It has two rivals to compare with: the base rate and the exact model.
type Model struct {
	Design  Design
	Experts []*Expert
	Counter *Counter // of counts, which have no expert; otherwise nil
	Rows    int64    // learned

	// Forecasters forecast from the record alone. None reads the numbers of another.
	Forecasters []Part

	target     schema.Target
	reader     *reader
	scale      *Scale
	baseRate   *BaseRate
	exact      *exact   // nil for counts, with Options.NoExactModel, and after there were too many items
	mixture    *mixture // nil for counts
	constants  *constants
	statistics *Statistics
	hedge      *hedge
	without    Ablation

	combiners []Part // parts that follow the forecasters, and forecast from their forecasts
	columns   int    // of a record
	inputs    int    // of a main forecast
}

// New returns a model that has seen nothing.
func New(s schema.Schema, d Design, without Ablation) (*Model, error) {
	m := &Model{Design: d, target: s.Target, without: without, statistics: newStatistics(), columns: len(s.Columns), inputs: len(windows)}
	m.scale = newScale(s.Target.Kind)
	m.baseRate = newBaseRate(s.Target, m.scale, m.statistics)
	var err error
	if m.reader, err = newReader(s, d.Experts); err != nil {
		return nil, err
	}
	for i, x := range d.Experts {
		if x.Counts != nil {
			m.Counter = newCounter(*x.Counts)
			m.Forecasters = append(m.Forecasters, m.Counter)
			continue
		}
		e, err := newExpert(x, m, i)
		if err != nil {
			return nil, err
		}
		e.usual = newUsual(x.Learner, m.columns)
		m.Experts, m.Forecasters = append(m.Experts, e), append(m.Forecasters, e)
	}
	m.constants = newConstants(m.reader)
	if d.Exact != nil {
		x, err := newExpert(*d.Exact, m, 0)
		if err != nil {
			return nil, err
		}
		m.exact = &exact{*x, &onepass.Row{}, &numbering{keys: make([]uint64, d.Exact.Learner.Buckets)}}
		m.Forecasters = append(m.Forecasters, m.exact)
	}
	if m.Counter == nil {
		m.mixture = newMixture(s.Target.Kind, d.outputs())
		m.combiners, m.inputs = newStacking(d.outputs(), s.Target, without)
		m.combiners = append([]Part{m.mixture}, m.combiners...)
	}
	if m.hedge = newHedge(m); m.Counter != nil {
		m.Counter.hedge = m.hedge
	}
	m.combiners = append(m.combiners, m.hedge)
	m.scale.ready = m.learnFirst
	m.combiners = append(m.combiners, m.scale, m.constants, newWatch(m))
	return m, nil
}

// NewRow returns a row for the model's records.
func (m *Model) NewRow() Row {
	r := Row{Predictions: Predictions{Experts: make([]Prediction, m.Design.outputs())}}
	for range m.reader.encoders {
		r.encoded = append(r.encoded, &onepass.Row{})
	}
	return r
}

// Read turns a record into a row.
func (m *Model) Read(record schema.Record, into *Row) { m.reader.read(record, &into.Reading) }

// OneByOne tells whether the model needs its records one by one: before it knows the scale of a number, has chosen its pairs of columns, or
// knows the bins of a column that was constant, and always for counts.
func (m *Model) OneByOne() bool {
	kept := m.Design.Experts[0].Learner.Kept
	varies := slices.ContainsFunc(m.constants.list, func(s Constant) bool { return s.Rows > 0 && !s.binned() })
	return m.Counter != nil || !m.scale.known() || varies || kept > 0 && len(m.Pairs()) > kept
}

// ReadAhead reads a record ahead of the model, in another goroutine. It returns false while the model must read records by itself: from the
// record at which a constant column begins to vary until the model knows its bins. varied holds the columns that vary.
func (m *Model) ReadAhead(record schema.Record, into *Row, varied map[int]bool) bool {
	s, ready := m.constants, true
	s.reader.mu.Lock()
	for i, in := range s.columns {
		if into.Known && varies(in, record) {
			varied[i] = true
		}
		ready = ready && (!varied[i] || s.binned[i])
	}
	s.reader.mu.Unlock()
	if ready {
		m.Read(record, into)
	}
	return ready
}

// Begin forecasts a row by the base rate, which then learns the label if it is known. rows is the number of rows learned before.
func (m *Model) Begin(r *Row, rows int64) {
	r.Predictions.Rows, r.Predictions.Restart, r.Predictions.Exact, r.Changed, r.remedy = rows, false, nil, 0, change.Nothing
	r.Predictions.Width = 0
	if r.Known {
		r.remedy, r.keep = m.statistics.Change.Resets(rows)
	}
	r.known = m.scale.unit
	const light = 0.05 // a row of a smaller weight says nothing about the unit
	if Take(r, m.baseRate); r.Known && r.Weight > light {
		m.scale.watch(r.Y)
	}
	r.unit = m.scale.unit
}

// Finish joins the forecasts of a row. If its label is known the combiners learn it, and a late label by the forecasts that Ask saved.
func (m *Model) Finish(r *Row) {
	if r.Late != nil {
		r.Predictions, *r.Late = *r.Late, r.Predictions // each has memory of its own
	} else {
		r.lag = m.statistics.Lag
		for _, p := range m.combiners {
			p.Forecast(r)
		}
	}
	if !r.Known {
		return
	}
	known := float64(r.Predictions.Rows+1) / float64(m.Rows+1)
	r.share = known * known * known * known // a young learner's forecasts say little about how to join an older one's
	r.counts, r.witness = min(1, r.Weight), 1
	m.hedge.begin(&r.Predictions)
	for _, p := range m.combiners {
		p.Learn(r)
		if p, ok := p.(interface{ resetCovariance() }); ok && r.remedy != change.Nothing {
			p.resetCovariance()
		}
	}
	m.Rows++
}

// learnFirst learns the rows that waited for the scale.
func (m *Model) learnFirst() {
	if m.scale.clipped { // the base rate has the outlier already: it begins again
		m.baseRate.begin(m.target)
		m.baseRate.outliers++
		for _, f := range m.scale.First {
			m.baseRate.add(f.Y, f.Weight)
		}
	}
	m.scaleExperts()
	r := m.NewRow()
	r.unit = m.scale.unit
	for _, f := range m.scale.First {
		r.Label = Label{true, f.Y, f.Weight, f.Weight}
		m.Read(schema.Record(f.Record), &r)
		Take(&r, m.Forecasters...)
	}
	m.scale.First = nil
}

// scaleExperts gives the unit of the scale to experts that have learned nothing, or have learned in it.
func (m *Model) scaleExperts() {
	for _, x := range m.Experts {
		x.unit = m.scale.unit
	}
	if m.exact != nil {
		m.exact.unit = m.scale.unit
	}
}

// Item returns the row of an item of a column alone, and the item's key.
func (m *Model) Item(column int, name string) (row *onepass.Row, key uint64) {
	m.reader.mu.Lock()
	defer m.reader.mu.Unlock()
	return m.reader.encoders[0].Alone(column, name)
}

// Pairs returns the pairs of columns that the first model's encoder has kept.
func (m *Model) Pairs() []onepass.PairColumn { return m.reader.encoders[0].Pairs() }

// Inputs returns how the columns of the encoders become values.
func (m *Model) Inputs() []schema.Input { return m.reader.inputs }

// expertNames begin the names of the experts' tables.
var expertNames = [...]string{"", "plain ", "quick "}

// Tables returns the tables of all parts except the exact model, and the tables of the exact model, if there is one.
func (m *Model) Tables() (all, exact []belief.Part) {
	for i, x := range m.Experts {
		all = append(all, prefixed(expertNames[i], append(x.Learner.Parts(), belief.List("usual row", x.usual)))...)
	}
	if m.Counter != nil {
		all = m.Counter.tables()
	}
	all = append(all, tablesOf(m.combiners)...)
	if m.exact != nil {
		exact = prefixed("exact ", m.exact.tables())
	}
	return all, exact
}
