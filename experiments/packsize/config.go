// Package packsize forecasts the quantities of Online Retail's sales from counts made for this file: pooled counts (package counttree)
// of contexts that were chosen for it. A context is made of product, customer, price, earlier sales of the product and running levels.
package packsize

import (
	"math/bits"

	"gophe/phe/field"
	"gophe/phe/onepass/counttree"
)

// Config describes a counter.
type Config struct {
	Contexts Contexts `json:"contexts"`
	Slots    int      `json:"slots"`            // of evidence, 8 bytes each; a power of two
	Weights  int      `json:"weights"`          // hashed, 8 bytes each; a power of two
	Levels   int      `json:"levels"`           // entries of the tables of levels, 21 bytes each; a power of two
	Learns   Learns   `json:"learns,omitempty"` // which sales
	Memory   int      `json:"memory,omitempty"` // bytes; of Columns only, which chooses its tables by itself
	Seed     uint64   `json:"-"`                // of the contexts' hashes
}

// Contexts names a list of contexts.
type Contexts string

// The lists. Less memory wants fewer contexts, as each takes its share of the slots.
const (
	Seven    Contexts = "seven"    // the ten without product, customer × price, and the two levels' cross
	Ten      Contexts = "ten"      // what most of the gain comes from
	Nineteen Contexts = "nineteen" // what gained anything of forty that were tried
	Columns  Contexts = "columns"  // the file's columns and their pairs, by package stream with nothing made for sales
)

// Learns says which sales a counter learns.
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
	case len(lists[c.Contexts]) == 0:
		return field.Errorf("contexts", "contexts is %q; choose %q, %q, %q or %q", c.Contexts, Seven, Ten, Nineteen, Columns)
	case c.Levels < 1 || c.Levels > 1<<30 || bits.OnesCount(uint(c.Levels)) != 1:
		return field.Errorf("levels", "levels is %d; give a power of two", c.Levels)
	case c.Learns != Everything && c.Learns != KeptWindows:
		return field.Errorf("learns", "learns is %q; choose %q, or leave it out", c.Learns, KeptWindows)
	}
	return c.counts().Validate()
}

func (c Config) counts() counttree.Config {
	return counttree.Config{Contexts: len(lists[c.Contexts]), Sets: sets, Slots: c.Slots, Weights: c.Weights}
}

// Bytes returns the memory of the counter's tables.
func (c Config) Bytes() int {
	if c.Contexts == Columns {
		return c.Memory
	}
	return c.counts().Bytes(Cells().Len()) + levelBytes*c.Levels
}
