package stream

import (
	"cmp"
	"math"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/onepass"
	"gophe/phe/remedy/nearest"
	"gophe/phe/stream/internal/census"
	"gophe/phe/stream/schema"
)

// Inspection describes the contents of a learner, for people and programs.
type Inspection struct {
	Target  schema.Target `json:"target"`
	Rows    int64         `json:"rows"`
	Options Options       `json:"options"`
	Models  []ModelTables `json:"models"`
	// Interactions says what the first model learns of columns together: "91 pairs", "a factorization machine" or "none".
	Interactions string        `json:"interactions"`
	Columns      []ColumnState `json:"columns"`
	Pairs        []PairState   `json:"pairs,omitempty"` // pairs of columns, weightiest first
	Load         float64       `json:"census_load"`
}

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
	Items int64          `json:"items"`           // items counted; 0 for columns without names, such as numbers
	// Different is an estimate of the number of different items.
	Different float64     `json:"different"`
	Known     float64     `json:"known"` // share of the items that had been seen before
	Frequent  []ItemState `json:"frequent,omitempty"`
}

// PairState is the scale of a pair of columns.
type PairState struct {
	First, Second string
	Scale         ColumnBelief
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
	in := Inspection{Target: l.Schema.Target, Rows: l.model.rows, Options: l.options, Load: l.observer.census.Load()}
	mix, design := l.model.mixture, l.model.design
	for i, m := range mix.experts {
		if m.counts != nil {
			in.Models = append(in.Models, ModelTables{Name: "tree of counts", Weight: 1, Bytes: m.counts.tree.Bytes()})
			continue
		}
		name, tables := "with interactions", tablesOf(m.learner)
		switch {
		case design.Experts[i].quick():
			name = "that forgets quickly"
		case design.Experts[i].plain():
			name = withoutInteractions
		}
		in.Models = append(in.Models, ModelTables{name, mix.weights[i], tables, design.Experts[i].Bytes})
	}
	if n := len(mix.experts); mix.views > n {
		in.Models = append(in.Models, ModelTables{Name: "its evidence alone", Weight: mix.weights[n]})
	}
	in.Interactions = design.interactions()
	in.Columns, in.Pairs = l.columnStates(), l.pairStates()
	return in
}

// columnStates describes the encoder's columns.
func (l *Learner) columnStates() []ColumnState {
	var list []ColumnState
	for c, name := range l.observer.names {
		s := ColumnState{Name: name, As: l.model.reader.inputs[c].Column, Items: l.observer.census.Columns[c].Items}
		if first := l.model.mixture.experts[0]; first.learner != nil {
			s.Scale = scalesOf(first.learner, c)
		}
		if s.Items > 0 {
			s.Different = l.observer.census.Cardinality(c)
			s.Known = float64(l.observer.census.Columns[c].Known) / float64(s.Items)
		}
		for _, top := range l.observer.census.Columns[c].Top {
			s.Frequent = append(s.Frequent, l.item(c, top))
		}
		list = append(list, s)
	}
	return list
}

// pairStates lists the pairs of columns by the size of their scales.
func (l *Learner) pairStates() (pairs []PairState) {
	names, first := l.observer.names, l.model.mixture.experts[0]
	if first.learner == nil {
		return nil
	}
	for _, p := range first.encoder.Pairs() {
		pairs = append(pairs, PairState{names[p.Pair[0]], names[p.Pair[1]], largest(scalesOf(first.learner, p.Column))})
	}
	slices.SortStableFunc(pairs, func(a, b PairState) int { return cmp.Compare(b.Scale.Mean, a.Scale.Mean) })
	return pairs
}

// largest returns the largest of some classes' scales.
func largest(scales []ColumnBelief) ColumnBelief {
	return slices.MaxFunc(scales, func(a, b ColumnBelief) int { return cmp.Compare(a.Mean, b.Mean) })
}

// item describes one item of an encoder column.
func (l *Learner) item(column int, top census.Top) ItemState {
	s := ItemState{Name: top.Name, Count: top.Count}
	m := l.model.mixture.experts[0]
	if m.counts != nil {
		return s
	}
	row, key := m.encoder.Alone(column, top.Name)
	if key != top.Key { // the census has cut the name, and no item has the short name
		return s
	}
	forecast := m.learner.Predict(row)
	with := m.scaled(forecast).kept()
	logit, spread := forecast.Logit, forecast.Spread
	forecast = m.learner.Predict(&onepass.Row{})
	without := m.scaled(forecast)
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
	for at, in := range l.model.reader.inputs {
		if in.Number || in.Derived != "" {
			continue
		}
		if in.Name == column {
			_, key := l.model.reader.encoders[0].Alone(at, name)
			return l.item(at, census.Top{Name: name, Key: key, Count: l.observer.census.Seen(key)}), nil
		}
		categories = append(categories, in.Name)
	}
	return ItemState{}, errors.Errorf("%q is no column with items%s", column, nearest.Column(column, categories))
}
