package stream

import (
	"gophe/phe/belief"
	"gophe/phe/onepass"
	"gophe/phe/stream/internal/counttree"
)

// expert forecasts classes or a number from the rows of one encoder.
type expert struct {
	encoder *onepass.Encoder
	learner *onepass.Model
	model   *model
	at      int // place of its rows and its forecasts among the row's
	alone   int // place of the forecasts of its evidence alone; 0 without Config.Alone
}

// newExpert returns an expert that has seen nothing.
func newExpert(d modelDesign, m *model, at int) (x *expert, err error) {
	x = &expert{model: m, at: at}
	if d.Learner.Alone {
		x.alone = len(m.design.Experts)
	}
	x.learner, err = onepass.New(d.Learner)
	return x, err
}

func (x *expert) forecast(r *row) {
	p := r.predictions.Experts
	f := x.predict(r, r.rows[x.at], &p[x.at])
	if x.alone > 0 {
		p[x.alone].set(prediction{Classes: f.Alone.Classes, Spread: f.Alone.Spread})
	}
}

// predict forecasts a row in the unit of the target. Until a number's scale is known, the forecast is the base rate.
func (x *expert) predict(r *row, encoded *onepass.Row, to *prediction) (f onepass.Forecast) {
	if !x.model.scale.known() {
		to.set(r.predictions.BaseRate)
		return f
	}
	f = x.learner.Predict(encoded)
	to.set(x.model.scale.out(f))
	return f
}

// learn also drops pairs of columns when it is time.
func (x *expert) learn(r *row) {
	if x.model.scale.known() {
		x.learner.Update(x.model.scale.in(r.y), r.weight*x.model.classWeight(r.y))
		x.learner.Choose(x.encoder)
	}
}

// exact is a model without interactions in which every item has numbers of its own. The difference between its score and the score
// of a hashed model is the cost of hashing. The learner drops it when there are too many items.
type exact struct {
	expert
	row     *onepass.Row // of the last record
	numbers *numbering
}

func newExact(d modelDesign, m *model) (*exact, error) {
	l, err := onepass.New(d.Learner)
	return &exact{expert{learner: l, model: m}, &onepass.Row{}, &numbering{keys: make([]uint64, d.Learner.Buckets)}}, err
}

// forecast forecasts the rows that are scored. It drops the model if an item has no room.
func (x *exact) forecast(r *row) {
	if x.model.exact == nil || !r.known && r.call != callAsk {
		return
	}
	if !x.take(r.rows[0]) {
		x.model.exact = nil
		return
	}
	x.predict(r, x.row, &r.exact)
	r.predictions.Exact = &r.exact
}

func (x *exact) learn(r *row) {
	if x.model.exact != nil {
		x.expert.learn(r)
	}
}

// take reads a row of another model. It returns false if an item has no room.
func (x *exact) take(row *onepass.Row) bool {
	x.row.Cells, x.row.Slots = x.row.Cells[:0], x.row.Slots[:0]
	columns := int32(x.learner.Config().Columns)
	for _, cell := range row.Cells {
		if cell.Column >= columns {
			break // the pairs of columns come last
		}
		n, ok := x.numbers.of(cell.Key)
		if !ok {
			return false
		}
		cell.Key = uint64(n)
		x.row.Add(cell, n)
	}
	return true
}

// numbering numbers keys 0, 1, … in the order in which they come.
type numbering struct {
	keys   []uint64         // by number, of fixed size
	len    int              // number of keys that have a number
	places map[uint64]int32 // nil if keys and len come from a file
}

// of returns a key's number. It returns false if the key is new and there is no room.
func (n *numbering) of(key uint64) (number int32, ok bool) {
	if n.places == nil {
		n.places = map[uint64]int32{}
		for i, key := range n.keys[:n.len] {
			n.places[key] = int32(i)
		}
	}
	if number, ok = n.places[key]; ok {
		return number, true
	}
	if n.len == len(n.keys) {
		return 0, false
	}
	number = int32(n.len)
	n.keys[number], n.places[key] = key, number
	n.len++
	return number, true
}

// tables returns the tables of an exact model, if there is one.
func (x *exact) tables() []belief.Part {
	if x == nil {
		return nil
	}
	keys := x.numbers.keys
	return prefixed("exact ", append(x.learner.Parts(), counttree.Half("keys, low", keys, 0), counttree.Half("keys, high", keys, 32)))
}
