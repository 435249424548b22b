package show

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/plot/vg"

	"gophe/figures"
	"gophe/notebooks/chart"
	"gophe/notebooks/play"
)

// Quantities draws the share of sales of each quantity from 1, in percent, and a law of counts beside it.
func Quantities(shares []float64, name string, law func(quantity float64) float64) *figures.Figure {
	x, y := make([]float64, len(shares)), make([]float64, len(shares))
	c := chart.New("Quantity", "Share of sales (%)").Size(15*vg.Centimeter, 5*vg.Centimeter)
	for i, share := range shares {
		x[i], y[i] = float64(i+1), 100*law(float64(i+1))
		c.Line("", []float64{x[i], x[i]}, []float64{0, share}, chart.Method("PHE"))
	}
	return c.Dots("Online Retail", x, shares, chart.Method("PHE")).Line(name, x, y, chart.Method("SlowAda")).
		Figure(fmt.Sprintf("Quantities above %d are left out.", len(shares)))
}

// Controls of Fans.Draw.
const (
	FanDay        = "day"
	FanProduct    = "product"
	FanForecaster = "forecast"
)

// Draw shows the forecasts of one product's sales up to a day. Left is a fan for each sale: its median, and the ranges that should
// hold half of the sales and nine in ten. Right is the law of the last of these sales beside the product's histogram.
func (f *Fans) Draw(at play.Position) *figures.Figure {
	product, name, day := at.Text(FanProduct), at.Text(FanForecaster), at.Count(FanDay)-1
	sold := slices.DeleteFunc(slices.Clone(f.Sales[product]), func(s FanSale) bool { return s.Day > day })
	if len(sold) == 0 {
		return chart.New("Sale", "Quantity").Figure(fmt.Sprintf("Nobody buys %s before %s is over.", product, f.Days[day]))
	}
	var x, quantities, nine []float64
	levels, inside := make([][]float64, len(fanLevels)), 0
	for i, s := range sold {
		x, quantities = append(x, float64(i+1)), append(quantities, s.Quantity)
		nine = append(nine, s.Laws["Median of nine"].level(2))
		for k := range levels {
			levels[k] = append(levels[k], s.Laws[name].level(k))
		}
		if levels[0][i] <= s.Quantity && s.Quantity <= levels[4][i] {
			inside++
		}
	}
	fan := chart.New("Sale of the product since the first day", "Quantity").LogY().X(0, 1.15*x[len(x)-1]).Size(11*vg.Centimeter, 7*vg.Centimeter).
		Band("nine in ten", x, levels[0], levels[4], chart.Method("PHE")).Band("half", x, levels[1], levels[3], chart.Method("PHE")).
		Line("median", x, levels[2], chart.Method("PHE")).Line("median of nine", x, nine, chart.Faint(), chart.Thin()).
		Dots("sold", x, quantities, chart.Colour(1))
	if first := slices.IndexFunc(sold, func(s FanSale) bool { return s.Day == day }); first >= 0 {
		fan.At(x[first], f.Days[day])
	}
	last := sold[len(sold)-1]
	return chart.Row(fmt.Sprintf("%s, %s, until %s: %d of %d sales lie in the range of nine in ten. Right is the forecast of the last of them, of %s.",
		product, name, f.Days[day], inside, len(sold), figures.Number(last.Quantity)), fan, law(last, name))
}

// level returns a quantile, or NaN if the forecaster has no law.
func (l FanLaw) level(i int) float64 {
	if l.Quantiles == nil {
		return math.NaN()
	}
	return l.Quantiles[i]
}

// law draws a sale's law beside the histogram of its product.
func law(s FanSale, name string) *chart.Chart {
	packs := make([]string, len(fanPacks))
	for i, first := range fanPacks {
		packs[i] = fmt.Sprint(first)
	}
	c := chart.New("Quantity, from … to below the next", "Probability").NamesX(packs...).Size(6.5*vg.Centimeter, 7*vg.Centimeter)
	for _, of := range []struct {
		name string
		look []chart.Option
	}{{"Product histogram", []chart.Option{chart.Faint()}}, {name, []chart.Option{chart.Method("PHE")}}} {
		if shares := s.Laws[of.name].Shares; shares != nil {
			c.Line(of.name, nil, shares, of.look...).Dots(of.name, nil, shares, of.look...)
		}
	}
	at := sort.SearchInts(fanPacks, int(s.Quantity)+1) - 1
	return c.At(float64(at), "sold")
}
