package stream

import (
	"cmp"
	"slices"

	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// Moment describes a learner at one moment, for a page or a monitor. All tallies are sums from the beginning. The score between two
// moments is the score of their difference.
type Moment struct {
	Kind        schema.TargetKind `json:"kind"`
	Target      string            `json:"target"`
	Metric      string            `json:"metric"` // the first score of this kind of target: "log-loss", "RMSE" or "MAE"
	Rows        int64             `json:"rows"`
	Unlabelled  int64             `json:"unlabelled"`
	Waiting     int               `json:"waiting"`
	Dropped     int64             `json:"dropped"`
	Alarms      int               `json:"alarms"`
	Load        float64           `json:"load"` // share of the census's counters in use
	Models      []ModelScore      `json:"models"`
	Novelty     []Tally           `json:"novelty"` // tallies by how often the rarest item of a record had been learned
	Calibration Calibration       `json:"calibration"`
	Columns     []columnScale     `json:"columns"`
	Newest      []NewItem         `json:"newest"`    // the items that came for the first time most recently, newest first
	Uncertain   []NamedItem       `json:"uncertain"` // the frequent items with the least certain effects, least certain first
}

// columnScale is the scale of a column. If each class has a scale, it is the largest of them.
type columnScale struct {
	Column string        `json:"column"`
	Scale  onepass.Scale `json:"scale"`
}

// NewItem is an item that was learned for the first time.
type NewItem struct {
	Column string `json:"column"`
	Name   string `json:"name"`
	Row    int64  `json:"row"` // number of the row in which it came
}

// NamedItem is an item of a column.
type NamedItem struct {
	Column string `json:"column"`
	ItemState
}

// shownItems is the number of items in each list of a Moment.
const shownItems = 12

// Moment returns the present moment of the learner.
func (l *Learner) Moment() Moment {
	r := l.Report()
	l.mu.Lock()
	defer l.mu.Unlock()
	m := Moment{Kind: l.schema.Target.Kind, Target: l.schema.Target.String(), Metric: metrics(l.schema.Target.Kind)[0].name, Rows: r.Rows, Unlabelled: r.Unlabelled,
		Waiting: r.Waiting, Dropped: r.Dropped, Alarms: r.Alarms, Load: r.Load, Models: r.Models, Novelty: r.Novelty, Calibration: r.Calibration}
	var states []columnState
	if m.Kind != schema.Count { // its evidence has neither scales nor effects
		states = l.columnStates()
	}
	for _, c := range states {
		m.Columns = append(m.Columns, columnScale{c.Name, largest(c.Scale)})
		for _, s := range c.Frequent {
			m.Uncertain = append(m.Uncertain, NamedItem{c.Name, s})
		}
	}
	slices.SortStableFunc(m.Uncertain, func(a, b NamedItem) int { return cmp.Compare(b.Spread, a.Spread) })
	m.Uncertain = m.Uncertain[:min(shownItems, len(m.Uncertain))]
	m.Newest = l.observer.latest(namesOf(l.schema))
	return m
}

// Score returns the score of a tally that Metric names.
func (m Moment) Score(t Tally) float64 { return metrics(m.Kind)[0].of(t) }
