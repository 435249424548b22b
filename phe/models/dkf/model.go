package dkf

import (
	"math"
	"slices"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/learn"
)

// Model is the filter. It encodes windows and reads forecasts. [learn.New] makes learners of its network.
type Model struct {
	Config
	Network learn.Network
}

// New returns the filter of a configuration. It learns nothing itself.
func New(c Config) (*Model, error) {
	c = c.completed()
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if err := c.validateData(); err != nil {
		return nil, err
	}
	c.Columns, c.Maxima = slices.Clone(c.Columns), slices.Clone(c.Maxima)
	m := &Model{Config: c}
	m.Network = m.network()
	return m, nil
}

// validateData returns an error if the fields that come with the data are impossible.
func (c Config) validateData() error {
	isWrong := func(x float32) bool { return !(x > 0 && x <= math.MaxFloat32) }
	switch {
	case len(c.Columns) == 0 || c.Length < 2 || c.Numbers < 1:
		return errors.Errorf("windows have %d events with %d columns and %d numbers; "+
			"a filter needs at least 2 events, 1 column and 1 number", c.Length, len(c.Columns), c.Numbers)
	case len(c.Maxima) != c.Numbers || slices.ContainsFunc(c.Maxima, isWrong):
		return errors.Errorf("maxima are %v; give a finite, positive one for each of the %d numbers", c.Maxima, c.Numbers)
	case c.Tick < 0 || c.GapUnit < c.Tick || !(c.MaxGaps > 0 && c.MaxGaps <= math.MaxFloat64):
		return errors.Errorf("the unit of gaps is %s, their limit %g units and the tick %s; "+
			"the unit must be at least a tick, and all must be above 0 and finite", c.GapUnit, c.MaxGaps, c.Tick)
	}
	return nil
}

// Event is one event of a series, such as the sale of a product.
type Event struct {
	Items   []string  // a value of each categorical column, known or never seen
	Numbers []float64 // numbers in their own units
	Count   int       // in a window's last event it is the target, and −1 if it is not known
	Time    time.Time
}

// Encode returns windows as a batch for a learner. Each window has Length events in the order of time. Windows may share events by
// the same pointer, and a shared event takes memory once. Encode keeps no state. Its error names the window and the event that does
// not fit.
func (m *Model) Encode(sequences [][]*Event) (*learn.Batch, error) {
	var events []*Event
	at := map[*Event]int32{}
	d, known := Data{}, true
	for i, window := range sequences {
		if len(window) != m.Length {
			return nil, errors.Errorf("window %d, counted from 0, has %d events; the model's have %d", i, len(window), m.Length)
		}
		for k, e := range window {
			number, ok := at[e]
			if !ok {
				number = int32(len(events))
				at[e], events = number, append(events, e)
			}
			if err := m.fits(e, events[0], k == m.Length-1); err != nil {
				return nil, errors.WithMessagef(err, "event %d of window %d, counted from 0", k, i)
			}
			known = known && e.Count >= 0
			d.Windows = append(d.Windows, number)
		}
	}
	m.fill(&d, events)
	b, err := m.Batch(d)
	if err == nil && !known {
		b.Targets = nil
	}
	return b, err
}

// fits returns an error if the model cannot read an event. last tells whether it is the last event of its window.
func (m *Model) fits(e, first *Event, last bool) error {
	switch {
	case e == nil:
		return errors.New("it is nil")
	case len(e.Items) != len(m.Config.Columns) || len(e.Numbers) != m.Numbers:
		return errors.Errorf("it has %d items and %d numbers; the model has the categorical columns %q and %d numeric columns",
			len(e.Items), len(e.Numbers), m.Config.Columns, m.Numbers)
	case e.Count == -1 && !last:
		return errors.New("it has no count; only a window's last event may lack one")
	case e.Count == -1 && m.Prediction == Reconstruction:
		return errors.Errorf("it has no count, which prediction %q reads; use prediction %q", Reconstruction, Forecast)
	case e.Count < -1 || e.Count > maxCount || e.Count >= 0 && e.Count < int(m.least()):
		return errors.Errorf("its count is %d; it must lie between %g and %d, or be -1 if it is not known", e.Count, m.least(), maxCount)
	}
	for _, x := range e.Numbers {
		if y := float32(x); y-y != 0 {
			return errors.Errorf("a number is %g; it must be finite in 32 bits", x)
		}
	}
	since := e.Time.Sub(first.Time) // at most 292 years
	if ticks := m.ticks(e, first); ticks != int64(int32(ticks)) || !first.Time.Add(since).Equal(e.Time) {
		return errors.Errorf("it is at %s and the first event at %s: too far apart for ticks of %s; take a longer Tick",
			e.Time, first.Time, m.Tick)
	}
	return nil
}

// ticks returns the time of an event in ticks since the first event.
func (m *Model) ticks(e, first *Event) int64 { return int64(e.Time.Sub(first.Time) / m.Tick) }

// fill puts events into columns.
func (m *Model) fill(d *Data, events []*Event) {
	items := map[[2]string]int32{}
	for _, e := range events {
		for c, value := range e.Items {
			key := [2]string{m.Config.Columns[c], value}
			item, ok := items[key]
			if !ok {
				item = int32(len(d.Items))
				items[key] = item
				d.Items = append(d.Items, key[0]+"_"+value)
			}
			d.Index = append(d.Index, item)
		}
		d.Numbers = append(d.Numbers, belief.Converted[float32](e.Numbers)...)
		y := float32(e.Count)
		if e.Count < 0 { // no forecast reads it
			y = m.least()
		}
		d.Counts, d.Times = append(d.Counts, y), append(d.Times, int32(m.ticks(e, events[0])))
	}
}

// Data is a set of windows in columns, the fast form for many windows. Windows share events, and each categorical cell points to
// one of the distinct items.
type Data struct {
	Items   []string  // distinct items of all columns, each with its column's name before it
	Index   []int32   // [events, columns], into Items
	Numbers []float32 // [events, numbers], in their own units
	Counts  []float32 // [events], whole, at least 0 (at least 1 with Histogram)
	Times   []int32   // [events], in ticks from any origin
	Windows []int32   // [windows, length], events in order of time
}

// Batch returns the windows as a batch for a learner. It shares their arrays, which must not change. A learner checks the rest.
func (m *Model) Batch(d Data) (*learn.Batch, error) {
	if n := len(d.Windows); n == 0 || n%m.Length != 0 {
		return nil, errors.Errorf("the windows have %d events in all; give at least one window, and a multiple of %d events", n, m.Length)
	}
	for _, y := range d.Counts {
		if least := m.least(); !(y >= least && y <= maxCount && y == float32(int32(y))) {
			return nil, errors.Errorf("a count is %g; with likelihood %q it must be whole, at least %g and at most %d",
				y, m.Filter.Likelihood, least, maxCount)
		}
	}
	b := &learn.Batch{
		Records: len(d.Windows) / m.Length, Items: d.Items, Columns: make([]int32, len(d.Items)),
		Length: m.Length, Events: d.Windows, Index: d.Index,
		Inputs:  map[string]learn.Input{numbers: {Floats: d.Numbers}, counts: {Floats: d.Counts}, times: {Integers: d.Times}},
		Targets: m.targets(d),
	}
	for i, item := range d.Index {
		if item >= 0 && int(item) < len(b.Columns) {
			b.Columns[item] = int32(i % len(m.Config.Columns))
		}
	}
	return b, nil
}

// maxCount is the largest count for which float32 holds every integer.
const maxCount = 1 << 24

// least returns the smallest count that the likelihood allows.
func (m *Model) least() float32 {
	if m.Filter.Likelihood == Histogram {
		return 1
	}
	return 0
}

// targets returns the counts, or with Histogram their cells.
func (m *Model) targets(d Data) []float32 {
	targets := slices.Clone(d.Counts)
	if m.Filter.Likelihood == Histogram {
		for i, y := range targets {
			targets[i] = float32(m.Cells.Of(int(y)))
		}
	}
	return targets
}
