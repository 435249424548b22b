package stream

import (
	"gophe/phe/belief"
	"gophe/phe/onepass"
	"gophe/phe/stream/internal/counttree"
	"gophe/phe/stream/schema"
)

// expert forecasts the target of a record from one encoder.
type expert struct {
	encoder *onepass.Encoder
	learner *onepass.Model // classes and numbers
	counts  *counter       // counts
	scale   *scale         // scale of a number
	alone   prediction     // last forecast of the evidence alone, with Config.Alone
}

// scaled returns a forecast in the target's scale.
func (m *expert) scaled(f onepass.Forecast) prediction {
	m.alone = prediction{Classes: f.Alone.Classes, Spread: f.Alone.Spread}
	return m.scale.out(prediction{Classes: f.Classes, Mean: f.Mean, Variance: f.Variance, Spread: f.Spread})
}

// newExpert returns an expert that has seen nothing.
func newExpert(d modelDesign, s schema.Schema, in *scale) (m *expert, err error) {
	m = &expert{scale: in}
	if d.Counts != nil {
		m.counts = newCounter(*d.Counts)
	} else if m.learner, err = onepass.New(d.Learner); err != nil {
		return nil, err
	}
	m.encoder, err = onepass.NewEncoder(d.Learner, namesOf(s))
	return m, err
}

// predict returns the forecast of a row. seen is the number of times that its rarest item was seen.
func (m *expert) predict(row *onepass.Row, seen int64) prediction {
	if m.counts != nil {
		f := predictionOfCount(m.counts.forecast(row, seen))
		f.Inputs = m.counts.came
		return f
	}
	return m.scaled(m.learner.Predict(row))
}

// step predicts and then learns.
func (m *expert) step(row *onepass.Row, seen int64, y, weight float64) prediction {
	if m.counts == nil && weight == 1 {
		return m.scaled(m.learner.Step(row, m.scale.in(y)))
	}
	f := m.predict(row, seen)
	m.learn(row, seen, y, weight)
	return f
}

func (m *expert) learn(row *onepass.Row, seen int64, y, weight float64) {
	if m.counts != nil {
		m.counts.learn(row, m.counts.came, seen, int(y))
	} else {
		m.learner.LearnWeighted(row, m.scale.in(y), weight)
	}
}

// choose drops pairs of columns when it is time.
func (m *expert) choose() {
	if m.learner != nil {
		m.learner.Choose(m.encoder)
	}
}

// widen makes the beliefs less sure. A tree of counts goes on as it is.
func (m *expert) widen() {
	if m.learner != nil {
		m.learner.Widen()
	}
}

func (m *expert) parts() []belief.Part {
	if m.counts != nil {
		return append(m.counts.tree.Parts(), m.counts.recent.parts()...)
	}
	return m.learner.Parts()
}

// exact is a model without interactions in which every item has numbers of its own. The difference between its score and the score
// of a hashed model is the cost of hashing. The learner drops it when there are too many items.
type exact struct {
	expert
	row     *onepass.Row // of the last record
	numbers *numbering
}

func newExact(d modelDesign, in *scale) (*exact, error) {
	l, err := onepass.New(d.Learner)
	return &exact{expert: expert{learner: l, scale: in}, row: &onepass.Row{}, numbers: &numbering{keys: make([]uint64, d.Learner.Buckets)}}, err
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

// parts returns the numbers of an exact model for a file.
func (x *exact) parts() []belief.Part {
	return append(x.expert.parts(), counttree.Half("keys, low", x.numbers.keys, 0), counttree.Half("keys, high", x.numbers.keys, 32))
}
