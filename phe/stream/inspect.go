package stream

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/census"
	"gophe/phe/nearest"
	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// Inspection describes the contents of a learner, for people and programs.
type Inspection struct {
	Target  schema.Target `json:"target"`
	Rows    int64         `json:"rows"`
	Options Options       `json:"options"`
	Models  []modelTables `json:"models"`
	// Interactions says what the first model learns of columns together: "91 pairs", "a factorization machine" or "none".
	Interactions string        `json:"interactions"`
	Columns      []ColumnState `json:"columns"`
	Pairs        []PairState   `json:"pairs,omitempty"` // pairs of columns, weightiest first
	Shared       []Shared      `json:"shared,omitempty"`
	Load         float64       `json:"census_load"`
}

// modelTables are the tables of one of the learner's models.
type modelTables struct {
	Name   string          `json:"name"`
	Weight float64         `json:"weight"` // in the forecast
	Tables *onepass.Tables `json:"tables,omitempty"`
	Bytes  int             `json:"bytes"`
}

// ColumnState describes a column of the encoder.
type ColumnState struct {
	Name  string          `json:"name"`
	Scale []onepass.Scale `json:"scale,omitempty"` // one for each class, if there are several
	Items int64           `json:"items"`           // items counted; 0 for columns without names, such as numbers
	// Different is an estimate of the number of different items.
	Different float64     `json:"different"`
	Known     float64     `json:"known"` // share of the items that had been seen before
	Frequent  []ItemState `json:"frequent,omitempty"`
}

// PairState is the scale of a pair of columns.
type PairState struct {
	First, Second string
	Scale         onepass.Scale
}

// ItemState is the belief about one item.
type ItemState struct {
	Name  string `json:"name"`
	Count int64  `json:"count"` // upper bound of the number of rows with the item
	// Effect is the change that the item makes to the forecast of a row without other items. It is a change of the logit of two
	// classes, or of a number's mean. For several classes it is a change of the probability of Class, which gains most.
	Effect float64 `json:"effect"`
	Spread float64 `json:"spread"` // standard deviation of Effect; 0 if unknown
	Class  string  `json:"class,omitempty"`
}

// Shared is a bucket that frequent items share.
type Shared struct {
	Bucket int32    `json:"bucket"`
	Items  []string `json:"items"` // as column=item
}

// Inspect returns the contents of the learner.
func (l *Learner) Inspect() Inspection {
	l.mu.Lock()
	defer l.mu.Unlock()
	in := Inspection{Target: l.schema.Target, Rows: l.model.rows, Options: l.options, Load: l.observer.census.Load()}
	mix, design := l.model.mixture, l.model.design
	for i, m := range mix.experts {
		name := "with interactions"
		if design.Experts[i].plain() {
			name = NoInteraction
		}
		state := modelTables{Name: name, Weight: 1}
		if i < len(mix.weights) {
			state.Weight = mix.weights[i]
		}
		if m.counts != nil {
			state.Name, state.Bytes = "tree of counts", m.counts.tree.Bytes()
		} else {
			t := m.learner.Tables()
			state.Tables, state.Bytes = &t, m.bytes
		}
		in.Models = append(in.Models, state)
	}
	if n := len(mix.experts); len(mix.predictions) > n {
		in.Models = append(in.Models, modelTables{Name: "its evidence alone", Weight: mix.weights[n]})
	}
	in.Interactions = design.interactions()
	in.Columns, in.Pairs = l.columnStates(), l.pairStates()
	in.Shared = l.shared()
	return in
}

// columnStates describes the encoder's columns.
func (l *Learner) columnStates() []ColumnState {
	var list []ColumnState
	for c, name := range namesOf(l.schema) {
		s := ColumnState{Name: name, Items: l.observer.census.Columns[c].Items}
		if first := l.model.mixture.experts[0]; first.learner != nil {
			s.Scale = first.learner.Scales(c)
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
	names, first := namesOf(l.schema), l.model.mixture.experts[0]
	if first.learner == nil {
		return nil
	}
	for _, p := range first.encoder.Pairs() {
		largest := onepass.Scale{}
		for _, s := range first.learner.Scales(p.Column) {
			if s.Mean > largest.Mean {
				largest = s
			}
		}
		pairs = append(pairs, PairState{names[p.Pair[0]], names[p.Pair[1]], largest})
	}
	slices.SortStableFunc(pairs, func(a, b PairState) int { return cmp.Compare(b.Scale.Mean, a.Scale.Mean) })
	return pairs
}

// item describes one item of an encoder column.
func (l *Learner) item(column int, top census.Top) ItemState {
	s := ItemState{Name: top.Name, Count: top.Count}
	effects := make([]prediction, 2) // without the item, and with it
	for _, m := range l.model.mixture.experts[:1] {
		if m.counts != nil {
			return s
		}
		row, key := m.encoder.Alone(column, top.Name)
		if key != top.Key { // the census has cut the name, and no item has the short name
			return s
		}
		with := m.learner.Predict(row)
		effects[1] = m.scaled(with).kept()
		row.Cells = row.Cells[:0]
		without := m.learner.Predict(row)
		effects[0] = m.scaled(without).kept()
		s.Effect = with.Logit - without.Logit
		s.Spread = math.Sqrt(max(0, with.Spread*with.Spread-without.Spread*without.Spread))
	}
	switch {
	case l.schema.Target.Kind == schema.Amount:
		s.Effect = effects[1].Mean - effects[0].Mean
		s.Spread = math.Sqrt(max(0, effects[1].Variance-effects[0].Variance))
	case len(effects[1].Classes) > 2:
		s.Effect, s.Spread = 0, 0
		for k, p := range effects[1].Classes {
			if gain := p - effects[0].Classes[k]; gain > s.Effect {
				s.Effect, s.Class = gain, l.schema.Target.Classes[k]
			}
		}
	}
	return s
}

// shared lists the buckets that the frequent items of all columns share, the fullest first.
func (l *Learner) shared() (list []Shared) {
	m := l.model.mixture.experts[0]
	if m.learner == nil {
		return nil
	}
	names := namesOf(l.schema)
	items := map[int32][]string{}
	for c := range names {
		for _, top := range l.observer.census.Columns[c].Top {
			row, key := m.encoder.Alone(c, top.Name)
			if key != top.Key { // the census has cut the name
				continue
			}
			for _, b := range row.Cells[0].Buckets {
				items[b] = append(items[b], names[c]+"="+top.Name)
			}
		}
	}
	for bucket, who := range items {
		if len(who) > 1 {
			list = append(list, Shared{bucket, who})
		}
	}
	slices.SortFunc(list, func(a, b Shared) int {
		return cmp.Or(cmp.Compare(len(b.Items), len(a.Items)), cmp.Compare(a.Bucket, b.Bucket))
	})
	return list
}

// Item describes an item of a column, whether it is frequent or not.
func (l *Learner) Item(column, name string) (ItemState, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.model.reader.columns {
		if c.Name == column && (c.Kind == schema.Category || c.Kind == schema.Both) {
			key := l.model.mixture.encoder().Item(c.first, name)
			l.model.mixture.encoder().Row() // ends the record
			return l.item(c.first, census.Top{Name: name, Key: key, Count: l.observer.census.Seen(key)}), nil
		}
	}
	var categories []string
	for _, c := range l.model.reader.columns {
		if c.Kind == schema.Category || c.Kind == schema.Both {
			categories = append(categories, c.Name)
		}
	}
	return ItemState{}, errors.Errorf("%q is no column with items%s", column, nearest.Column(column, categories))
}

// String describes the effect for people.
func (s ItemState) String() string {
	if s.Class != "" {
		return fmt.Sprintf("%s, %s times: %+.3f on the probability of %s", s.Name, Grouped(s.Count), s.Effect, s.Class)
	}
	return fmt.Sprintf("%s, %s times: %+.3f ± %.3f", s.Name, Grouped(s.Count), s.Effect, s.Spread)
}
