package ensemble

import (
	"math/bits"

	"gophe/phe/belief"
	"gophe/phe/onepass"
	"gophe/phe/stream/change"
	"gophe/phe/stream/internal/counttree"
)

// Expert forecasts classes or a number from the rows of one encoder.
type Expert struct {
	Learner *onepass.Model
	encoder *onepass.Encoder
	model   *Model
	at      int   // place of its rows and its forecasts among the row's
	unit    unit  // in which it has learned a number
	alone   int   // place of the forecasts of its evidence alone; 0 without Config.Alone
	usual   usual // nil in the exact model
}

func newExpert(d ModelDesign, m *Model, at int) (x *Expert, err error) {
	x = &Expert{encoder: m.reader.encoders[at], model: m, at: at, unit: m.scale.unit}
	if d.Learner.Alone {
		x.alone = len(m.Design.Experts)
	}
	x.Learner, err = onepass.New(d.Learner)
	return x, err
}

// Scaled returns a forecast of the learner in the unit of the target.
func (x *Expert) Scaled(f onepass.Forecast) (p Prediction) {
	x.unit.out(&f, &p)
	return p
}

// Forecast also gives the forecast of the evidence alone.
func (x *Expert) Forecast(r *Row) {
	p := r.Predictions.Experts
	r.encoded[x.at].Late = r.Late != nil && r.Late.Rows < r.Predictions.Rows
	f := x.predict(r, r.encoded[x.at], &p[x.at])
	if x.alone > 0 {
		p[x.alone].Classes, p[x.alone].Spread = append(p[x.alone].Classes[:0], f.Alone.Classes...), f.Alone.Spread
	}
}

// predict forecasts a row in the unit of the target. Until a number's scale is known, the forecast is the base rate.
func (x *Expert) predict(r *Row, encoded *onepass.Row, to *Prediction) (f onepass.Forecast) {
	if !x.unit.known() {
		to.set(&r.Predictions.BaseRate)
		return f
	}
	f = x.Learner.Predict(encoded)
	x.unit.out(&f, to)
	return f
}

// Learn also takes the row's unit, and drops pairs of columns when it is time.
func (x *Expert) Learn(r *Row) {
	if !x.unit.known() {
		return
	}
	if from, to := x.unit, r.unit; from != to {
		x.Learner.Rescale(from.Spread/to.Spread, (from.Center-to.Center)/to.Spread)
		x.usual.rescale(from.Spread / to.Spread)
		x.unit = to
	}
	if x.usual != nil && r.Predictions.Rows%usualEvery == usualEvery-1 {
		x.usual.learn(x.Learner, r.encoded[x.at].Cells, x.model.reader.places(x.encoder, r.encoded[x.at]), x.model.columns)
	}
	x.Learner.Update(x.unit.in(r.Y), r.Weight)
	switch x.Learner.Choose(x.encoder); r.remedy {
	case change.Reset:
		x.Learner.ResetCovariance()
	case change.Forget:
		x.Learner.Forget(r.keep)
	}
}

// exact is a model without interactions in which every item has numbers of its own. The difference between its score and the score
// of a hashed model is the cost of hashing. The learner drops it when there are too many items.
type exact struct {
	Expert
	row     *onepass.Row // of the last record
	numbers *numbering
}

// Forecast forecasts the rows that are scored. It drops the model if an item has no room.
func (x *exact) Forecast(r *Row) {
	if x.model.exact == nil || !r.Known && r.Call != CallAsk && r.Call != CallAgain {
		return
	}
	if !x.take(r.encoded[0]) {
		x.model.exact = nil
		return
	}
	x.predict(r, x.row, &r.exact)
	r.Predictions.Exact = &r.exact
}

func (x *exact) Learn(r *Row) {
	if x.model.exact != nil {
		x.Expert.Learn(r)
	}
}

// take reads a row of another model. It returns false if an item has no room.
func (x *exact) take(row *onepass.Row) bool {
	x.row.Cells, x.row.Slots = x.row.Cells[:0], x.row.Slots[:0]
	columns := int32(x.Learner.Config().Columns)
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
	keys   []uint64 // by number, of fixed size
	len    int      // number of keys that have a number
	places []int32  // hash table, half full at most: a key's number + 1, or 0; empty if keys and len come from a file
}

// of returns a key's number. It returns false if the key is new and there is no room.
func (n *numbering) of(key uint64) (number int32, ok bool) {
	if 2*n.len >= len(n.places) {
		n.places = make([]int32, 1<<max(6, bits.Len(uint(2*n.len))))
		for i, key := range n.keys[:n.len] {
			*n.place(key) = int32(i) + 1
		}
	}
	place := n.place(key)
	if *place == 0 {
		if n.len == len(n.keys) {
			return 0, false
		}
		n.keys[n.len] = key
		n.len++
		*place = int32(n.len)
	}
	return *place - 1, true
}

// place finds the place of a key, which is a hash, or an empty one for it.
func (n *numbering) place(key uint64) *int32 {
	for at := key; ; at++ {
		if p := &n.places[at&uint64(len(n.places)-1)]; *p == 0 || n.keys[*p-1] == key {
			return p
		}
	}
}

func (x *exact) tables() []belief.Part {
	keys := x.numbers.keys
	return append(x.Learner.Parts(), counttree.Half("keys, low", keys, 0), counttree.Half("keys, high", keys, 32))
}
