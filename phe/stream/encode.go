package stream

import (
	"strings"
	"time"

	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// maxItems is the largest number of items that a cell gives. Further items are left out, since pairs of columns multiply items.
const maxItems = 32

// reader gives records to an encoder.
type reader struct {
	columns []readColumn
	items   []item // items of the last record, which the census counts
}

// readColumn is a column that is an input.
type readColumn struct {
	schema.Column
	field  int // place in a record
	first  int // the first of its encoder columns
	inputs []schema.Input

	written string // the last time, as it was written
	time    time.Time
	isTime  bool
}

// item is an item of a record, by its encoder column.
type item struct {
	column int
	key    uint64
	name   string
}

func newReader(s schema.Schema) *reader {
	r := &reader{}
	for i, in := range s.Inputs() {
		if n := len(r.columns); n == 0 || r.columns[n-1].field != in.Place {
			r.columns = append(r.columns, readColumn{Column: in.Column, field: in.Place, first: i})
		}
		c := &r.columns[len(r.columns)-1]
		c.inputs = append(c.inputs, in)
	}
	return r
}

// share tells an encoder which columns share their items.
func (r *reader) share(e *onepass.Encoder) {
	for i := range r.columns {
		c := &r.columns[i]
		if c.Same == "" {
			continue
		}
		for k := range r.columns {
			if as := &r.columns[k]; c.Same == as.Name {
				e.Same(c.first, as.first, c.Opposite)
			}
		}
	}
}

// read gives a record to the encoder. The caller must then call the encoder's Row.
func (r *reader) read(e *onepass.Encoder, record schema.Record) {
	r.items = r.items[:0]
	for i := range r.columns {
		c := &r.columns[i]
		field := record[c.field]
		if field == "" {
			continue
		}
		for k := range c.inputs {
			switch in := &c.inputs[k]; {
			case in.Number:
				r.readNumber(e, c, c.first+k, field)
			case in.Derived == "":
				r.readItems(e, c, c.first+k, field)
			default:
				if field != c.written { // neighbouring rows often have one time, and it gives several categories
					c.written = field
					c.time, c.isTime = schema.ParseTime(field, c.Layout)
				}
				if c.isTime {
					e.Item(c.first+k, schema.Derive(c.time, in.Derived))
				}
			}
		}
	}
}

func (r *reader) readItems(e *onepass.Encoder, c *readColumn, column int, field string) {
	if c.Separator == "" {
		r.add(e, column, field)
		return
	}
	n := 0
	for part := range strings.SplitSeq(field, c.Separator) {
		if part = strings.TrimSpace(part); part != "" && n < maxItems {
			r.add(e, column, part)
			n++
		}
	}
}

func (r *reader) add(e *onepass.Encoder, column int, name string) {
	r.items = append(r.items, item{column, e.Item(column, name), name})
}

// readNumber gives a number to the encoder. A field that is not a number, such as "unknown", is an item of its own.
func (r *reader) readNumber(e *onepass.Encoder, c *readColumn, column int, field string) {
	x, ok := schema.ParseNumber(field, c.DecimalComma)
	switch {
	case !ok:
		e.Item(column, field)
	case len(c.Edges) > 0:
		e.Bin(column, schema.Bin(c.Edges, x))
	default:
		e.Number(column, x)
	}
	if ok && len(c.Quantiles) > 0 {
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
