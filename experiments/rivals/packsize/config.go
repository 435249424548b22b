// Package packsize forecasts the quantities of Online Retail's sales from counts made for this file: pooled counts (package counttree)
// of contexts that were chosen for it. A context is made of product, customer, price, earlier sales of the product and running levels.
//
// Call New, then Counter.Forecast and Counter.Learn for each day.
package packsize

import (
	"math/bits"

	"gophe/phe/count"
	"gophe/phe/onepass/counttree"
	"gophe/phe/remedy/field"
)

// Config describes a counter. Contexts is "seven", "ten", "nineteen" or "columns".
type Config struct {
	Contexts string `json:"contexts"`
	Slots    int    `json:"slots"`            // of evidence, 8 bytes each; a power of two
	Weights  int    `json:"weights"`          // hashed, 8 bytes each; a power of two
	Levels   int    `json:"levels"`           // entries of the tables of levels, 21 bytes each; a power of two
	Learns   string `json:"learns,omitempty"` // "kept-windows"; "" learns each sale of each day
	Memory   int    `json:"memory,omitempty"` // bytes; of contexts "columns" only, which chooses its tables by itself
	Seed     uint64 `json:"-"`                // of the contexts' hashes
}

// The lists of contexts. Less memory wants fewer contexts, as each takes its share of the slots.
const (
	seven     = "seven"    // the ten without product, customer × price, and the two levels' cross
	ten       = "ten"      // most of the gain comes from these
	nineteen  = "nineteen" // all that gained anything, of forty that were tried
	byColumns = "columns"  // the file's columns and their pairs, by package stream with nothing made for sales
)

// keptWindows learns the last sales of the stream's windows: the targets of a model of the stream.
const keptWindows = "kept-windows"

// Validate returns an error that names the configuration's mistake and its remedy.
func (c Config) Validate() error {
	switch {
	case c.Contexts == byColumns:
		if c.Memory < 1 || c.Slots+c.Weights+c.Levels > 0 || c.Learns != "" {
			return field.Errorf("contexts", "contexts %q with memory %d, slots %d, weights %d, levels %d and learns %q; it takes only a memory in bytes", byColumns, c.Memory, c.Slots, c.Weights, c.Levels, c.Learns)
		}
		return nil
	case c.Memory != 0:
		return field.Errorf("memory", "memory is %d with contexts %q; only %q has one", c.Memory, c.Contexts, byColumns)
	case len(lists[c.Contexts]) == 0:
		return field.Errorf("contexts", "contexts is %q; choose %q, %q, %q or %q", c.Contexts, seven, ten, nineteen, byColumns)
	case c.Levels < 1 || c.Levels > 1<<30 || bits.OnesCount(uint(c.Levels)) != 1:
		return field.Errorf("levels", "levels is %d; give a power of two", c.Levels)
	case c.Learns != "" && c.Learns != keptWindows:
		return field.Errorf("learns", "learns is %q; choose %q, or leave it out", c.Learns, keptWindows)
	}
	return c.counts().Validate()
}

func (c Config) counts() counttree.Config {
	return counttree.Config{Contexts: len(lists[c.Contexts]), Sets: sets, Slots: c.Slots, Weights: c.Weights}
}

// Bytes returns the memory of the counter's tables.
func (c Config) Bytes() int {
	const levelBytes = kinds*(4+1) + 1
	if c.Contexts == byColumns {
		return c.Memory
	}
	return c.counts().Bytes(cells.Len()) + levelBytes*c.Levels
}

// singles is the largest quantity up to which each has a cell of its own.
const singles = 50

// packs are the quantities above singles sold at least seven times before 2011-02-01, when online learning begins. The
// next ones, 300, 408 and 720, were sold six times.
var packs = []int{60, 64, 70, 72, 75, 80, 90, 96, 100, 108, 120, 128, 144, 160, 192, 200, 216, 240, 288, 384, 480, 600}

var cells = newCells()

// Cells are 95 cells of Online Retail's quantities: 1 … 50 singly, the common pack sizes above 50 singly, and the ranges
// between and above them. Goods come in dozens and hundreds, which no smooth distribution describes. A distribution with a thinner tail
// than count's would give the largest order of the file (80,995) a log probability that decides a whole year's mean.
func Cells() count.Cells { return cells }

func newCells() count.Cells {
	var lower []int
	for y := 1; y <= singles+1; y++ {
		lower = append(lower, y)
	}
	for _, y := range packs {
		lower = append(lower, y, y+1)
	}
	c, err := count.NewCells(lower...)
	if err != nil {
		panic(err) // the list is in this file
	}
	return c
}
