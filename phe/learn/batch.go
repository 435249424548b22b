package learn

import (
	"iter"
	"math"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/hash"
)

// Batch holds records on the host, in the form that a network reads. A model's Encode makes a batch and keeps no state. New items
// need no preparation.
//
// A record is one event, such as a row of a table, or a sequence of Length events. Records may share events, as the windows of one
// series do.
type Batch struct {
	Records int

	Items   []string // distinct items, as the hash reads them: items of two columns differ
	Columns []int32  // [items], the column of each item
	// Common is the number of items that belong to every record. They are the last of Items, and each part of the batch has them.
	Common int

	Length int     // number of events of a record; 0 if a record is one event
	Events []int32 // [Records, Length], numbers of events; empty with Length 0: record i is then event i

	Index   []int32          // [events, columns], into Items
	Inputs  map[string]Input // further inputs of each event, by the names of [Network].Inputs
	Targets []float32        // [events]; empty if unknown, and then the batch serves predictions only

	whole *Batch  // of a part: the batch that it was taken from
	part  []int32 // of a part: numbers of the taken records
}

// Input is one array of a batch. It holds the values of one event after the other.
type Input struct {
	Floats   []float32 // one of the three is set
	Integers []int32
	Bits     []uint32
}

// len returns the number of values.
func (x Input) len() int { return len(x.Floats) + len(x.Integers) + len(x.Bits) }

// NewBatch returns records of one event with the given items: one value for each column. It sets no inputs and no targets. An item
// is hashed as column_value, so one value in two columns is two items. It returns an error that names the row if a row has another
// length.
func NewBatch(columns []string, rows [][]string) (*Batch, error) {
	b := &Batch{Records: len(rows), Inputs: map[string]Input{}}
	for i, row := range rows {
		if len(row) != len(columns) {
			return nil, errors.Errorf("row %d, counted from 0, has %d items, and there are %d columns: %q",
				i, len(row), len(columns), columns)
		}
	}
	b.index(columns, 1, func(row, cell int) string { return rows[row][cell] })
	return b, nil
}

// index lists the items of all records, each of which has bag cells a column.
func (b *Batch) index(columns []string, bag int, value func(row, cell int) string) {
	width := len(columns) * bag
	b.Index = make([]int32, b.Records*width)
	for c, column := range columns { // column by column: equal rows in another order give items in another order only
		items := map[string]int32{}
		for at := range b.Records * bag {
			row, cell := at/bag, c*bag+at%bag
			name := value(row, cell)
			item, ok := items[name]
			if !ok {
				item = int32(len(b.Items))
				items[name] = item
				b.Items, b.Columns = append(b.Items, column+"_"+name), append(b.Columns, int32(c))
			}
			b.Index[row*width+cell] = item
		}
	}
}

// Shares is the input of a network with bags: the share of each item in its bag, [events, columns·bag].
const Shares = "bag shares"

// NewBags is NewBatch for a network with a bag: rows[i][c] lists the items of column c; the empty text may stand for none. They have equal
// shares, whose sum is 1, as in packages stream and onepass. For another sum write into the input [Shares].
func NewBags(columns []string, rows [][][]string, bag int) (*Batch, error) {
	for i, row := range rows {
		if len(row) != len(columns) || slices.ContainsFunc(row, func(items []string) bool { return len(items) < 1 || len(items) > bag }) {
			return nil, errors.Errorf("row %d, counted from 0, is %q; give 1 to %d items of each of %q", i, row, bag, columns)
		}
	}
	shares := make([]float32, len(rows)*len(columns)*bag)
	b := &Batch{Records: len(rows), Inputs: map[string]Input{Shares: {Floats: shares}}}
	b.index(columns, bag, func(row, cell int) string {
		items, k := rows[row][cell/bag], cell%bag
		if k >= len(items) {
			return items[0] // padding has no share
		}
		shares[row*len(columns)*bag+cell] = 1 / float32(len(items))
		return items[k]
	})
	return b, nil
}

// Take returns the batch of the given records, which may repeat. It shares memory with b and copies nothing. If b is pinned, a
// learner sends only the numbers of the records to the device.
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

// ItemsOf yields the numbers of the records' items, once for each occurrence. columns is the number of columns of b, times the
// room of a bag.
func (b *Batch) ItemsOf(records []int32, columns int) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		shares := b.Inputs[Shares].Floats
		for _, e := range b.eventsOf(records) {
			for i, item := range b.Index[int(e)*columns:][:columns] {
				if padding := len(shares) > 0 && shares[int(e)*columns+i] == 0; !padding && !yield(item) {
					return
				}
			}
		}
	}
}

// maxClasses is the largest number of distinct targets that count as classes.
const maxClasses = 16

// Known returns the items of the records for [phe.Config.Chosen]: each with the number of times that the records have it. Where a record is
// one event and the targets are few, but more than one, that number is divided among the targets.
func (b *Batch) Known(records []int32, columns int, v hash.Variant) []hash.Item {
	var classes []float32
	for _, record := range records {
		if b.Length == 0 && len(b.Targets) > 0 && len(classes) <= maxClasses && !slices.Contains(classes, b.Targets[record]) {
			classes = append(classes, b.Targets[record])
		}
	}
	if len(classes) > maxClasses || len(classes) == 1 { // one class tells no items apart
		classes = nil
	}
	items := make([]hash.Item, len(b.Items))
	for i, item := range b.Items {
		items[i] = hash.Item{Key: v.Key(item), Column: int(b.Columns[i]), Classes: make([]float64, len(classes))}
	}
	for _, record := range records {
		for item := range b.ItemsOf([]int32{record}, columns) {
			items[item].Weight++
			if len(classes) > 0 {
				items[item].Classes[slices.Index(classes, b.Targets[record])]++
			}
		}
	}
	return slices.DeleteFunc(items, func(item hash.Item) bool { return item.Weight == 0 })
}

// eventsOf returns the numbers of the records' events, record after record.
func (b *Batch) eventsOf(records []int32) []int32 {
	if b.Length == 0 {
		return records
	}
	return taken(b.Events, records, b.Length)
}

// source returns the batch that b is a part of, and the numbers of b's records in it.
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

// length returns the number of events of a record.
func (b *Batch) length() int { return max(1, b.Length) }

// check returns an error if the batch does not fit the network. An accelerator would clamp or drop a wrong index in silence. A part
// is checked as the batch that it was taken from.
func (b *Batch) check(n Network) error {
	if b.whole != nil {
		return b.whole.check(n)
	}
	columns := n.cells()
	events := b.numEvents(columns)
	switch {
	case len(b.Columns) != len(b.Items) || b.Common < 0 || b.Common > len(b.Items):
		return errors.Errorf("a batch has %d items, %d of them common, and the columns of %d items", len(b.Items), b.Common, len(b.Columns))
	case len(b.Index) != events*columns || b.Length == 0 && events != b.Records || len(b.Events) != b.Records*b.Length:
		return errors.Errorf("a batch of %d records of %d events has %d events listed, and an index of %d cells in %d columns; "+
			"give it as many columns as the network has", b.Records, b.length(), len(b.Events), len(b.Index), columns)
	case len(b.Targets) != 0 && len(b.Targets) != events:
		return errors.Errorf("a batch of %d events has %d targets; give each event a target, or give none", events, len(b.Targets))
	}
	for _, at := range b.Index {
		if at < 0 || int(at) >= len(b.Items) {
			return errors.Errorf("an index is %d; it must point to one of the %d items", at, len(b.Items))
		}
	}
	for _, c := range b.Columns[:len(b.Items)-b.Common] {
		if c < 0 || int(c) >= n.Columns {
			return errors.Errorf("an item stands in column %d; the network has %d columns, counted from 0", c, n.Columns)
		}
	}
	for _, e := range b.Events {
		if e < 0 || int(e) >= events {
			return errors.Errorf("a record holds event %d; the batch has %d events, counted from 0", e, events)
		}
	}
	return b.checkInputs(n, events)
}

// checkInputs returns an error for inputs of other sizes or types, and for numbers that are not finite.
func (b *Batch) checkInputs(n Network, events int) error {
	for _, spec := range n.Inputs {
		x, ok := b.Inputs[spec.Name]
		if !ok || x.len() != events*spec.size() || x.dtype() != spec.DType && x.len() > 0 {
			return errors.Errorf("input %q has %d values for %d events; the network reads %d %s values for each event",
				spec.Name, x.len(), events, spec.size(), spec.DType)
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

// compact returns a batch that holds only the given records and the items that they use. Items keep their order.
func (b *Batch) compact(columns int, specs []InputSpec, records []int32) *Batch {
	events := b.eventsOf(records)
	own := &Batch{Records: len(records), Common: b.Common, Length: b.Length, Inputs: map[string]Input{}}
	if b.Length > 0 {
		events, own.Events = numbered(events, 0, b.numEvents(columns))
	}
	items, index := numbered(taken(b.Index, events, columns), b.Common, len(b.Items))
	own.Index = index
	for _, i := range items {
		own.Items, own.Columns = append(own.Items, b.Items[i]), append(own.Columns, b.Columns[i])
	}
	for _, spec := range specs {
		own.Inputs[spec.Name] = b.Inputs[spec.Name].take(events, spec.size())
	}
	if len(b.Targets) > 0 {
		own.Targets = taken(b.Targets, events, 1)
	}
	return own
}

// take returns the values of some events. An event has width values.
func (x Input) take(events []int32, width int) Input {
	return Input{taken(x.Floats, events, width), taken(x.Integers, events, width), taken(x.Bits, events, width)}
}

// taken returns the values of some events or records, which have width values each.
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

// numbered returns the different numbers and the last ones below n, in ascending order, and the position of each number among them. All
// numbers are below n. Marks are faster than sorting, unless there are few numbers and many to mark.
func numbered(numbers []int32, last, n int) (ascending, at []int32) {
	at, all := make([]int32, len(numbers)), slices.Clone(numbers)
	for i := range last {
		all = append(all, int32(n-last+i))
	}
	if len(all) < n/16 {
		ascending = slices.Compact(slices.Sorted(slices.Values(all)))
		for i, x := range numbers {
			k, _ := slices.BinarySearch(ascending, x)
			at[i] = int32(k)
		}
		return ascending, at
	}
	place := make([]int32, n)
	for _, x := range all {
		place[x] = 1
	}
	for x, there := range place {
		if there > 0 {
			place[x] = int32(len(ascending))
			ascending = append(ascending, int32(x))
		}
	}
	for i, x := range numbers {
		at[i] = place[x]
	}
	return ascending, at
}

// numbers returns 0 … n−1.
func numbers(n int) []int32 {
	numbers := make([]int32, n)
	for i := range numbers {
		numbers[i] = int32(i)
	}
	return numbers
}
