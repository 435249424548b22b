package picture

import (
	"fmt"
	"slices"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/spec"
	"gophe/figures/draw"
	"gophe/notebooks/play"
)

// FilterChoices returns the choices in which specs of the deep Kalman filter differ, with a column for each spec.
func FilterChoices(specs ...spec.Spec) dataframe.DataFrame {
	which := []string{"prediction", "likelihood", "objective", "inputs", "transition", "learns online", "buckets"}
	columns := []series.Series{series.New(which, series.String, "choice")}
	for _, s := range specs {
		f := s.Filter
		columns = append(columns, series.New([]string{string(f.Prediction), string(f.Likelihood), string(f.Objective), string(f.Inputs),
			string(f.Transition), string(s.Model.Scope), fmt.Sprint(s.Model.Encoder.NumBuckets)}, series.String, s.Name))
	}
	return dataframe.New(columns...)
}

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

// Draw shows the forecasts of one product's sales up to a day. The controls are "day", "product" and "forecast". Each sale has a
// fan: its median, and the ranges that should hold half of the sales and nine in ten.
func (f *Fans) Draw(at play.Position) *draw.Figure {
	product, name, day := at.Text("product"), at.Text("forecast"), at.Count("day")-1
	sold := slices.DeleteFunc(slices.Clone(f.Sales[product]), func(s fanSale) bool { return s.Day > day })
	if len(sold) == 0 {
		return draw.New("Sale", "Quantity").Figure(fmt.Sprintf("Nobody buys %s before %s is over.", product, f.Days[day]))
	}
	var x, quantities, nine []float64
	levels, inside := make([][]float64, len(fanLevels)), 0
	for i, s := range sold {
		x, quantities = append(x, float64(i+1)), append(quantities, s.Quantity)
		nine = append(nine, s.Forecasts["Median of nine"][2])
		for k := range levels {
			levels[k] = append(levels[k], s.Forecasts[name][k])
		}
		if levels[0][i] <= s.Quantity && s.Quantity <= levels[4][i] {
			inside++
		}
	}
	fan := draw.New("Sale of the product since the first day", "Quantity").LogY().X(0, 1.15*x[len(x)-1]).Size(15*vg.Centimeter, 7*vg.Centimeter).
		Band("nine in ten, light", x, levels[0], levels[4], draw.Method("PHE")).Band("half, dark", x, levels[1], levels[3], draw.Method("PHE")).
		Line("median", x, levels[2], draw.Method("PHE")).Line("median of nine", x, nine, draw.Faint(), draw.Thin()).
		Dots("sold", x, quantities, draw.Colour(1))
	if first := slices.IndexFunc(sold, func(s fanSale) bool { return s.Day == day }); first >= 0 {
		fan.At(x[first], f.Days[day])
	}
	return fan.Figure(fmt.Sprintf("%s, %s, until %s: %d of %d sales lie in the range of nine in ten.",
		product, name, f.Days[day], inside, len(sold)))
}
