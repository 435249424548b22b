package lesson

import (
	"fmt"

	"gonum.org/v1/plot/vg"

	"gophe/figures/draw"
)

// Quantities draws the share of sales of each quantity from 1, in percent, and a distribution of counts.
func Quantities(shares []float64, name string, law func(quantity float64) float64) *draw.Figure {
	const half = 0.35 // of a bar's width
	var x, y, edges, zero, high []float64
	for i, share := range shares {
		at := float64(i + 1)
		x, y = append(x, at), append(y, 100*law(at))
		edges, zero = append(edges, at-half, at-half, at+half, at+half), append(zero, 0, 0, 0, 0)
		high = append(high, 0, share, share, 0)
	}
	return draw.New("Quantity", "Share of sales (%)").Size(15*vg.Centimeter, 5*vg.Centimeter).
		Band("", edges, zero, high, draw.Method("PHE")).Dots("Online Retail", x, shares, draw.Method("PHE"), draw.Thin()).
		Line(name, x, y, draw.Method("SlowAda")).
		Figure(fmt.Sprintf("Quantities above %d are left out.", len(shares)))
}
