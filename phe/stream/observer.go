package stream

import (
	"math"
	"slices"

	"gophe/phe/internal/text"
	"gophe/phe/stream/internal/census"
	"gophe/phe/stream/schema"
)

// observer counts the items of the records, and remembers the newest.
type observer struct {
	census *census.Census
	names  []string  // of the encoder's columns
	newest []NewItem // the items that came for the first time most recently, newest first
	places []int     // of the encoder's columns in a record

	learned, asked *fields // of rows that were learned, and of rows that were only forecast
}

func newObserver(s schema.Schema) *observer {
	names := namesOf(s)
	o := &observer{census: census.New(len(names)), names: names, learned: newFields(s), asked: newFields(s)}
	for _, in := range s.Inputs() {
		o.places = append(o.places, in.Place)
	}
	return o
}

// unknownNovelty is the novelty of a record without items, which counts as known.
const unknownNovelty = math.MaxInt64

// observe returns how often the rarest item of a row was learned before; unknownNovelty for a row without items. It counts the items of
// a row whose target is known. rows is the number of rows learned before.
func (o *observer) observe(r *row, rows int64) int64 {
	least := int64(unknownNovelty)
	for _, it := range r.items {
		if !r.known {
			seen := o.census.Seen(it.key)
			if seen == 0 {
				c := &o.asked.Columns[o.places[it.column]]
				c.New++
				c.Example = text.String(census.Short(it.name, maxShown))
			}
			least = min(least, seen)
			continue
		}
		before := o.census.Add(it.column, it.key, it.name)
		if before == 0 {
			o.newest = slices.Insert(o.newest[:min(len(o.newest), shownItems-1)], 0, NewItem{o.names[it.column], census.Short(it.name, maxShown), rows + 1})
		}
		least = min(least, before)
	}
	if r.jump = ""; r.known {
		r.jump = o.learned.add(r)
	} else {
		o.asked.add(r)
	}
	r.jumps = o.learned.Jumps
	return least
}

// maxShown bounds the bytes of a name on a page.
const maxShown = 62
