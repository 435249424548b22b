package picture

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/figures"
	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/show"
	"gophe/notebooks/toy"
	"gophe/phe/onepass"
)

// pulls are the ways in which package onepass replaces a posterior by a Gaussian, in the order of their colours.
var pulls = []onepass.Approximation{onepass.MacKay, onepass.PlugIn}

// OneLogit shows one belief after one label. Its controls are μ, σ and label.
func OneLogit(at play.Position) *draw.Figure {
	l := toy.Logit{Mean: at.Number("μ"), Variance: at.Number("σ") * at.Number("σ")}
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
func pulled(l toy.Logit, label float64) *draw.Chart {
	density, to := l.Exact(label)
	low, high := min(l.Mean, to.Mean)-3*l.Sigma(), max(l.Mean, to.Mean)+3*l.Sigma()
	c := draw.New("Logit η", "Density").Title(fmt.Sprintf("from N(%s, %s), after a label of %g", draw.Number(l.Mean), draw.Number(l.Variance), label)).
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
	return c.NamesY(names...).Size(16*vg.Centimeter, 6*vg.Centimeter).Figure("A dot is one order of one seed. The seeds of a method lie below each other.")
}

// Knobs returns the picture of the accuracy along a stream of two classes under the reader's σ, η and γ, which are the controls. Next to it
// are the default setting and the rule that forecasts each item's majority. Knobs also returns a function for the accuracy in percent.
func Knobs(s toy.Hashed, c onepass.Config, rule []float64) (
	picture func(at play.Position) *draw.Figure, score func(sigma, eta, gamma float64) float64) {
	usual := withKnobs(s, c, 1, 1, 1)
	percent := func(accuracy []float64) float64 { return 100 * stat.Mean(accuracy, nil) }
	picture = func(at play.Position) *draw.Figure {
		own := withKnobs(s, c, at.Number("σ"), at.Number("η"), at.Number("γ"))
		chart := draw.New("Chunk", "Accuracy (%)").Size(15*vg.Centimeter, 7*vg.Centimeter).
			Line("each item's majority", nil, smoothPercent(rule), draw.Faint()).
			Line("yours", nil, smoothPercent(own), draw.Method("One pass")).
			Line("default", nil, smoothPercent(usual), draw.Method("P-EE"), draw.Dashed(), draw.Thin())
		for _, change := range s.Changes {
			chart.At(float64(change.Step), "swap")
		}
		return chart.Figure(fmt.Sprintf("Right along the stream: yours %s %%, default %s %%, each item's majority so far %s %%.",
			draw.Number(percent(own)), draw.Number(percent(usual)), draw.Number(percent(rule))))
	}
	return picture, func(sigma, eta, gamma float64) float64 { return percent(withKnobs(s, c, sigma, eta, gamma)) }
}

// withKnobs takes a new learner with the three numbers along the stream. It returns the share of each step's rows that it forecast right
// before it learned them.
func withKnobs(s toy.Hashed, c onepass.Config, sigma, eta, gamma float64) (accuracy []float64) {
	c.Prior.E, c.Prior.W, c.Prior.Theta = sigma*sigma, sigma*sigma, sigma*sigma
	c.Tempering, c.Gamma = eta, gamma
	learner := show.Must(onepass.New(c))
	s.Learn(learner, s.Initial)
	for _, step := range s.Steps {
		accuracy = append(accuracy, s.Right(learner, step))
		s.Learn(learner, step)
	}
	return accuracy
}

// smoothPercent returns accuracies in percent, smoothed over 2.5 steps.
func smoothPercent(accuracy []float64) []float64 {
	out := figures.GaussianFilter(accuracy, 2.5)
	floats.Scale(100, out)
	return out
}
