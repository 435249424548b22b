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
func (r *reader) read(record schema.Record, into *Reading) {
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
			if in.Odd { // the column's last input decides: a date has no hour, and a weekday
				into.Odd = append(into.Odd, in.Place)
			} else {
				into.Gaps = append(into.Gaps, in.Place)
			}
		}
		value := uint64(1 << 63) // no value: the bits of −0
		switch {
		case isNumber:
			readNumber(e, column, &in.Column, x)
			value = math.Float64bits(x + 0) // −0 is 0
		case name == "":
		case in.Derived != "":
			e.Item(column, name)
			whole, _ := in.Column.Value(record[in.Place]) // an hour or a weekday is a part of it
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

// places returns the places of each cell's columns in a record: one place twice, or the two places of a pair.
func (r *reader) places(e *onepass.Encoder, row *onepass.Row) [][2]int {
	places := e.Fields(row)
	for i, p := range places {
		places[i] = [2]int{r.inputs[p[0]].Place, r.inputs[p[1]].Place}
	}
	return places
}
