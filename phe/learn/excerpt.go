package learn

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
)

// excerpt is the data of one call: the arrays of a batch, and the rows of the tables that its items use. The cost of a call then depends
// on the rows it touches, and on a processor not on the size of the tables. A GPU copies whole tables when it puts rows back, in less time
// than rows take from the host.
//
// A step on an excerpt changes rows exactly as a step on whole tables would. A row that no item uses has no gradient: neither from the
// likelihood, nor from a KL whose prior equals the posterior. A fresh Adam does not move it.
type excerpt struct {
	data    arrays[*tensors.Tensor]
	records []int32           // numbers of the call's records in data
	size    int               // number of records after padding
	rows    [2][]int32        // of the tables E and W, ascending; empty if whole tables are taken
	items   int               // number of items that the arrays have room for
	lent    bool              // data stays on the device: it is pinned
	met     []string          // items that get rows of their own when the call has learned
	tables  []*tensors.Tensor // these rows of the parameters; empty if whole tables are taken
	numbers []*tensors.Tensor // rows, for a device that keeps the tables
}

// release frees the rows, and the data unless it is pinned. Data of the initial phase stays for its next epoch, see [fitted].
func (x excerpt) release() {
	if !x.lent {
		release(listed(&x.data))
	}
	release(x.tables)
	release(x.numbers)
}

// with returns the parameters with the excerpt's rows in place of whole tables.
func (x excerpt) with(parameters []*tensors.Tensor) []*tensors.Tensor {
	return slices.Concat(x.tables, parameters[len(x.tables):])
}

// layout holds the number of records, events and items that arrays have room for.
type layout struct{ records, events, items int }

// upload returns tensors of a batch. slots holds the table rows of the batch's items.
func (m graph) upload(b *Batch, slots phe.ItemRows, room layout) (a arrays[*tensors.Tensor]) {
	k := m.Encoder.RowsPerItem()
	own := len(b.Items) - b.Common
	a.Buckets = tensors.FromFlatDataAndDimensions(spread(slots.Buckets, k, own, room.items), room.items, k)
	a.Columns = tensors.FromFlatDataAndDimensions(spread(b.Columns, 1, own, room.items), room.items)
	if m.Encoder.NumWeights > 0 {
		a.Weights = []*tensors.Tensor{tensors.FromFlatDataAndDimensions(spread(slots.Weights, 1, own, room.items), room.items)}
	}
	columns := m.network.cells()
	index := b.Index
	if shift := int32(room.items - len(b.Items)); shift > 0 && b.Common > 0 { // common items stay last
		index = slices.Clone(index)
		for i, at := range index {
			if int(at) >= own {
				index[i] = at + shift
			}
		}
	}
	a.Index = tensors.FromFlatDataAndDimensions(padded(index, columns*room.events), room.events, columns)
	a.Members = tensors.FromScalar(int32(0))
	if b.Length > 0 {
		a.Members = tensors.FromFlatDataAndDimensions(padded(b.Events, b.Length*room.records), room.records, b.Length)
	}
	for _, spec := range m.network.Inputs {
		a.Inputs = append(a.Inputs, b.Inputs[spec.Name].tensor(spec, room.events))
	}
	a.Targets = tensors.FromFlatDataAndDimensions(padded(b.Targets, room.events), room.events)
	return a
}

// tensor returns an input as a tensor with room for the given number of events.
func (x Input) tensor(spec InputSpec, events int) *tensors.Tensor {
	dims, size := append([]int{events}, spec.Dims...), events*spec.size()
	switch spec.DType {
	case dtypes.Int32:
		return tensors.FromFlatDataAndDimensions(padded(x.Integers, size), dims...)
	case dtypes.Uint32:
		return tensors.FromFlatDataAndDimensions(padded(x.Bits, size), dims...)
	}
	return tensors.FromFlatDataAndDimensions(padded(x.Floats, size), dims...)
}

// padded returns values with zeros appended up to a size.
func padded[T any](values []T, size int) []T { return spread(values, 1, len(values), size) }

// spread copies values into an array with room for more items. An item has width values. Items from number first on move to the
// end.
func spread[T any](values []T, width, first, room int) []T {
	if len(values) == room*width {
		return values
	}
	out := make([]T, room*width)
	copy(out, values[:first*width])
	copy(out[len(out)-(len(values)-first*width):], values[first*width:])
	return out
}

// purpose is the reason for which a call takes an excerpt.
type purpose int

const (
	forecast purpose = iota
	update           // plans rows for new items of a vocabulary, which keep them when the learning succeeds
	fit              // does so too, and takes whole tables, because the prior of the initial phase pulls at every row
)

// excerpt returns the data for a call on b. For learning it draws the parameters if they are not drawn yet.
func (l *Learner) excerpt(b *Batch, to purpose) (excerpt, error) {
	whole, records := b.source()
	if to != forecast {
		if err := l.draw(); err != nil {
			return excerpt{}, err
		}
		if len(whole.Targets) == 0 {
			return excerpt{}, errors.Errorf("the batch has no targets, and learning needs them; give each record a target")
		}
	}
	if err := checkRecords(records, whole.Records); err != nil {
		return excerpt{}, err
	}
	if l.pinned.batch == whole {
		return excerpt{data: l.pinned.data, records: records, size: l.pinnedSize(len(records)), lent: true}, nil
	}
	if f := &l.fitted; to == fit && f.learned && f.batch == whole && slices.Equal(f.part, records) {
		return f.excerpt, nil
	}
	if l.checked.Load() != whole {
		if err := whole.check(l.network); err != nil {
			return excerpt{}, err
		}
		if len(records) < whole.Records { // more parts will come
			l.checked.Store(whole)
		}
	}
	own := whole.compact(l.network.cells(), l.network.Inputs, records)
	slots, err := l.hasher.Find(own.Items, to != forecast)
	if err != nil {
		return excerpt{}, err
	}
	room := layout{own.Records, own.numEvents(l.network.cells()), len(own.Items)}
	x := excerpt{records: numbers(len(records)), size: roomFor(room.records), met: own.Items}
	if to == fit {
		l.forget()
		x.data = l.upload(own, slots, room)
		l.fitted = fitted{excerpt: x, batch: whole, part: slices.Clone(records)}
		return x, nil
	}
	if own.Length == 0 { // few sizes
		room.records = max(room.records, room.items)
		room.events, room.items = room.records, room.records
	}
	room = layout{roomFor(room.records), roomFor(room.events), roomFor(room.items)}
	x.size, x.items = room.records, room.items
	if l.Scheme != phe.Table { // scheme Table draws whole tables
		x.rows[0], slots.Buckets = numbered(slots.Buckets, 0, l.hasher.TableRows())
		x.rows[1], slots.Weights = numbered(slots.Weights, 0, l.hasher.NumWeights)
		if err = l.rows.take(&x, l.parameters[:l.numEmbedding()]); err != nil {
			x.release()
			return excerpt{}, errors.WithMessage(err, "reading tables")
		}
	}
	x.data = l.upload(own, slots, room)
	return x, nil
}

// fitted is the data of the records that the initial phase learned last. The next epoch of the same records finds it on the device.
type fitted struct {
	excerpt
	batch   *Batch
	part    []int32 // numbers of the records in the batch
	learned bool    // so the items have the rows that were planned for them
}

// forget frees the data of the initial phase.
func (l *Learner) forget() {
	release(listed(&l.fitted.data))
	l.fitted = fitted{}
}

// checkRecords returns an error if there are no records, or if one is not in a batch of n records.
func checkRecords(records []int32, n int) error {
	if len(records) == 0 {
		return errors.Errorf("no records; give at least 1")
	}
	for _, r := range records {
		if r < 0 || int(r) >= n {
			return errors.Errorf("record %d is not in the batch, which has %d records, counted from 0", r, n)
		}
	}
	return nil
}

// tableRows returns the rows that an excerpt takes from a parameter of the embedding module, and the number of rows it has room for. The
// room does not depend on the size of the table, so a table that grows needs no new programs.
func (m graph) tableRows(parameter int, x excerpt) (rows []int32, room int) {
	table := m.tableOf(parameter)
	most := x.items * []int{m.Encoder.RowsPerItem(), 1}[table] // rows that all items together can use
	return x.rows[table], min(doubled(2048, len(x.rows[table])), most)
}

// rowMover moves rows between the tables and an excerpt.
type rowMover interface {
	// take puts the excerpt's rows of the tables into x.tables. Unused room holds copies of row 0.
	take(x *excerpt, tables []*tensors.Tensor) error
	// put returns the tables with the trained rows of an excerpt. It may write into tables, but not if it returns an error.
	put(x excerpt, tables, trained []*tensors.Tensor) ([]*tensors.Tensor, error)
}

// hostRows moves rows by the processor. It writes into the tables, where a compiled program would copy them whole.
type hostRows struct{ graph }

func (m hostRows) take(x *excerpt, tables []*tensors.Tensor) error {
	for i, whole := range tables {
		rows, room := m.tableRows(i, *x)
		dims := whole.Shape().Dimensions
		width, perRun := dims[1], dims[0]/m.runs
		flat := make([]float32, m.runs*room*width)
		err := tensors.ConstFlatData(whole, func(table []float32) {
			for r := range m.runs {
				for k, row := range padded(rows, room) {
					copy(flat[(r*room+k)*width:][:width], table[(r*perRun+int(row))*width:])
				}
			}
		})
		if err != nil {
			return err
		}
		x.tables = append(x.tables, tensors.FromFlatDataAndDimensions(flat, m.runs*room, width))
	}
	return nil
}

func (m hostRows) put(x excerpt, tables, trained []*tensors.Tensor) ([]*tensors.Tensor, error) {
	flats, err := copied(trained) // before anything is changed
	if err != nil {
		return nil, err
	}
	for i, flat := range flats {
		rows, room := m.tableRows(i, x)
		dims := tables[i].Shape().Dimensions
		width, perRun := dims[1], dims[0]/m.runs
		err := tensors.MutableFlatData(tables[i], func(table []float32) {
			for r := range m.runs {
				for k, row := range rows {
					copy(table[(r*perRun+int(row))*width:][:width], flat[(r*room+k)*width:])
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// put stores the parameters that an update has trained. From an excerpt it stores the rows that the items use.
func (l *Learner) put(x excerpt, trained []*tensors.Tensor) error {
	before, next := l.parameters[:len(trained)], trained
	if from := len(x.tables); from > 0 {
		defer release(trained[:from])
		tables, err := l.rows.put(x, before[:from], trained[:from])
		if err != nil {
			return errors.WithMessage(err, "writing tables")
		}
		next = slices.Concat(tables, trained[from:])
	}
	if _, err := l.hasher.Items(x.met); err != nil { // as planned
		return err
	}
	release(slices.DeleteFunc(slices.Clone(before), func(p *tensors.Tensor) bool { return slices.Contains(next, p) }))
	l.parameters = slices.Concat(next, l.parameters[len(trained):])
	return nil
}

// roomFor returns a size of at least n: 64, 128, … 4096, and then 16384, 65536, … Each size has programs of its own, and compiling
// one takes seconds, so there are few sizes. Up to 4096 the steps are small, because padding costs time there.
func roomFor(n int) int {
	room := doubled(64, min(n, 2*maxExcerpted))
	for room < n {
		room *= 4
	}
	return room
}

// doubled doubles size until it is at least n.
func doubled(size, n int) int {
	for size < n {
		size *= 2
	}
	return size
}

// maxExcerpted is the largest number of records of an excerpt in one prediction. It bounds the memory of the samples. The records
// may have twice as many items.
const maxExcerpted = 2048

// maxPinned is the largest number of records of a pinned batch in one prediction.
const maxPinned = 512
