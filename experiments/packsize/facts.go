package packsize

import (
	"math"
	"slices"
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

type facts [numFacts]uint64

// contexts are numbered as in the study that chose them. The number keeps a context's items apart from other contexts' items.
var contexts = map[uint64][]int{
	0: {product}, 1: {customer}, 3: {product, customer}, 4: {product, pence}, 5: {customer, pence}, 8: {closest, closeness},
	9: {customer, closest}, 12: {customer, usualLevel}, 14: {customerLevel, usualLevel}, 15: {predictedLevel, anonymous}, 17: {own}, 18: {customer, price},
	20: {hour, weekday, anonymous}, 21: {pence, anonymous, country}, 22: {product, pence, customerLevel}, 25: {lastOfPair, closest},
	26: {hour, pence, anonymous}, 29: {predictedLevel, pence}, 37: {predictedLevel, median, price},
}

// lists are the numbers of the contexts in a list.
var lists = map[Contexts][]uint64{
	Seven:    {1, 4, 8, 15, 17, 20, 21},
	Ten:      {0, 1, 4, 5, 8, 14, 15, 17, 20, 21},
	Nineteen: {0, 1, 3, 4, 5, 8, 9, 12, 14, 15, 17, 18, 20, 21, 22, 25, 26, 29, 37},
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

// describe fills in a sale's facts, and returns where its levels are, and its set of weights.
func (l *levels) describe(f *facts, s *line, earlier []line) (at places, set int) {
	whole := int(math.RoundToEven(100 * s.price))
	*f = facts{product: s.product, customer: s.customer, country: s.country, pence: uint64(whole),
		hour: uint64(s.minute / 60 % 24), weekday: uint64(s.minute / minutesPerDay % 7)}
	look(f, s, earlier)
	if s.anonymous {
		f[customer], f[anonymous] = anybody, 1
	}
	at = l.places(f)
	level, n := l.get(ofCustomer, at)
	if n > 0 {
		f[customerLevel] = uint64(int(levelsPerUnit*level) + 1)
	}
	usual := l.usual(at)
	f[usualLevel] = uint64(int(levelsPerUnit*usual) + 1)
	f[predictedLevel] = uint64(int(5*max(usual+l.excess(at), -1)) + 8)
	switch {
	case s.anonymous:
		return at, nobody
	case n == 0:
		set = newCustomer
	case l.last[at[ofPair]] == 0:
		set = newPair
	default:
		set = knownPair
	}
	f[lastOfPair] = uint64(l.last[at[ofPair]])
	return at, set
}

// windowLength is the number of a product's earlier sales that a forecast reads, as in the paper (Supp. E.4).
const windowLength = 9

// look reads up to nine earlier sales of the product, the latest one last. Without any, all these facts are 0.
func look(f *facts, s *line, earlier []line) {
	cells, m := Cells(), min(len(earlier), windowLength)
	if m == 0 {
		return
	}
	var quantities [windowLength]int
	var prices [windowLength]float64
	distance := math.Inf(1)
	for j := range m {
		l := &earlier[len(earlier)-1-j]
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

// size of a price, without the sign of a correction. A penny keeps free goods apart from nothing.
func size(price float64) float64 { return math.Abs(price) + 0.01 }
