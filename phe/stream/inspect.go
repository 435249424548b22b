package stream

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/onepass"
	"gophe/phe/remedy/nearest"
	"gophe/phe/stream/internal/census"
	"gophe/phe/stream/internal/observer"
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
)

// Inspection describes the contents of a learner, for people and programs.
type Inspection struct {
	Target  schema.Target `json:"target"`
	Rows    int64         `json:"rows"`
	Options Options       `json:"options"`
	Models  []ModelTables `json:"models"`
	// Interactions says how the first model learns columns together: "91 pairs", "a factorization machine" or "none".
	Interactions string        `json:"interactions"`
	Columns      []ColumnState `json:"columns"`
	Pairs        []PairState   `json:"pairs,omitempty"` // pairs of columns, weightiest first
	Load         float64       `json:"load"`
	IDs          int           `json:"ids,omitempty"` // rows whose ids are kept, to know a row that comes again
}

// IDBytes is the size of a row's id in a file, with hashes of its values.
const IDBytes = repeats.Size

// ModelTables are the tables of one of the learner's models.
type ModelTables struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight"` // in the forecast
	Tables *Tables `json:"tables,omitempty"`
	Bytes  int     `json:"bytes"`
}

// ColumnState describes a column of the encoder.
type ColumnState struct {
	Name  string         `json:"name"`
	As    schema.Column  `json:"as"`              // how its fields become values
	Scale []ColumnBelief `json:"scale,omitempty"` // one for each class, if there are several
	// Adds is the mean size of the column's line in the reasons of forecasts; 0 for a count, which has no such lines.
	Adds  float64 `json:"adds,omitempty"`
	Items int64   `json:"items"` // items counted; 0 for columns without names, such as numbers
	// Different is an estimate of the number of different items.
	Different float64     `json:"different"`
	Known     float64     `json:"known"` // share of the items that had been seen before
	Frequent  []ItemState `json:"frequent,omitempty"`
	// Merged are the frequent items that share all rows of table E with others, in groups: the embeddings do not tell them apart.
	Merged [][]string `json:"merged,omitempty"`
}

// PairState is the scale of a pair of columns.
type PairState struct {
	First  string       `json:"first"`
	Second string       `json:"second"`
	Scale  ColumnBelief `json:"scale"`
}

// ItemState is the belief about one item.
type ItemState struct {
	Column string `json:"column,omitempty"` // in a Moment
	Name   string `json:"name"`
	Count  int64  `json:"count"` // upper bound of the number of rows with the item
	// Effect is the change that the item makes to the forecast of a row without other items. It is a change of the logit of two
	// classes, or of a number's mean. For several classes it is a change of the probability of Class, which gains most.
	Effect float64 `json:"effect"`
	Spread float64 `json:"spread"` // standard deviation of Effect; 0 if unknown
	Class  string  `json:"class,omitempty"`
}

// Inspect returns the contents of the learner.
func (l *Learner) Inspect() Inspection {
	l.mu.Lock()
	defer l.mu.Unlock()
	in := Inspection{Target: l.Schema.Target, Rows: l.model.Rows, Options: l.options, Load: l.observer.Census.Load()}
	weights, design := l.model.State().Weights, l.model.Design
	for i, m := range l.model.Experts {
		name, tables := "with interactions", tablesOf(m.Learner)
		switch {
		case design.Experts[i].Quick():
			name = "that forgets quickly"
		case design.Experts[i].Plain():
			name = score.WithoutInteractions
		}
		in.Models = append(in.Models, ModelTables{name, weights[i], tables, design.Experts[i].Bytes})
	}
	if c := l.model.Counter; c != nil {
		in.Models = append(in.Models, ModelTables{Name: "tree of counts", Weight: 1, Bytes: c.Bytes()})
	} else if n := len(design.Experts); len(weights) > n+1 {
		in.Models = append(in.Models, ModelTables{Name: "its evidence alone", Weight: weights[n]})
	}
	in.Interactions = design.Interactions()
	in.Columns, in.Pairs = l.columnStates(), l.pairStates()
	if l.last != nil {
		in.IDs = l.last.Len()
	}
	return in
}

func (l *Learner) columnStates() []ColumnState {
	var list []ColumnState
	adds := l.model.Sizes()
	for c := range l.model.Inputs() {
		in := &l.model.Inputs()[c]
		s := ColumnState{Name: in.Name, As: in.Column, Items: l.observer.Census.Columns[c].Items, Adds: max(0, adds[in.Place])}
		if l.model.Counter == nil {
			s.Scale = scalesOf(l.model.Experts[0].Learner, c)
		}
		if s.Items > 0 {
			s.Different = l.observer.Census.Cardinality(c)
			s.Known = float64(l.observer.Census.Columns[c].Known) / float64(s.Items)
		}
		for _, top := range l.observer.Census.Columns[c].Top {
			s.Frequent = append(s.Frequent, l.item(c, top))
		}
		s.Merged = l.merged(c)
		list = append(list, s)
	}
	return list
}

// merged returns the names of a column's frequent items that share all slots of the first model, in groups.
func (l *Learner) merged(column int) [][]string {
	if l.model.Counter != nil {
		return nil
	}
	var groups [][]string
	at := map[string]int{}
	for _, top := range l.observer.Census.Columns[column].Top {
		row, key := l.model.Item(column, top.Name)
		slots := fmt.Sprint(row.Slots)
		switch group, found := at[slots]; {
		case key != top.Key: // the census has cut the name
		case found:
			groups[group] = append(groups[group], top.Name)
		default:
			at[slots], groups = len(groups), append(groups, []string{top.Name})
		}
	}
	return slices.DeleteFunc(groups, func(g []string) bool { return len(g) == 1 })
}

// pairStates lists the pairs of columns by the size of their scales.
func (l *Learner) pairStates() (pairs []PairState) {
	if l.model.Counter != nil {
		return nil
	}
	inputs := l.model.Inputs()
	for _, p := range l.model.Pairs() {
		scale := largest(scalesOf(l.model.Experts[0].Learner, p.Column))
		pairs = append(pairs, PairState{inputs[p.Pair[0]].Name, inputs[p.Pair[1]].Name, scale})
	}
	slices.SortStableFunc(pairs, func(a, b PairState) int { return cmp.Compare(b.Scale.Mean, a.Scale.Mean) })
	return pairs
}

func largest(scales []ColumnBelief) ColumnBelief {
	return slices.MaxFunc(scales, func(a, b ColumnBelief) int { return cmp.Compare(a.Mean, b.Mean) })
}

func (l *Learner) item(column int, top census.Top) ItemState {
	s := ItemState{Name: top.Name, Count: top.Count}
	if l.model.Counter != nil {
		return s
	}
	m := l.model.Experts[0]
	row, key := l.model.Item(column, top.Name)
	if key != top.Key { // the census has cut the name, and no item has the short name
		return s
	}
	forecast := m.Learner.Predict(row)
	with := m.Scaled(forecast)
	logit, spread := forecast.Logit, forecast.Spread
	forecast = m.Learner.Predict(&onepass.Row{})
	without := m.Scaled(forecast)
	switch {
	case l.Schema.Target.Kind == schema.Amount:
		s.Effect = with.Mean - without.Mean
		s.Spread = math.Sqrt(max(0, with.Variance-without.Variance))
	case len(with.Classes) > 2:
		for k, p := range with.Classes {
			if gain := p - without.Classes[k]; gain > s.Effect {
				s.Effect, s.Class = gain, l.Schema.Target.Classes[k]
			}
		}
	default:
		s.Effect = logit - forecast.Logit
		s.Spread = math.Sqrt(max(0, spread*spread-forecast.Spread*forecast.Spread))
	}
	return s
}

// Item describes an item of a column, whether it is frequent or not.
func (l *Learner) Item(column, name string) (ItemState, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var categories []string
	inputs := l.model.Inputs()
	for at := range inputs {
		in := &inputs[at] // a pipeline writes what its last field was
		if in.Number || in.Derived != "" {
			continue
		}
		if in.Name == column {
			_, key := l.model.Item(at, name)
			return l.item(at, census.Top{Name: name, Key: key, Count: l.observer.Census.Seen(key)}), nil
		}
		categories = append(categories, in.Name)
	}
	return ItemState{}, errors.Errorf("%q is no column with items%s", column, nearest.Column(column, categories))
}

// Tables describes the use of a model's tables, and the outcome of looking up evidence.
type Tables struct {
	Buckets  int     `json:"buckets"`  // number of buckets of table E
	Touched  float64 `json:"touched"`  // share of buckets that a row has moved
	Slots    int     `json:"slots"`    // number of slots of evidence
	Used     float64 `json:"used"`     // share of slots that hold an item
	Hits     float64 `json:"hits"`     // share of lookups that found the item's slot; this one and the next two are 0 at first
	Inserts  float64 `json:"inserts"`  // share of lookups that took an empty slot
	Collides float64 `json:"collides"` // share of lookups that met another item's slot
	Distance float64 `json:"distance"` // KL of table E from the prior, in nats
}

func partOf(m *onepass.Model, name string) belief.Part {
	for _, p := range m.Parts() {
		if p.Name == name {
			return p
		}
	}
	return belief.Part{}
}

func tablesOf(m *onepass.Model) *Tables {
	e, n, met, c := partOf(m, "E"), partOf(m, "evidence n"), partOf(m, "evidence met"), m.Config()
	t, touched, used, last := &Tables{Buckets: c.Buckets, Slots: n.Len}, 0, 0, -1
	prior := c.Prior.E
	if c.Compact && c.BeliefBits == 0 {
		prior = float64(float32(prior))
	}
	codec := onepass.NewCodec(c.BeliefBits, prior)
	for i := range e.Len {
		mean, v := e.Get(i)
		if c.BeliefBits > 0 {
			mean, v = codec.Decode(uint32(mean))
		}
		if mean != 0 || v != prior {
			t.Distance += 0.5 * (v/prior - 1 - math.Log(v/prior) + mean*mean/prior)
			if bucket := i / c.Outputs; bucket > last {
				touched, last = touched+1, bucket
			}
		}
	}
	for i := range n.Len {
		if rows, _ := n.Get(i); rows > 0 {
			used++
		}
	}
	t.Touched, t.Used = float64(touched)/float64(t.Buckets), float64(used)/float64(max(1, t.Slots))
	shares, all := []*float64{&t.Hits, &t.Inserts, &t.Collides}, 0.
	for i := range met.Len {
		*shares[i], _ = met.Get(i)
		all += *shares[i]
	}
	for i := range met.Len {
		*shares[i] /= cmp.Or(all, 1)
	}
	return t
}

// ColumnBelief is the belief about a column's scale β for one logit. The scale of a useless column falls.
type ColumnBelief struct {
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
}

func scalesOf(m *onepass.Model, column int) (scales []ColumnBelief) {
	theta, outputs := partOf(m, "theta"), m.Config().Outputs
	for o := range outputs {
		mean, variance := theta.Get(column*outputs + o)
		scales = append(scales, ColumnBelief{mean, math.Sqrt(variance)})
	}
	return scales
}

// Moment describes a learner at one moment, for a page or a monitor. All tallies are sums from the beginning. The score between two
// moments is the score of their difference.
type Moment struct {
	score.Report
	Metric    string // the first score of this kind of target: "log-loss", "RMSE" or "MAE"
	Columns   []ColumnLine
	Newest    []score.NewItem // the items that came for the first time most recently, newest first
	Uncertain []ItemState     // the frequent items with the least certain effects, least certain first
	Forecast  *Told           // one of the newest; nil if there was none since the first moment
}

// Told is a record and its forecast.
type Told struct {
	Record schema.Record `json:"record"`
	Forecast
}

// ColumnLine is the mean size of a column's line in the reasons of forecasts.
type ColumnLine struct {
	Column string      `json:"name"`
	Adds   score.Ratio `json:"adds"`
}

// Report returns the score so far.
func (l *Learner) Report() score.Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.eval.Boards.Report(l.Schema.Target)
	s := l.model.State()
	r.Counts = score.Counts{Rows: s.Rows, Unlabelled: l.eval.Unlabelled, Waiting: l.pending.queue.Len(), Dropped: l.pending.dropped,
		Outliers: s.Outliers, IDsFrom: l.idsFrom}
	r.Changes, r.Drifts, r.Alarms = s.Statistics.Change.Count, slices.Clone(s.Statistics.Change.Alarms), l.eval.Alarms
	r.Fields, r.Memory, r.Load = l.observer.Fields(false), l.options.Memory, l.observer.Census.Load()
	for i := range l.observer.Census.Columns {
		r.Items += int64(math.Round(l.observer.Census.Cardinality(i)))
	}
	return r
}

// Fields lists the fields that say nothing to the learner: all that it has counted, or the part that people should know.
func (l *Learner) Fields(all bool) []score.Fields {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.observer.Fields(all)
}

// Moment returns the present moment of the learner.
func (l *Learner) Moment() Moment {
	r := l.Report()
	l.mu.Lock()
	defer l.mu.Unlock()
	m := Moment{Report: r, Metric: r.Metric(), Newest: slices.Clone(l.observer.Newest), Forecast: l.told}
	l.looks = true
	var states []ColumnState
	if r.Target.Kind != schema.Count { // its evidence has neither lines nor effects
		states = l.columnStates()
	}
	for _, c := range states {
		if line := (ColumnLine{c.As.Name, score.Ratio(c.Adds)}); len(m.Columns) == 0 || m.Columns[len(m.Columns)-1] != line {
			m.Columns = append(m.Columns, line)
		}
		for _, s := range c.Frequent {
			s.Column = c.Name
			m.Uncertain = append(m.Uncertain, s)
		}
	}
	slices.SortStableFunc(m.Uncertain, func(a, b ItemState) int { return cmp.Compare(b.Spread, a.Spread) })
	m.Uncertain = m.Uncertain[:min(observer.Shown, len(m.Uncertain))]
	return m
}
