package stream

import (
	"slices"

	"gophe/phe/stream/schema"
)

// sleeper is a column of numbers that had one value in the sample (schema.Column.Asleep). Nothing is known of its bins until it varies. It
// then wakes: bins and quantiles come from the next rows that are learned. Until they are known, its bins are logarithmic.
type sleeper struct {
	Rows    int       `json:"rows,omitempty"`    // learned since it varies, up to wakeRows
	Numbers []float64 `json:"numbers,omitempty"` // of these rows; nil after the last of them

	Edges     []float64 `json:"edges,omitempty"`
	Quantiles []float64 `json:"quantiles,omitempty"`
}

// wakeRows is the number of rows from which a column that wakes gets its bins.
const wakeRows = 1000

func (s *sleeper) awake() bool { return s.Rows == wakeRows }

// waking tells whether the column varies, and waits for its bins.
func (s *sleeper) waking() bool { return s.Rows > 0 && !s.awake() }

// sound tells whether a sleeper can go on. Its numbers may come from a damaged file.
func (s *sleeper) sound() bool {
	ascend := slices.IsSorted(s.Edges) && slices.IsSorted(s.Quantiles) && len(s.Edges) <= wakeRows && len(s.Quantiles) <= schema.MostQuantiles
	return s.Rows >= 0 && s.Rows <= wakeRows && len(s.Numbers) <= s.Rows && ascend
}

// varies tells whether a record shows that a column of one value varies.
func (c *readColumn) varies(record schema.Record) bool {
	field := record[c.field]
	return field != "" && field != c.Asleep
}

// sleepers returns the columns that had one value in the sample.
func (r *reader) sleepers() (list []*readColumn) {
	for i := range r.columns {
		if c := &r.columns[i]; c.Asleep != "" {
			list = append(list, c)
		}
	}
	return list
}

// wake gives the columns the bins of the sleepers, by their order.
func (r *reader) wake(all []sleeper) {
	for i, c := range r.sleepers() {
		c.Edges, c.Quantiles = all[i].Edges, all[i].Quantiles
	}
}

// watch lets the columns that sleep see a record that was learned.
func (l *Learner) watch(record schema.Record) {
	for i, c := range l.sleeping {
		s := &l.sleepers[i]
		if s.awake() || s.Rows == 0 && !c.varies(record) {
			continue
		}
		s.Rows++
		if x, ok := schema.ParseNumber(record[c.field], c.DecimalComma); ok {
			s.Numbers = append(s.Numbers, x)
		}
		if s.awake() {
			s.Edges, s.Quantiles = schema.Bins(s.Numbers)
			s.Numbers = nil
			l.wake()
		}
	}
}

// wake gives the bins of the sleepers to the learner's reader and to pipelines.
func (l *Learner) wake() {
	l.reader.wake(l.sleepers)
	awake := slices.Clone(l.sleepers)
	l.awake.Store(&awake)
}

// waits tells whether a column waits for its bins.
func (l *Learner) waits() bool {
	return slices.ContainsFunc(l.sleepers, func(s sleeper) bool { return s.waking() })
}

// asleep are the columns of a pipeline that sleep. From the record at which one begins to vary, up to the record after which the learner knows
// its bins, the learner takes the records one by one.
type asleep struct {
	columns []*readColumn
	varied  []bool
	awake   []bool
}

func (r *reader) asleep(all []sleeper) *asleep {
	a := &asleep{columns: r.sleepers(), varied: make([]bool, len(all)), awake: make([]bool, len(all))}
	for i := range all {
		a.awake[i] = all[i].awake()
	}
	return a
}

// wait tells whether the learner must take a record by itself. It gives the reader the bins of the columns that have become awake.
func (a *asleep) wait(l *Learner, r *reader, record schema.Record, known bool) (wait bool) {
	for i, c := range a.columns {
		if a.awake[i] {
			continue
		}
		a.varied[i] = a.varied[i] || known && c.varies(record)
		if !a.varied[i] {
			continue
		}
		if all := l.awake.Load(); all != nil && (*all)[i].awake() {
			a.awake[i] = true
			r.wake(*all)
			continue
		}
		wait = true
	}
	return wait
}
