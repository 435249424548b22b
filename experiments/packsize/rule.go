package packsize

import (
	"math/bits"

	"gophe/phe/field"
	"gophe/phe/onepass/counttree"
)

// Config describes a rule.
type Config struct {
	Contexts Contexts `json:"contexts"`
	Slots    int      `json:"slots"`            // of evidence, 8 bytes each; a power of two
	Weights  int      `json:"weights"`          // hashed, 8 bytes each; a power of two
	Levels   int      `json:"levels"`           // entries of the tables of levels, 21 bytes each; a power of two
	Learns   Learns   `json:"learns,omitempty"` // which sales
	Memory   int      `json:"memory,omitempty"` // bytes; of Columns only, which chooses its tables by itself
	Seed     uint64   `json:"-"`                // of the contexts' hashes
}

// Learns says which sales a rule learns.
type Learns string

const (
	Everything  Learns = ""             // each sale of each day
	KeptWindows Learns = "kept-windows" // the last sales of the stream's windows: the targets of a model of the stream
)

// Validate returns an error that names the configuration's mistake and its remedy.
func (c Config) Validate() error {
	switch {
	case c.Contexts == Columns:
		if c.Memory < 1 || c.Slots+c.Weights+c.Levels > 0 || c.Learns != Everything {
			return field.Errorf("contexts", "contexts %q with memory %d, slots %d, weights %d, levels %d and learns %q; it takes only a memory in bytes", Columns, c.Memory, c.Slots, c.Weights, c.Levels, c.Learns)
		}
		return nil
	case c.Memory != 0:
		return field.Errorf("memory", "memory is %d with contexts %q; only %q has one", c.Memory, c.Contexts, Columns)
	case len(c.Contexts.list()) == 0:
		return field.Errorf("contexts", "contexts is %q; choose %q, %q, %q or %q", c.Contexts, Seven, Ten, Nineteen, Columns)
	case c.Levels < 1 || c.Levels > 1<<30 || bits.OnesCount(uint(c.Levels)) != 1:
		return field.Errorf("levels", "levels is %d; give a power of two", c.Levels)
	case c.Learns != Everything && c.Learns != KeptWindows:
		return field.Errorf("learns", "learns is %q; choose %q, or leave it out", c.Learns, KeptWindows)
	}
	return c.counts().Validate()
}

func (c Config) counts() counttree.Config {
	return counttree.Config{Contexts: len(c.Contexts.list()), Sets: sets, Slots: c.Slots, Weights: c.Weights}
}

// Rule forecasts quantities. It is not safe for concurrent use.
type Rule struct {
	*counttree.Forecaster
	seed     uint64
	contexts []context
	levels   levels
	facts    facts // of the sale being described
}

// New returns a rule that has seen no sale. shares are the pack sizes' expected shares, up to a factor.
func New(c Config, shares []float64) (*Rule, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	f, err := counttree.New(c.counts(), Cells(), shares)
	if err != nil {
		return nil, err
	}
	return &Rule{Forecaster: f, seed: c.Seed, contexts: c.Contexts.list(), levels: newLevels(c.Levels)}, nil
}

// Bytes returns the memory of the rule's tables.
func (r *Rule) Bytes() int { return r.Forecaster.Bytes() + levelBytes*len(r.levels.last) }

// Description is a sale as a rule reads it, by the levels of the moment.
type Description struct {
	counttree.Row
	levels [kinds + 1]int32
}

// NewDescription returns room for a description.
func (r *Rule) NewDescription() Description {
	return Description{Row: counttree.Row{Items: make([]uint64, len(r.contexts))}}
}

// Describe fills a description with a sale and the earlier sales of its product, the latest one last. Nine are looked at.
func (r *Rule) Describe(d *Description, s *Sale, earlier []Line) {
	r.facts, d.levels, d.Set = r.levels.describe(s, earlier)
	for e := range r.contexts {
		d.Items[e] = r.contexts[e].item(r.seed, &r.facts)
	}
}

// Count adds a described sale's quantity to the evidence and the levels.
func (r *Rule) Count(d *Description, quantity int) {
	r.Forecaster.Count(d.Row, quantity)
	r.levels.count(d.levels, quantity)
}
