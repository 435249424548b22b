package packsize

import (
	"math"

	"gophe/phe/onepass/counttree"
)

// facts holds the values from which the contexts of a sale are made.
type facts struct {
	product, customer, country uint64
	pence                      int
	anonymous, hour, weekday   int
	window
	customerLevel, usualLevel int // in thirds of an octave, from 1; customerLevel is 0 of a new customer
	predictedLevel            int // usual and excess, in fifths
	lastOfPair                int // cell, from 1; 0 is none
}

// context makes one item of a sale. Its number keeps its items apart from other contexts' items.
type context struct {
	number uint64
	values func(f *facts) (a, b, c int)
}

func (c *context) item(seed uint64, f *facts) uint64 {
	x, y, z := c.values(f)
	return counttree.Item(100*seed+c.number, uint64(x), uint64(y), uint64(z))
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

// list returns the contexts of a list; none of an unknown one.
func (c Contexts) list() []context {
	var numbers []uint64
	switch c {
	case Seven:
		numbers = []uint64{1, 4, 8, 15, 17, 20, 21}
	case Ten:
		numbers = []uint64{0, 1, 4, 5, 8, 14, 15, 17, 20, 21}
	case Nineteen:
		numbers = []uint64{0, 1, 3, 4, 5, 8, 9, 12, 14, 15, 17, 18, 20, 21, 22, 25, 26, 29, 37}
	}
	var list []context
	for _, n := range numbers {
		list = append(list, context{n, contexts[n]})
	}
	return list
}

// contexts are numbered as in the study that chose them.
var contexts = map[uint64]func(f *facts) (a, b, c int){
	0:  func(f *facts) (a, b, c int) { return int(f.product), 0, 0 },
	1:  func(f *facts) (a, b, c int) { return int(f.customer), 0, 0 },
	3:  func(f *facts) (a, b, c int) { return int(f.product), int(f.customer), 0 },
	4:  func(f *facts) (a, b, c int) { return int(f.product), f.pence, 0 },
	5:  func(f *facts) (a, b, c int) { return int(f.customer), f.pence, 0 },
	8:  func(f *facts) (a, b, c int) { return f.closest, f.closeness, 0 },
	9:  func(f *facts) (a, b, c int) { return int(f.customer), f.closest, 0 },
	12: func(f *facts) (a, b, c int) { return int(f.customer), f.usualLevel, 0 },
	14: func(f *facts) (a, b, c int) { return f.customerLevel, f.usualLevel, 0 },
	15: func(f *facts) (a, b, c int) { return f.predictedLevel, f.anonymous, 0 },
	17: func(f *facts) (a, b, c int) { return f.own, 0, 0 },
	18: func(f *facts) (a, b, c int) { return int(f.customer), f.price, 0 },
	20: func(f *facts) (a, b, c int) { return f.hour, f.weekday, f.anonymous },
	21: func(f *facts) (a, b, c int) { return f.pence, f.anonymous, int(f.country) },
	22: func(f *facts) (a, b, c int) { return int(f.product), f.pence, f.customerLevel },
	25: func(f *facts) (a, b, c int) { return f.lastOfPair, f.closest, 0 },
	26: func(f *facts) (a, b, c int) { return f.hour, f.pence, f.anonymous },
	29: func(f *facts) (a, b, c int) { return f.predictedLevel, f.pence, 0 },
	37: func(f *facts) (a, b, c int) { return f.predictedLevel, f.median, f.price },
}

// Sets of weights: the trust in evidence depends on the customer's past.
const (
	nobody      = iota // no customer is named
	newCustomer        // the first sale
	newPair            // the customer's first of this product
	knownPair
	sets
)

// anybody is the customer of all anonymous sales.
const anybody = 999_999

// describe returns a sale's facts, where its levels stand, and its set of weights.
func (l *levels) describe(s *Sale, earlier []Line) (f facts, at [kinds + 1]int32, set int) {
	f = facts{product: s.Product, customer: s.Customer, country: s.Country, pence: int(math.RoundToEven(100 * s.Price)), window: look(s, earlier)}
	f.hour, f.weekday = s.Minute/60%24, s.Minute/minutesPerDay%7
	if s.Anonymous {
		f.customer, f.anonymous = anybody, 1
	}
	at = l.places(f.customer, s, f.pence)
	level, n := l.get(ofCustomer, at)
	if n > 0 {
		f.customerLevel = int(levelsPerUnit*level) + 1
	}
	usual := l.usual(at)
	f.usualLevel = int(levelsPerUnit*usual) + 1
	f.predictedLevel = int(5*max(usual+l.excess(at), -1)) + 8
	if !s.Anonymous {
		f.lastOfPair = int(l.last[at[ofPair]])
	}
	switch {
	case s.Anonymous:
		return f, at, nobody
	case n == 0:
		return f, at, newCustomer
	case f.lastOfPair == 0:
		return f, at, newPair
	}
	return f, at, knownPair
}
