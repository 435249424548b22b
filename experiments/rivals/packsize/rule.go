package packsize

import (
	"math"
	"slices"

	"gophe/phe/onepass/counttree"
)

// Facts of a sale, of which contexts are made. Cells are counted from 1; 0 is none.
const (
	product = iota
	customer
	country
	pence
	anonymous
	hour
	weekday
	closest        // cell of the product's latest sale at the closest price
	closeness      // of that price: 0 the same, 1 within a tenth, 2 farther
	own            // twice the cell of the customer's latest sale of the product, plus 1 if it was in this minute
	median         // cell of the product's earlier sales
	price          // against the median of the earlier sales, in tenths of an e-fold, and whether it is the highest or the lowest
	customerLevel  // in thirds of an octave, from 1; 0 of a new customer
	usualLevel     // in thirds of an octave, from 1
	predictedLevel // usual and excess, in fifths
	lastOfPair     // cell
	numFacts
)

// contexts are numbered as in the study that chose them. The number keeps a context's items apart from other contexts' items.
var contexts = map[uint64][]int{
	0: {product}, 1: {customer}, 3: {product, customer}, 4: {product, pence}, 5: {customer, pence}, 8: {closest, closeness},
	9: {customer, closest}, 12: {customer, usualLevel}, 14: {customerLevel, usualLevel}, 15: {predictedLevel, anonymous}, 17: {own}, 18: {customer, price},
	20: {hour, weekday, anonymous}, 21: {pence, anonymous, country}, 22: {product, pence, customerLevel}, 25: {lastOfPair, closest},
	26: {hour, pence, anonymous}, 29: {predictedLevel, pence}, 37: {predictedLevel, median, price},
}

// lists are the numbers of the contexts in a list.
var lists = map[string][]uint64{
	seven:    {1, 4, 8, 15, 17, 20, 21},
	ten:      {0, 1, 4, 5, 8, 14, 15, 17, 20, 21},
	nineteen: {0, 1, 3, 4, 5, 8, 9, 12, 14, 15, 17, 18, 20, 21, 22, 25, 26, 29, 37},
}

// Sets of weights: the trust in evidence depends on the customer's past.
const (
	unnamed     = iota // no customer is named
	newCustomer        // the first sale
	newPair            // the customer's first of this product
	knownPair
	sets
)

// Levels are running means of log₂ quantity, and the pair's last cell.
const (
	ofCustomer       = iota
	ofProduct        // at any price
	ofProductAtPrice // at a price to the penny
	ofExcess         // the customer's usual addition to the level of the product at the price
	kinds

	ofPair = kinds // product and customer: their last cell, not a mean
)

const (
	anyCustomer   = 999_999 // the customer of all anonymous sales
	windowLength  = 9       // earlier sales of a product that a forecast reads, as in the paper (Supp. E.4)
	levelContext  = 101     // keeps hashes of levels apart from hashes of contexts, whose numbers are below 100
	maxAveraged   = 50      // sales that a level averages at most
	shrunkBy      = 2       // sales at the product's level that its level at a price starts with, and at 0 of an excess
	unknownLevel  = 2.      // of a product without a sale: four pieces
	levelsPerUnit = 3       // levels as items are in thirds of an octave
)

// line is a sale. Product, customer and country are hashes of their names: there is no vocabulary.
type line struct {
	product, customer, country uint64
	anonymous                  bool // no customer is named; customer is ignored
	price                      float64
	minute                     int // since a midnight, a Wednesday's in Online Retail
	quantity                   int // no forecast of this sale may read it
}

const minutesPerDay = 24 * 60

// rule forecasts quantities by contexts. Its levels are hashed tables of a power of two of entries each, without check bits.
type rule struct {
	*counttree.Forecaster
	seed     uint64
	contexts []uint64
	means    [][kinds]float32
	counts   [][kinds]uint8 // sales that each mean averages
	last     []uint8        // 1 + the cell of the pair's last sale; 0 for none

	facts [numFacts]uint64 // of the sale being described
}

// newRule returns a rule that has seen no sale. shares are the pack sizes' expected shares, up to a factor.
func newRule(c Config, shares []float64) (*rule, error) {
	f, err := counttree.New(c.counts(), cells, shares)
	return &rule{Forecaster: f, seed: c.Seed, contexts: lists[c.Contexts],
		means: make([][kinds]float32, c.Levels), counts: make([][kinds]uint8, c.Levels), last: make([]uint8, c.Levels)}, err
}

// description is a sale as a rule reads it, by the levels of the moment.
type description struct {
	counttree.Row
	at [kinds + 1]int32 // the entries of its levels
}

// describe describes a sale. earlier holds earlier sales of its product, the latest one last.
func (r *rule) describe(d *description, s *line, earlier []line) {
	f := &r.facts
	*f = [numFacts]uint64{product: s.product, customer: s.customer, country: s.country, pence: uint64(int(math.RoundToEven(100 * s.price))),
		hour: uint64(s.minute / 60 % 24), weekday: uint64(s.minute / minutesPerDay % 7)}
	if len(earlier) > 0 {
		r.describePast(s, earlier[max(0, len(earlier)-windowLength):])
	}
	if s.anonymous {
		f[customer], f[anonymous] = anyCustomer, 1
	}
	for kind, of := range [kinds + 1][2]uint64{{f[customer]}, {f[product]}, {f[product], f[pence]}, {f[customer]}, {f[product], f[customer]}} {
		d.at[kind] = int32(counttree.Item(levelContext+uint64(kind), of[0], of[1], 0) & uint64(len(r.last)-1))
	}
	level, n := r.level(ofCustomer, d)
	if n > 0 {
		f[customerLevel] = uint64(int(levelsPerUnit*level) + 1)
	}
	usual := r.usual(d)
	excess, times := r.level(ofExcess, d)
	f[usualLevel] = uint64(int(levelsPerUnit*usual) + 1)
	f[predictedLevel] = uint64(int(5*max(usual+excess*times/(times+shrunkBy), -1)) + 8)
	last := r.last[d.at[ofPair]]
	switch {
	case s.anonymous:
		d.Set, last = unnamed, 0
	case n == 0:
		d.Set = newCustomer
	case last == 0:
		d.Set = newPair
	default:
		d.Set = knownPair
	}
	f[lastOfPair] = uint64(last)
	d.Items = d.Items[:0]
	for _, number := range r.contexts {
		var of [3]uint64
		for i, fact := range contexts[number] {
			of[i] = f[fact]
		}
		d.Items = append(d.Items, counttree.Item(100*r.seed+number, of[0], of[1], of[2]))
	}
}

// describePast fills in the facts of a sale's product that up to nine earlier sales tell, the latest one last.
func (r *rule) describePast(s *line, earlier []line) {
	f, m := &r.facts, len(earlier)
	var quantities [windowLength]int
	var prices [windowLength]float64
	distance := math.Inf(1)
	for j := range m {
		l := &earlier[m-1-j]
		quantities[j], prices[j] = l.quantity, l.price
		cell := uint64(cells.Of(l.quantity) + 1)
		if d := math.Abs(math.Log(size(l.price) / size(s.price))); d < distance-1e-9 {
			distance, f[closest] = d, cell
		}
		sameCustomer := l.anonymous == s.anonymous && (s.anonymous || l.customer == s.customer)
		if sameMinute := l.minute == s.minute; f[own] == 0 && sameCustomer && (sameMinute || !s.anonymous) {
			f[own] = 2 * cell
			if sameMinute {
				f[own]++
			}
		}
	}
	switch {
	case distance < 1e-6:
	case distance < 0.1:
		f[closeness] = 1
	default:
		f[closeness] = 2
	}
	slices.Sort(quantities[:m])
	slices.Sort(prices[:m])
	f[median] = uint64(cells.Of(quantities[m/2]) + 1)
	tenths := int(math.Floor(10*math.Log(size(s.price)/size(prices[m/2])) + 0.5))
	f[price] = uint64(4*min(max(tenths, -8), 8) + 100)
	if s.price >= prices[m-1]-1e-9 {
		f[price] += 2
	}
	if s.price <= prices[0]+1e-9 {
		f[price]++
	}
}

// size returns a price without the sign of a correction. A penny keeps free goods apart from nothing.
func size(price float64) float64 { return math.Abs(price) + 0.01 }

// level returns a mean and the number of sales that it averages.
func (r *rule) level(kind int, d *description) (mean, n float64) {
	return float64(r.means[d.at[kind]][kind]), float64(r.counts[d.at[kind]][kind])
}

// usual returns the level of a product at a price, shrunk to the product's.
func (r *rule) usual(d *description) float64 {
	product, n := r.level(ofProduct, d)
	if n == 0 {
		product = unknownLevel
	}
	here, n := r.level(ofProductAtPrice, d)
	return (n*here + shrunkBy*product) / (n + shrunkBy)
}

// count adds a described sale's quantity to the evidence and the levels.
func (r *rule) count(d *description, quantity int) {
	r.Count(d.Row, quantity)
	level := math.Log2(float64(quantity))
	excess := level - r.usual(d)
	for kind := range kinds {
		y, mean, n := level, &r.means[d.at[kind]][kind], &r.counts[d.at[kind]][kind]
		if kind == ofExcess {
			y = excess
		}
		*n = min(*n+1, maxAveraged)
		*mean = float32(float64(*mean) + (y-float64(*mean))/float64(*n))
	}
	r.last[d.at[ofPair]] = uint8(cells.Of(quantity) + 1)
}
