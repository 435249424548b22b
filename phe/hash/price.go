package hash

import (
	"cmp"
	"slices"
)

// Price is the price of a draw for any model that sees one column of items alone. It is counted from the items' classes, and nothing
// is trained. A model that sees further columns or numbers may tell merged items apart by these.
type Price struct {
	Column int
	Weight float64 // of all items, such as the number of rows
	Apart  Ceiling // where each item has rows of its own
	Drawn  Ceiling // by this draw
	// Merged are the groups of several items that collide fully. The first one costs most.
	Merged [][]Item
}

// Ceiling is the best that a model can do.
type Ceiling struct {
	Right         float64 // weight of the rows whose class it forecasts
	LogLikelihood float64 // of all rows, in nats
}

// Prices returns the price of each column, in the order of the columns' first items. Each item needs classes.
func (f Family) Prices(items []Item) (prices []Price) {
	at := map[int]int{}
	for _, group := range f.Merged(items) {
		column := group[0].Column
		if _, found := at[column]; !found {
			at[column], prices = len(prices), append(prices, Price{Column: column})
		}
		p := &prices[at[column]]
		for _, item := range group {
			p.Weight += item.Weight
			p.Apart.add(item.Classes)
		}
		p.Drawn.add(pooled(group))
		if len(group) > 1 {
			p.Merged = append(p.Merged, group)
		}
	}
	for _, p := range prices {
		slices.SortStableFunc(p.Merged, func(a, b []Item) int { return cmp.Compare(merging(b...), merging(a...)) })
	}
	return prices
}

// add adds items that no model tells apart: it forecasts their commonest class, and at best the shares of the classes.
func (c *Ceiling) add(classes []float64) {
	most := 0.
	for _, weight := range classes {
		most = max(most, weight)
	}
	c.Right += most
	c.LogLikelihood -= entropy(classes)
}

// pooled returns the classes of all items together.
func pooled(items []Item) (classes []float64) {
	for _, item := range items {
		classes = append(classes, make([]float64, max(0, len(item.Classes)-len(classes)))...)
		for class, weight := range item.Classes {
			classes[class] += weight
		}
	}
	return classes
}
