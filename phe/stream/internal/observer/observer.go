// Package observer counts the items of a stream, and the fields that say nothing to its model.
package observer

import (
	"slices"

	"gophe/phe/stream/internal/census"
	"gophe/phe/stream/internal/ensemble"
	"gophe/phe/stream/internal/novelty"
	"gophe/phe/stream/schema"
)

// Observer counts the items of the records, and remembers the newest.
type Observer struct {
	Census *census.Census
	Names  []string  // of the encoder's columns
	Newest []NewItem // the items that came for the first time most recently, newest first
	places []int     // of the encoder's columns in a record

	Learned, asked *Counts // of the stream's rows, and of rows that were only forecast
}

// New returns an observer that has seen nothing.
func New(s schema.Schema) *Observer {
	o := &Observer{Learned: newCounts(s, Learned), asked: newCounts(s, Predicted)}
	for _, in := range s.Inputs() {
		o.Names, o.places = append(o.Names, in.Name), append(o.places, in.Place)
	}
	o.Census = census.New(len(o.Names))
	return o
}

// Forecast counts a row's fields, and finds how often its rarest item was learned before.
func (o *Observer) Forecast(r *ensemble.Row) {
	r.Jump = ""
	if f := o.fieldsOf(r.Call); f != nil {
		f.add(r)
	}
	if !r.Known { // Learn looks the items up as it counts them
		o.Learn(r)
	}
}

// Learn counts the items of a row whose target is known. It sets how often the rarest of them was learned before; novelty.Unknown for a row
// without items.
func (o *Observer) Learn(r *ensemble.Row) {
	f, least := o.fieldsOf(r.Call), int64(novelty.Unknown)
	for _, it := range r.Items {
		before := int64(0)
		if r.Known {
			before = o.Census.Add(it.Column, it.Key, it.Name)
		} else {
			before = o.Census.Seen(it.Key)
		}
		if before == 0 && r.Known {
			newest := NewItem{o.Names[it.Column], census.Short(it.Name, maxName), r.Predictions.Rows + 1}
			o.Newest = slices.Insert(o.Newest[:min(len(o.Newest), Shown-1)], 0, newest)
		}
		if before == 0 && f != nil {
			f.addNew(r, o.places[it.Column], it.Name)
		}
		least = min(least, before)
	}
	r.Predictions.Seen = least
}

// fieldsOf returns where the fields of a call's rows are counted; nil if they are not, or were counted before.
func (o *Observer) fieldsOf(c ensemble.Call) *Counts {
	switch c {
	case ensemble.CallStep, ensemble.CallAsk:
		return o.Learned
	case ensemble.CallPredict:
		return o.asked
	}
	return nil
}

// Shown is the number of the newest items, and of other items that a page lists.
const Shown = 12

// NewItem is an item that was learned for the first time.
type NewItem struct {
	Column string `json:"column"`
	Name   string `json:"name"`
	Row    int64  `json:"row"` // number of the row in which it came
}

// maxName bounds the bytes of a name on a page.
const maxName = 62
