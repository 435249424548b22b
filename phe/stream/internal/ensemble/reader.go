package ensemble

import (
	"math"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"gophe/phe/onepass"
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/schema"
)

// maxItems is the largest number of items that a cell gives. Further items are left out, since pairs of columns multiply items.
const maxItems = 32

// reader gives records to encoders.
type reader struct {
	mu       sync.Mutex         // a pipeline reads ahead of the model
	inputs   []schema.Input     // one for each column of the encoders
	encoders []*onepass.Encoder // of the experts; the first one reads
}

// Item is an item of a record, by its encoder column.
type Item struct {
	Column int
	Key    uint64
	Name   string
}

// newReader returns a reader for the encoders of experts. It tells them which columns share their items.
func newReader(s schema.Schema, experts []ModelDesign) (*reader, error) {
	r, names := &reader{inputs: s.Inputs()}, []string(nil)
	for _, in := range r.inputs {
		names = append(names, in.Name)
	}
	for _, x := range experts {
		e, err := onepass.NewEncoder(x.Learner, names)
		if err != nil {
			return nil, err
		}
		r.encoders = append(r.encoders, e)
		for column, in := range r.inputs {
			if as := slices.Index(names, in.Column.Same); in.Column.Same != "" {
				e.Same(column, as, in.Column.Opposite)
			}
		}
	}
	return r, nil
}

// read turns a record into a row of each encoder, and lists its items.
func (r *reader) read(record schema.Record, into *Row) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.encoders[0]
	into.Record, into.Items, into.Odd, into.Gaps, into.Values = record, into.Items[:0], into.Odd[:0], into.Gaps[:0], 0
	add := func(column int, name string) (key uint64) {
		key = e.Item(column, name)
		into.Items = append(into.Items, Item{column, key, name})
		return key
	}
	for column := range r.inputs {
		in := &r.inputs[column]
		name, x, isNumber := in.Read(record)
		if empty := name == "" && !isNumber; (in.Odd || empty) && (column == len(r.inputs)-1 || r.inputs[column+1].Place != in.Place) {
			if in.Odd { // the last of the column's inputs tells: a date has no hour, and a weekday
				into.Odd = append(into.Odd, in.Place)
			} else {
				into.Gaps = append(into.Gaps, in.Place)
			}
		}
		value := uint64(1 << 63) // of none: the bits of −0
		switch {
		case isNumber:
			readNumber(e, column, &in.Column, x)
			value = math.Float64bits(x + 0) // −0 is 0
		case name == "":
		case in.Derived != "":
			e.Item(column, name)
			whole, _ := in.Column.Value(record[in.Place]) // of which an hour or a weekday is a part
			value = xxhash.Sum64String(whole)
		case in.Number: // a field that is not a number, such as "unknown", is an item too
			value = e.Item(column, name)
		case in.Column.Separator == "":
			value = add(column, name)
		default:
			value = xxhash.Sum64String(name)
			n := 0
			for part := range strings.SplitSeq(name, in.Column.Separator) {
				if part = strings.TrimSpace(part); part != "" && n < maxItems {
					add(column, part)
					n++
				}
			}
		}
		into.Values = repeats.Mix(into.Values, value)
	}
	onepass.Rows(r.encoders, into.encoded)
}

func readNumber(e *onepass.Encoder, column int, c *schema.Column, x float64) {
	if len(c.Edges) > 0 {
		e.Bin(column, binOf(c.Edges, x))
	} else {
		e.Number(column, x)
	}
	if len(c.Quantiles) > 0 {
		e.Quantile(column, binOf(c.Quantiles, x))
	}
}

// binOf returns the number of the bin that holds x: the number of edges at or below x.
func binOf(edges []float64, x float64) int {
	return sort.Search(len(edges), func(i int) bool { return edges[i] > x })
}

// Constant is a column of numbers that had one value in the sample (schema.Column.Constant). Nothing is known of its bins until it varies.
// Its bins and quantiles then come from the next rows that are learned. Until they are known, its bins are logarithmic.
type Constant struct {
	Rows    int       `json:"rows,omitempty"`    // learned since it varies, up to binRows
	Numbers []float64 `json:"numbers,omitempty"` // of these rows; nil after the last of them

	Edges     []float64 `json:"edges,omitempty"`
	Quantiles []float64 `json:"quantiles,omitempty"`
}

// binRows is the number of rows from which a constant column that varies gets its bins.
const binRows = 1000

func (s *Constant) binned() bool { return s.Rows == binRows }

// sound tells whether the numbers of a constant column can be used for it. They may come from a damaged file.
func (s *Constant) sound(c schema.Column, t schema.Target) bool {
	c.Constant, c.Edges, c.Quantiles = "", s.Edges, s.Quantiles
	binned := schema.Schema{Target: t, Columns: []schema.Column{c, {Name: t.Column, Kind: schema.Label}}}
	return s.Rows >= 0 && s.Rows <= binRows && len(s.Numbers) <= s.Rows && binned.Validate() == nil
}

// varies tells whether a record shows that a column of one value varies.
func varies(in *schema.Input, record schema.Record) bool {
	value, _ := in.Column.Value(record[in.Place])
	return value != "" && value != in.Column.Constant
}

// constants are the columns of a model that had one value in the sample.
type constants struct {
	list    []Constant // by their order in the schema
	reader  *reader
	columns []*schema.Input // of the reader
	binned  []bool          // the reader knows the bins
}

func newConstants(r *reader) *constants {
	s := &constants{reader: r}
	for i := range r.inputs {
		if in := &r.inputs[i]; in.Number && in.Column.Constant != "" {
			s.columns = append(s.columns, in)
		}
	}
	s.list, s.binned = make([]Constant, len(s.columns)), make([]bool, len(s.columns))
	return s
}

// Forecast leaves a row as it is: the reader has given the bins to the encoders.
func (s *constants) Forecast(*Row) {}

// Learn shows a record that was learned to the columns that were constant.
func (s *constants) Learn(r *Row) {
	for i, in := range s.columns {
		one := &s.list[i]
		if one.binned() || one.Rows == 0 && !varies(in, r.Record) {
			continue
		}
		one.Rows++
		if x, ok := in.Column.Number(r.Record[in.Place]); ok {
			one.Numbers = append(one.Numbers, x)
		}
		if one.binned() {
			one.Edges, one.Quantiles = schema.Bins(one.Numbers)
			one.Numbers = nil
			s.bin()
		}
	}
}

// bin gives the bins of the constant columns to the reader.
func (s *constants) bin() {
	s.reader.mu.Lock()
	defer s.reader.mu.Unlock()
	for i, in := range s.columns {
		in.Column.Edges, in.Column.Quantiles, s.binned[i] = s.list[i].Edges, s.list[i].Quantiles, s.list[i].binned()
	}
}

// OneByOne tells whether the model needs its records one by one: before it knows the scale of a number, has chosen its pairs of columns, or
// knows the bins of a column that was constant, and always for counts.
func (m *Model) OneByOne() bool {
	kept := m.Design.Experts[0].Learner.Kept
	varies := slices.ContainsFunc(m.constants.list, func(s Constant) bool { return s.Rows > 0 && !s.binned() })
	return m.Counter != nil || !m.scale.known() || varies || kept > 0 && len(m.Pairs()) > kept
}

// ReadAhead reads a record ahead of the model, in another goroutine. It returns false for a record that the model must read by itself: from
// the record at which a constant column begins to vary, up to the record after which the model knows its bins. varied are those columns.
func (m *Model) ReadAhead(record schema.Record, into *Row, varied map[int]bool) bool {
	s, ready := m.constants, true
	s.reader.mu.Lock()
	for i, in := range s.columns {
		if into.Known && varies(in, record) {
			varied[i] = true
		}
		ready = ready && (!varied[i] || s.binned[i])
	}
	s.reader.mu.Unlock()
	if ready {
		m.Read(record, into)
	}
	return ready
}
