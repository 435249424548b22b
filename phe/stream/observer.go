package stream

import (
	"math"
	"slices"

	"gophe/phe/stream/internal/census"
	"gophe/phe/stream/schema"
)

// observer counts the items of the records, and remembers the newest.
type observer struct {
	census *census.Census
	names  []string  // of the encoder's columns
	newest []NewItem // the items that came for the first time most recently, newest first
	places []int     // of the encoder's columns in a record

	learned, asked *fields // of the stream's rows, and of rows that were only forecast
}

func newObserver(s schema.Schema) *observer {
	o := &observer{learned: newFields(s, Learned), asked: newFields(s, Predicted)}
	for _, in := range s.Inputs() {
		o.names, o.places = append(o.names, in.Name), append(o.places, in.Place)
	}
	o.census = census.New(len(o.names))
	return o
}

// unknownNovelty is the novelty of a record without items, which counts as known.
const unknownNovelty = math.MaxInt64

// observe returns how often the rarest item of a row was learned before; unknownNovelty for a row without items. It counts the row's fields
// in f if f is not nil, and the items of a row whose target is known. rows is the number of rows learned before.
func (o *observer) observe(r *row, f *fields, rows int64) int64 {
	least := int64(unknownNovelty)
	r.jump = ""
	if f != nil {
		f.add(r)
	}
	for _, it := range r.items {
		before := int64(0)
		if r.known {
			before = o.census.Add(it.column, it.key, it.name)
		} else {
			before = o.census.Seen(it.key)
		}
		if before == 0 && r.known {
			o.newest = slices.Insert(o.newest[:min(len(o.newest), shownItems-1)], 0, NewItem{o.names[it.column], census.Short(it.name, maxShown), rows + 1})
		}
		if before == 0 && f != nil {
			f.addNew(r, o.places[it.column], it.name)
		}
		least = min(least, before)
	}
	return least
}

// maxShown bounds the bytes of a name on a page.
const maxShown = 62
