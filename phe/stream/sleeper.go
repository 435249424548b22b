package stream

import (
	"slices"
	"sync/atomic"

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

// sound tells whether the numbers of a sleeper can be used. They may come from a damaged file.
func (s *sleeper) sound() bool {
	ascend := slices.IsSorted(s.Edges) && slices.IsSorted(s.Quantiles) && len(s.Edges) <= wakeRows && len(s.Quantiles) <= schema.MaxQuantiles
	return s.Rows >= 0 && s.Rows <= wakeRows && len(s.Numbers) <= s.Rows && ascend
}

// varies tells whether a record shows that a column of one value varies.
func varies(in *schema.Input, record schema.Record) bool {
	field := record[in.Place]
	return field != "" && field != in.Column.Asleep
}

// sleepers returns the inputs that had one value in the sample.
func (r *reader) sleepers() (list []*schema.Input) {
	for i := range r.inputs {
		if in := &r.inputs[i]; in.Number && in.Column.Asleep != "" {
			list = append(list, in)
		}
	}
	return list
}

// sleepers are the columns of a model that had one value in the sample.
type sleepers struct {
	list    []sleeper                 // by their order in the schema
	columns []*schema.Input           // of the model's reader
	awake   atomic.Pointer[[]sleeper] // a copy after the last that woke, for pipelines; nil before
}

func newSleepers(r *reader) *sleepers {
	columns := r.sleepers()
	return &sleepers{list: make([]sleeper, len(columns)), columns: columns}
}

// watch shows a record that was learned to the columns that sleep.
func (s *sleepers) watch(record schema.Record) {
	for i, in := range s.columns {
		one := &s.list[i]
		if one.awake() || one.Rows == 0 && !varies(in, record) {
			continue
		}
		one.Rows++
		if x, ok := schema.ParseNumber(record[in.Place], in.Column.DecimalComma); ok {
			one.Numbers = append(one.Numbers, x)
		}
		if one.awake() {
			one.Edges, one.Quantiles = schema.Bins(one.Numbers)
			one.Numbers = nil
			s.wake()
		}
	}
}

// wake gives the bins of the sleepers to the reader and to pipelines.
func (s *sleepers) wake() {
	wake(s.columns, s.list)
	awake := slices.Clone(s.list)
	s.awake.Store(&awake)
}

// wake gives columns the bins of sleepers.
func wake(columns []*schema.Input, all []sleeper) {
	for i, in := range columns {
		in.Column.Edges, in.Column.Quantiles = all[i].Edges, all[i].Quantiles
	}
}

// waits tells whether a column waits for its bins.
func (s *sleepers) waits() bool {
	return slices.ContainsFunc(s.list, func(one sleeper) bool { return one.waking() })
}

// asleep are the columns of a pipeline that sleep. From the record at which one begins to vary, up to the record after which the model
// knows its bins, the learner takes the records one by one.
type asleep struct {
	model   *sleepers
	columns []*schema.Input // of the pipeline's reader
	varied  []bool
	awake   []bool
}

func newAsleep(r *reader, model *sleepers) *asleep {
	a := &asleep{model: model, columns: r.sleepers(), varied: make([]bool, len(model.list)), awake: make([]bool, len(model.list))}
	wake(a.columns, model.list)
	for i := range model.list {
		a.awake[i] = model.list[i].awake()
	}
	return a
}

// wait tells whether the learner must take a record by itself. It gives the pipeline's reader the bins of the columns that have woken.
func (a *asleep) wait(record schema.Record, known bool) (wait bool) {
	for i, in := range a.columns {
		if a.awake[i] {
			continue
		}
		a.varied[i] = a.varied[i] || known && varies(in, record)
		if !a.varied[i] {
			continue
		}
		if all := a.model.awake.Load(); all != nil && (*all)[i].awake() {
			a.awake[i] = true
			wake(a.columns, *all)
			continue
		}
		wait = true
	}
	return wait
}
