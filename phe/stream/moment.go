package stream

import (
	"cmp"
	"math"
	"slices"

	"gophe/phe/stream/internal/observer"
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

// Report returns the score so far.
func (l *Learner) Report() Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.eval.Report()
	s := l.model.State()
	if r.Rows, r.Wild, r.Waiting, r.Dropped = s.Rows, s.Outliers, l.pending.queue.Len(), l.pending.dropped; s.Course != nil {
		r.Changes, r.LastChange = s.Course.Change.Alarms, s.Course.Change.Last
	}
	r.Fields, r.Memory, r.Load = l.observer.Fields(false), l.options.Memory, l.observer.Census.Load()
	for i := range l.observer.Census.Columns {
		r.Items += int64(math.Round(l.observer.Census.Cardinality(i)))
	}
	return r
}

// Fields lists the fields that say nothing to the learner: all that it has counted, or the part that people should know.
func (l *Learner) Fields(all bool) []Fields {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.observer.Fields(all)
}

// Moment returns the present moment of the learner.
func (l *Learner) Moment() Moment {
	r := l.Report()
	l.mu.Lock()
	defer l.mu.Unlock()
	m := Moment{Report: r, Metric: r.Metric(), Newest: slices.Clone(l.observer.Newest)}
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
	m.Uncertain = m.Uncertain[:min(observer.Shown, len(m.Uncertain))]
	return m
}
