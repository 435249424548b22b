package lesson

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/vg"

	"gophe/figures/draw"
)

// Growth draws the number of different items of several columns against the rows read, and tables of fixed sizes as dashed lines. Both
// axes are logarithmic.
func Growth(names []string, rows, items [][]float64, fixed map[string]float64) *draw.Figure {
	c, most := draw.New("Rows read", "Items").LogX().LogY(), 1.0
	for i, name := range names {
		c.Line(name, rows[i], items[i], draw.Colour(i))
		most = max(most, rows[i][len(rows[i])-1])
	}
	for _, name := range slices.Sorted(maps.Keys(fixed)) {
		c.Level(name, fixed[name], 1, most, draw.Faint(), draw.Dashed())
	}
	return c.Figure("Solid: rows of a table with a row for each item. Dashed: rows of the paper's hash tables.")
}

// Occupancy draws the number of items in each row of a table, and the mean that a hash function aims at.
func Occupancy(counts []float64) *draw.Figure {
	mean := floats.Sum(counts) / float64(len(counts))
	return draw.New("Row of E", "Items").Dots("items", nil, counts, draw.Method("PHE")).
		Level("items / B", mean, -0.5, float64(len(counts))-0.5, draw.Faint(), draw.Dashed()).
		Size(15*vg.Centimeter, 5*vg.Centimeter).Figure("")
}

func mapped(x []float64, f func(float64) float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = f(v)
	}
	return y
}

// Pairs returns the number of pairs among n things for which same returns equal texts.
func Pairs(n int, same func(i int) string) float64 {
	count, pairs := map[string]float64{}, 0.0
	for i := range n {
		key := same(i)
		pairs += count[key]
		count[key]++
	}
	return pairs
}
