package stream

import (
	"math"

	"gophe/phe/stream/internal/census"
	"gophe/phe/stream/schema"
)

// observer counts the items of the records, and remembers the newest.
type observer struct {
	census   *census.Census
	newest   [shownItems]newItem // a ring
	newestAt int
}

func newObserver(s schema.Schema) *observer {
	return &observer{census: census.New(len(s.Inputs()))}
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
			o.newest[o.newestAt] = newItem{it.column, census.Short(it.name, maxShown), rows + 1}
			o.newestAt = (o.newestAt + 1) % len(o.newest)
		}
		least = min(least, before)
	}
	return least
}

// items returns an estimate of the number of different items.
func (o *observer) items() (n int64) {
	for i := range o.census.Columns {
		n += int64(math.Round(o.census.Cardinality(i)))
	}
	return n
}

// maxShown bounds the bytes of a name on a page.
const maxShown = 62

// newItem is an item that was learned for the first time, by its encoder column.
type newItem struct {
	column int
	name   string
	row    int64
}

// latest returns the items that came for the first time most recently, newest first. names are the names of the encoder's columns.
func (o *observer) latest(names []string) (list []NewItem) {
	for i := range o.newest {
		if n := o.newest[(o.newestAt+len(o.newest)-1-i)%len(o.newest)]; n.name != "" {
			list = append(list, NewItem{names[n.column], n.name, n.row})
		}
	}
	return list
}
