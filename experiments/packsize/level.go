package packsize

import (
	"math"

	"gophe/phe/onepass/counttree"
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

// levelContext keeps hashes of levels apart from hashes of contexts, whose numbers are below 100.
const levelContext = 101

const (
	mostAveraged  = 50 // sales that a level averages at most
	shrunkBy      = 2  // sales at the product's level that its level at a price starts with, and at 0 of an excess
	unknownLevel  = 2. // of a product without a sale: four pieces
	levelsPerUnit = 3  // levels as items are in thirds of an octave
)

// levels are hashed tables of a power of two of entries each, without check bits.
type levels struct {
	mean [kinds][]float32
	n    [kinds][]uint8
	last []uint8 // 1 + the cell of the pair's last sale; 0 for none
}

// levelBytes is the memory of an entry of all tables.
const levelBytes = kinds*(4+1) + 1

func newLevels(n int) levels {
	l := levels{last: make([]uint8, n)}
	for kind := range kinds {
		l.mean[kind], l.n[kind] = make([]float32, n), make([]uint8, n)
	}
	return l
}

// places are the entries of a sale's levels.
type places [kinds + 1]int32

func (l *levels) places(f *facts) (at places) {
	for kind, of := range [kinds + 1][2]uint64{{f[customer]}, {f[product]}, {f[product], f[pence]}, {f[customer]}, {f[product], f[customer]}} {
		at[kind] = int32(counttree.Item(levelContext+uint64(kind), of[0], of[1], 0) & uint64(len(l.last)-1))
	}
	return at
}

// get returns a mean and the number of sales that it averages.
func (l *levels) get(kind int, at places) (mean, n float64) {
	return float64(l.mean[kind][at[kind]]), float64(l.n[kind][at[kind]])
}

// usual returns the level of a product at a price, shrunk to the product's.
func (l *levels) usual(at places) float64 {
	product, n := l.get(ofProduct, at)
	if n == 0 {
		product = unknownLevel
	}
	here, n := l.get(ofProductAtPrice, at)
	return (n*here + shrunkBy*product) / (n + shrunkBy)
}

// excess returns a customer's addition to the usual quantity, shrunk to 0.
func (l *levels) excess(at places) float64 {
	mean, n := l.get(ofExcess, at)
	return mean * n / (n + shrunkBy)
}

// count adds a sale's quantity.
func (l *levels) count(at places, quantity int) {
	level := math.Log2(float64(quantity))
	excess := level - l.usual(at)
	for kind := range kinds {
		y, mean, n := level, &l.mean[kind][at[kind]], &l.n[kind][at[kind]]
		if kind == ofExcess {
			y = excess
		}
		*n = min(*n+1, mostAveraged)
		*mean = float32(float64(*mean) + (y-float64(*mean))/float64(*n))
	}
	l.last[at[ofPair]] = uint8(Cells().Of(quantity) + 1)
}
