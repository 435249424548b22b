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
}

func newObserver(s schema.Schema) *observer {
	names := namesOf(s)
	return &observer{census.New(len(names)), names, nil}
}

// unknownNovelty is the novelty of a record without items, which counts as known.
const unknownNovelty = math.MaxInt64

// observe returns how often the rarest item of a row was learned before; unknownNovelty for a row without items. It counts the items of
// a row whose target is known. rows is the number of rows learned before.
func (o *observer) observe(r *row, rows int64) int64 {
	least := int64(unknownNovelty)
	for _, it := range r.items {
		if !r.known {
			least = min(least, o.census.Seen(it.key))
			continue
		}
		before := o.census.Add(it.column, it.key, it.name)
		if before == 0 {
			o.newest = slices.Insert(o.newest[:min(len(o.newest), shownItems-1)], 0, NewItem{o.names[it.column], census.Short(it.name, maxShown), rows + 1})
		}
		least = min(least, before)
	}
	return least
}

// maxShown bounds the bytes of a name on a page.
const maxShown = 62
