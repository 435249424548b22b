package stream

import (
	"strings"

	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// maxItems is the largest number of items that a cell gives. Further items are left out, since pairs of columns multiply items.
const maxItems = 32

// reader gives records to encoders.
type reader struct {
	inputs   []schema.Input     // one for each column of the encoders
	encoders []*onepass.Encoder // of the experts; the first one reads
}

// item is an item of a record, by its encoder column.
type item struct {
	column int
	key    uint64
	name   string
}

// newReader returns a reader for new encoders. It tells them which columns share their items.
func newReader(s schema.Schema, encoders []*onepass.Encoder) *reader {
	r := &reader{s.Inputs(), encoders}
	for column, in := range r.inputs {
		for as, other := range r.inputs {
			if in.Column.Same != "" && in.Column.Same == other.Column.Name {
				for _, e := range encoders {
					e.Same(column, as, in.Column.Opposite)
				}
			}
		}
	}
	return r
}

// read turns a record into a row of each encoder, and lists its items.
func (r *reader) read(record schema.Record, into *row) {
	e := r.encoders[0]
	into.record, into.items = record, into.items[:0]
	add := func(column int, name string) {
		into.items = append(into.items, item{column, e.Item(column, name), name})
	}
	for column := range r.inputs {
		in := &r.inputs[column]
		switch cell := in.Read(record); {
		case cell.IsNumber:
			readNumber(e, column, &in.Column, cell.Number)
		case cell.Item == "":
		case in.Number || in.Derived != "": // a field that is not a number, such as "unknown", is an item too
			e.Item(column, cell.Item)
		case in.Column.Separator == "":
			add(column, cell.Item)
		default:
			n := 0
			for part := range strings.SplitSeq(cell.Item, in.Column.Separator) {
				if part = strings.TrimSpace(part); part != "" && n < maxItems {
					add(column, part)
					n++
				}
			}
		}
	}
	onepass.Rows(r.encoders, into.rows)
}

// readNumber gives a number to an encoder.
func readNumber(e *onepass.Encoder, column int, c *schema.Column, x float64) {
	if len(c.Edges) > 0 {
		e.Bin(column, schema.Bin(c.Edges, x))
	} else {
		e.Number(column, x)
	}
	if len(c.Quantiles) > 0 {
		e.Quantile(column, schema.Bin(c.Quantiles, x))
	}
}

// namesOf returns the names of the encoder's columns.
func namesOf(s schema.Schema) (names []string) {
	for _, in := range s.Inputs() {
		names = append(names, in.Name)
	}
	return names
}
