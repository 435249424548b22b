package learn

import (
	"iter"
	"math"
	"slices"

	"github.com/pkg/errors"
)

// Batch is records as a network reads them, on the host. A model's Encode makes it and remembers nothing of it. An item that
// no batch before held is as good as any other.
//
// A record is one event, such as a row of a table, or a sequence of Length events. Records may share events, as windows of
// one series do.
type Batch struct {
	Records int

	Items   []string // distinct ones, as the hash reads them: items of two columns differ
	Columns []int32  // [items], the column that each stands in
	// Common is how many of the items, the last ones, belong to every record. All parts of the batch have them.
	Common int

	Length int     // events of a record; 0 where a record is one event
	Events []int32 // [Records, Length], numbers of events; empty with Length 0, where record i is event i

	Index   []int32          // [events, columns], into Items
	Inputs  map[string]Input // what else the network reads of an event, by the names of [Network].Inputs
	Targets []float32        // [events]; empty while they are not known, which is enough to predict

	whole *Batch  // of a part: what it was taken from,
	part  []int32 // and which of its records
}

// Input is an array of a batch, event after event.
type Input struct {
	Floats   []float32 // one of the three
	Integers []int32
	Bits     []uint32
}

// len returns the number of values.
func (x Input) len() int { return len(x.Floats) + len(x.Integers) + len(x.Bits) }

// NewBatch returns records of one event with the given items, a value of each column, and nothing else. An item is hashed as
// column_value, so that one value in two columns is two items. Rows of other lengths are an error that names the row.
func NewBatch(columns []string, rows [][]string) (*Batch, error) {
	b := &Batch{Records: len(rows), Index: make([]int32, len(rows)*len(columns)), Inputs: map[string]Input{}}
	for i, row := range rows {
		if len(row) != len(columns) {
			return nil, errors.Errorf("row %d, counted from 0, has %d items, and there are %d columns: %q", i, len(row), len(columns), columns)
		}
	}
	for c, column := range columns { // column by column: equal rows in another order give items in another order only
		items := map[string]int32{}
		for i, row := range rows {
			item, ok := items[row[c]]
			if !ok {
				item = int32(len(b.Items))
				items[row[c]] = item
				b.Items, b.Columns = append(b.Items, column+"_"+row[c]), append(b.Columns, int32(c))
			}
			b.Index[i*len(columns)+c] = item
		}
	}
	return b, nil
}

// Take returns the batch of the given records, which may repeat. It shares memory with b, and is made at no cost. A learner
// that has pinned b sends the device only the records' numbers.
func (b *Batch) Take(records []int32) *Batch {
	whole, part := b, records
	if b.whole != nil {
		whole, part = b.whole, make([]int32, len(records))
		for i, r := range records {
			part[i] = -1 // out of range, as r is
			if r >= 0 && int(r) < len(b.part) {
				part[i] = b.part[r]
			}
		}
	}
	return &Batch{Records: len(records), whole: whole, part: part}
}

// ItemsOf yields the numbers of the items that records of so many columns hold, each as often as it occurs.
func (b *Batch) ItemsOf(records []int32, columns int) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, r := range records {
			events := []int32{r}
			if b.Length > 0 {
				events = b.Events[int(r)*b.Length:][:b.Length]
			}
			for _, e := range events {
				for _, item := range b.Index[int(e)*columns:][:columns] {
					if !yield(item) {
						return
					}
				}
			}
		}
	}
}

// source returns the batch that b is a part of, and the records taken of it.
func (b *Batch) source() (whole *Batch, records []int32) {
	if b.whole != nil {
		return b.whole, b.part
	}
	return b, numbers(b.Records)
}

// numEvents returns the number of events that Index describes.
func (b *Batch) numEvents(columns int) int {
	if columns == 0 {
		return 0
	}
	return len(b.Index) / columns
}

// length returns the events of a record.
func (b *Batch) length() int { return max(1, b.Length) }

// Check returns an error if the batch does not fit the network. An accelerator would clamp or drop a wrong index in silence. A part
// of a batch has nothing of its own to check.
func (b *Batch) Check(n Network) error {
	if b.whole != nil {
		return b.whole.Check(n)
	}
	columns := n.NumColumns()
	events := b.numEvents(columns)
	switch {
	case len(b.Columns) != len(b.Items) || b.Common < 0 || b.Common > len(b.Items):
		return errors.Errorf("a batch of %d items, %d of them common, with the columns of %d", len(b.Items), b.Common, len(b.Columns))
	case len(b.Index) != events*columns || b.Length == 0 && events != b.Records || len(b.Events) != b.Records*b.Length:
		return errors.Errorf("a batch of %d records of %d events, with %d events listed and an index of %d cells in %d columns",
			b.Records, b.length(), len(b.Events), len(b.Index), columns)
	case len(b.Targets) != 0 && len(b.Targets) != events:
		return errors.Errorf("a batch of %d events with %d targets; give each one, or none", events, len(b.Targets))
	}
	for _, at := range b.Index {
		if at < 0 || int(at) >= len(b.Items) {
			return errors.Errorf("an index is %d; it must point to one of the %d items", at, len(b.Items))
		}
	}
	for _, c := range b.Columns[:len(b.Items)-b.Common] {
		if c < 0 || int(c) >= columns {
			return errors.Errorf("an item stands in column %d; there are %d", c, columns)
		}
	}
	for _, e := range b.Events {
		if e < 0 || int(e) >= events {
			return errors.Errorf("a record holds event %d; there are %d", e, events)
		}
	}
	return b.checkInputs(n, events)
}

// checkInputs refuses inputs of other sizes or types, and numbers that are not finite.
func (b *Batch) checkInputs(n Network, events int) error {
	for _, spec := range n.Inputs() {
		x, ok := b.Inputs[spec.Name]
		if !ok || x.len() != events*spec.size() || x.dtype() != spec.DType && x.len() > 0 {
			return errors.Errorf("input %q has %d values for %d events; the network reads %d %s of each", spec.Name, x.len(), events, spec.size(), spec.DType)
		}
		if i := slices.IndexFunc(x.Floats, notFinite); i >= 0 {
			return errors.Errorf("input %q of event %d is %g; it must be finite", spec.Name, i/spec.size(), x.Floats[i])
		}
	}
	if i := slices.IndexFunc(b.Targets, notFinite); i >= 0 {
		return errors.Errorf("the target of event %d is %g; it must be finite", i, b.Targets[i])
	}
	return nil
}

func notFinite(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }

// compact returns a batch of its own with the given records, the items that they use and no others, and the numbers that these
// items have in b. Items keep their order.
func (b *Batch) compact(columns int, specs []InputSpec, records []int32) (own *Batch, items []int32) {
	events := records
	if b.Length > 0 {
		events = make([]int32, 0, len(records)*b.Length)
		for _, r := range records {
			events = append(events, b.Events[int(r)*b.Length:][:b.Length]...)
		}
	}
	own = &Batch{Records: len(records), Common: b.Common, Length: b.Length, Inputs: map[string]Input{}}
	if b.Length > 0 {
		all := events
		events = distinct(events)
		own.Events = positions(all, events)
	}
	for _, e := range events {
		own.Index = append(own.Index, b.Index[int(e)*columns:][:columns]...)
	}
	first := int32(len(b.Items) - b.Common)
	items = distinct(own.Index)
	if at, _ := slices.BinarySearch(items, first); at < len(items) {
		items = items[:at]
	}
	for i := range b.Common {
		items = append(items, first+int32(i))
	}
	own.Index = positions(own.Index, items)
	for _, i := range items {
		own.Items, own.Columns = append(own.Items, b.Items[i]), append(own.Columns, b.Columns[i])
	}
	for _, spec := range specs {
		own.Inputs[spec.Name] = b.Inputs[spec.Name].take(events, spec.size())
	}
	if len(b.Targets) > 0 {
		own.Targets = taken(b.Targets, events, 1)
	}
	return own, items
}

// take returns the values of some events, width each.
func (x Input) take(events []int32, width int) Input {
	return Input{taken(x.Floats, events, width), taken(x.Integers, events, width), taken(x.Bits, events, width)}
}

func taken[T any](values []T, events []int32, width int) []T {
	if len(values) == 0 {
		return nil
	}
	out := make([]T, 0, len(events)*width)
	for _, e := range events {
		out = append(out, values[int(e)*width:][:width]...)
	}
	return out
}

// distinct returns the numbers that occur, ascending.
func distinct(numbers []int32) []int32 {
	sorted := slices.Clone(numbers)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// positions of numbers among ascending ones that hold them.
func positions(numbers, ascending []int32) []int32 {
	at := make([]int32, len(numbers))
	for i, n := range numbers {
		k, _ := slices.BinarySearch(ascending, n)
		at[i] = int32(k)
	}
	return at
}

// numbers returns 0 … n−1.
func numbers(n int) []int32 {
	numbers := make([]int32, n)
	for i := range numbers {
		numbers[i] = int32(i)
	}
	return numbers
}
