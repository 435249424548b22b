package stream

import (
	"cmp"
	"slices"

	"gophe/phe/stream/schema"
)

// Moment describes a learner at one moment, for a page or a monitor. All tallies are sums from the beginning. The score between two
// moments is the score of their difference.
type Moment struct {
	Report
	Metric    string // the first score of this kind of target: "log-loss", "RMSE" or "MAE"
	Columns   []ColumnScale
	Newest    []NewItem   // the items that came for the first time most recently, newest first
	Uncertain []ItemState // the frequent items with the least certain effects, least certain first
}

// ColumnScale is the scale of a column. If each class has a scale, it is the largest of them.
type ColumnScale struct {
	Column string
	Scale  ColumnBelief
}

// NewItem is an item that was learned for the first time.
type NewItem struct {
	Column string `json:"column"`
	Name   string `json:"name"`
	Row    int64  `json:"row"` // number of the row in which it came
}

// shownItems is the number of items in each list of a Moment.
const shownItems = 12

// Moment returns the present moment of the learner.
func (l *Learner) Moment() Moment {
	r := l.Report()
	l.mu.Lock()
	defer l.mu.Unlock()
	m := Moment{Report: r, Metric: metrics(r.Target.Kind, Tally{})[0].name, Newest: slices.Clone(l.observer.newest)}
	var states []ColumnState
	if r.Target.Kind != schema.Count { // its evidence has neither scales nor effects
		states = l.columnStates()
	}
	for _, c := range states {
		m.Columns = append(m.Columns, ColumnScale{c.Name, largest(c.Scale)})
		for _, s := range c.Frequent {
			s.Column = c.Name
			m.Uncertain = append(m.Uncertain, s)
		}
	}
	slices.SortStableFunc(m.Uncertain, func(a, b ItemState) int { return cmp.Compare(b.Spread, a.Spread) })
	m.Uncertain = m.Uncertain[:min(shownItems, len(m.Uncertain))]
	return m
}
