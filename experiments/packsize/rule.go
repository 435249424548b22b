package packsize

import "gophe/phe/onepass/counttree"

// rule forecasts quantities by contexts.
type rule struct {
	*counttree.Forecaster
	seed     uint64
	contexts []uint64
	levels   levels
	facts    facts // of the sale being described
}

// newRule returns a rule that has seen no sale. shares are the pack sizes' expected shares, up to a factor.
func newRule(c Config, shares []float64) (*rule, error) {
	f, err := counttree.New(c.counts(), Cells(), shares)
	return &rule{Forecaster: f, seed: c.Seed, contexts: lists[c.Contexts], levels: newLevels(c.Levels)}, err
}

// description is a sale as a rule reads it, by the levels of the moment.
type description struct {
	counttree.Row
	at places
}

// describe describes a sale. earlier holds earlier sales of its product, the latest one last.
func (r *rule) describe(d *description, l *line, earlier []line) {
	d.at, d.Set = r.levels.describe(&r.facts, l, earlier)
	d.Items = d.Items[:0]
	for _, number := range r.contexts {
		var of [3]uint64
		for i, fact := range contexts[number] {
			of[i] = r.facts[fact]
		}
		d.Items = append(d.Items, counttree.Item(100*r.seed+number, of[0], of[1], of[2]))
	}
}

// count adds a described sale's quantity to the evidence and the levels.
func (r *rule) count(d *description, quantity int) {
	r.Count(d.Row, quantity)
	r.levels.count(d.at, quantity)
}
