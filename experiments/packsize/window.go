package packsize

import (
	"math"
	"slices"
)

// window holds the evidence of a product's earlier sales about the next one. Cells are counted from 1; 0 is none.
type window struct {
	closest   int // cell of the latest sale at the closest price
	closeness int // how close that price is: 0 the same, 1 within a tenth, 2 farther
	own       int // twice the cell of the customer's latest sale here, plus 1 if it was in this minute
	median    int // cell
	price     int // the price against the window's median, in tenths of an e-fold, and whether it is the highest or the lowest
}

// look reads up to nine earlier sales of the product, the latest one last. Without any, all is 0.
func look(s *Sale, earlier []Line) (w window) {
	cells := Cells()
	m := min(len(earlier), windowLength)
	if m == 0 {
		return w
	}
	var quantities [windowLength]int
	var prices [windowLength]float64
	closest := math.Inf(1)
	for j := range m {
		line := &earlier[len(earlier)-1-j]
		quantities[j], prices[j] = line.Quantity, line.Price
		cell := cells.Of(line.Quantity) + 1
		if d := math.Abs(math.Log(size(line.Price) / size(s.Price))); d < closest-1e-9 {
			closest, w.closest = d, cell
		}
		sameCustomer := line.Anonymous == s.Anonymous && (s.Anonymous || line.Customer == s.Customer)
		if sameMinute := line.Minute == s.Minute; w.own == 0 && sameCustomer && (sameMinute || !s.Anonymous) {
			w.own = 2 * cell
			if sameMinute {
				w.own++
			}
		}
	}
	switch {
	case closest < 1e-6:
	case closest < 0.1:
		w.closeness = 1
	default:
		w.closeness = 2
	}
	slices.Sort(quantities[:m])
	slices.Sort(prices[:m])
	w.median = cells.Of(quantities[m/2]) + 1
	tenths := int(math.Floor(10*math.Log(size(s.Price)/size(prices[m/2])) + 0.5))
	w.price = 4*min(max(tenths, -8), 8) + 100
	if s.Price >= prices[m-1]-1e-9 {
		w.price += 2
	}
	if s.Price <= prices[0]+1e-9 {
		w.price++
	}
	return w
}

// size of a price, without the sign of a correction. A penny keeps free goods apart from nothing.
func size(price float64) float64 { return math.Abs(price) + 0.01 }
