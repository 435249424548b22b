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

// forecast counts a row's fields, and finds how often its rarest item was learned before.
func (o *observer) forecast(r *row) {
	r.jump = ""
	if f := o.fieldsOf(r.call); f != nil {
		f.add(r)
	}
	if !r.known { // learn looks the items up as it counts them
		o.learn(r)
	}
}

// learn counts the items of a row whose target is known. It sets how often the rarest of them was learned before; unknownNovelty for a row
// without items.
func (o *observer) learn(r *row) {
	f, least := o.fieldsOf(r.call), int64(unknownNovelty)
	for _, it := range r.items {
		before := int64(0)
		if r.known {
			before = o.census.Add(it.column, it.key, it.name)
		} else {
			before = o.census.Seen(it.key)
		}
		if before == 0 && r.known {
			newest := NewItem{o.names[it.column], census.Short(it.name, maxShown), r.predictions.rows + 1}
			o.newest = slices.Insert(o.newest[:min(len(o.newest), shownItems-1)], 0, newest)
		}
		if before == 0 && f != nil {
			f.addNew(r, o.places[it.column], it.name)
		}
		least = min(least, before)
	}
	r.predictions.seen = least
}

// fieldsOf returns where the fields of a call's rows are counted; nil if they are not, or were counted before.
func (o *observer) fieldsOf(c call) *fields {
	switch c {
	case callStep, callAsk:
		return o.learned
	case callPredict:
		return o.asked
	}
	return nil
}

// maxShown bounds the bytes of a name on a page.
const maxShown = 62
