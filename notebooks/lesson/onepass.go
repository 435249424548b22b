package lesson

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/figures/draw"
	"gophe/notebooks/cell"
	"gophe/phe/onepass"
)

// pulls are the ways in which package onepass replaces a posterior by a Gaussian, in the order of their colours.
var pulls = []onepass.Approximation{onepass.MacKay, onepass.PlugIn}

// OneLogit shows one belief after one label. Its controls are μ, σ and label.
func OneLogit(at cell.Position) *draw.Figure {
	l := Logit{Mean: at.Number("μ"), Variance: at.Number("σ") * at.Number("σ")}
	label := map[string]float64{"0": 0, "1": 1}[at.Text("label")]
	_, exact := l.Exact(label)
	caption := fmt.Sprintf("Exact: mean %s, standard deviation %s.", draw.Number(exact.Mean), draw.Number(exact.Sigma()))
	for _, pull := range pulls {
		after := l.Learn(pull, label)
		caption += fmt.Sprintf(" %s: %s and %s.", pull, draw.Number(after.Mean), draw.Number(after.Sigma()))
	}
	return pulled(l, label).Size(13*vg.Centimeter, 6*vg.Centimeter).Figure(caption)
}

// pulled draws the densities of a belief and of its posteriors after a label.
func pulled(l Logit, label float64) *draw.Chart {
	density, to := l.Exact(label)
	low, high := min(l.Mean, to.Mean)-3*l.Sigma(), max(l.Mean, to.Mean)+3*l.Sigma()
	title := fmt.Sprintf("from N(%s, %s), after a label of %g", draw.Number(l.Mean), draw.Number(l.Variance), label)
	c := draw.New("Logit η", "Density").Title(title).
		Curve("before", l.Density, low, high, draw.Faint()).Curve("exact", density, low, high, draw.Method("P-EE"))
	for i, pull := range pulls {
		c.Curve(string(pull), l.Learn(pull, label).Density, low, high, draw.Colour(i), draw.Dashed())
	}
	return c.Y(0, 1.25*density(to.Mean))
}

// Order is the final accuracies of a method in several orders of the rows, less their mean: a list for each seed.
type Order struct {
	Name       string
	Deviations [][]float64
	Spread     float64 // standard deviation over the orders, the mean over seeds
}

// OrderOf reads the methods of a result that differ in order alone, by the beginning of their names. A method that learns all rows
// at once has no order.
func OrderOf(name string, f *result.File, prefix string) Order {
	o := Order{Name: name}
	for _, m := range f.Methods {
		if m.Frozen || !strings.HasPrefix(m.Name, prefix) || strings.HasSuffix(m.Name, " at once") {
			continue
		}
		for seed, run := range m.Runs {
			if seed == len(o.Deviations) {
				o.Deviations = append(o.Deviations, nil)
			}
			o.Deviations[seed] = append(o.Deviations[seed], run.Summary[measure.FinalAverage])
		}
	}
	for _, list := range o.Deviations {
		floats.AddConst(-stat.Mean(list, nil), list)
		o.Spread += stat.StdDev(list, nil) / float64(len(o.Deviations))
	}
	return o
}

// Orders shows a dot for each order and seed. Seeds lie below each other.
func Orders(orders ...Order) *draw.Figure {
	c := draw.New("Accuracy less the seed's mean over the orders (points)", "")
	var names []string
	for i, o := range orders {
		var x, y []float64
		for seed, list := range o.Deviations {
			for _, v := range list {
				x, y = append(x, v), append(y, -float64(i)-0.6*(float64(seed)+0.5)/float64(len(o.Deviations))+0.3)
			}
		}
		names = append(names, o.Name)
		c.Dots("", x, y, draw.Colour(i), draw.Thin())
	}
	return c.NamesY(names...).Size(16*vg.Centimeter, 6*vg.Centimeter).
		Figure("A dot is one order of one seed. The seeds of a method lie below each other.")
}
