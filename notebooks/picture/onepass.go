package picture

import (
	"fmt"
	"math"
	"strings"

	"github.com/go-gota/gota/dataframe"
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

// Pulls shows beliefs about one logit after a row of class 1: the exact posterior, and the Gaussian of each pull.
func Pulls(starts ...toy.Logit) *figures.Figure {
	var charts []*draw.Chart
	for _, l := range starts {
		charts = append(charts, pulled(l, 1).Size(8.5*vg.Centimeter, 6.5*vg.Centimeter))
	}
	return draw.Row("The belief about one logit before and after a row with the label 1.", charts...)
}

// OneLogit shows one belief after one label. Its controls are μ, σ and label.
func OneLogit(at play.Position) *figures.Figure {
	l := toy.Logit{Mean: at.Number("μ"), Variance: at.Number("σ") * at.Number("σ")}
	label := map[string]float64{"0": 0, "1": 1}[at.Text("label")]
	_, exact := l.Exact(label)
	caption := fmt.Sprintf("Exact: mean %s, standard deviation %s.", figures.Number(exact.Mean), figures.Number(exact.Sigma()))
	for _, pull := range pulls {
		after := l.Learn(pull, label)
		caption += fmt.Sprintf(" %s: %s and %s.", pull, figures.Number(after.Mean), figures.Number(after.Sigma()))
	}
	return pulled(l, label).Size(13*vg.Centimeter, 6*vg.Centimeter).Figure(caption)
}

// pulled draws the densities of a belief and of its posteriors after a label.
func pulled(l toy.Logit, label float64) *draw.Chart {
	density, to := l.Exact(label)
	low, high := min(l.Mean, to.Mean)-3*l.Sigma(), max(l.Mean, to.Mean)+3*l.Sigma()
	c := draw.New("Logit η", "Density").Title(fmt.Sprintf("from N(%s, %s), after a label of %g", figures.Number(l.Mean), figures.Number(l.Variance), label)).
		Curve("before", l.Density, low, high, draw.Faint()).Curve("exact", density, low, high, draw.Method("P-EE"))
	for i, pull := range pulls {
		c.Curve(string(pull), l.Learn(pull, label).Density, low, high, draw.Colour(i), draw.Dashed())
	}
	return c.Y(0, 1.25*density(to.Mean))
}

// Beliefs shows the intervals of ±1 standard deviation of named Gaussians before and after a row.
func Beliefs(names []string, mean, variance, meanAfter, varianceAfter []float64) *figures.Figure {
	c := draw.New("Mean ± standard deviation", "").NamesY(names...).Size(15*vg.Centimeter, 5.5*vg.Centimeter)
	intervals(c, "before the row", mean, mapped(variance, math.Sqrt), 0.12, draw.Faint())
	intervals(c, "after it", meanAfter, mapped(varianceAfter, math.Sqrt), -0.12, draw.Method("One pass"))
	return c.Figure("The beliefs of two items that share bucket 1, before and after a row of item 0 with the label 1.")
}

// intervals adds a line of items below each other: a dot for the middle of each, and a bar that reaches equally far to both sides. The
// first item is at the height 0 and above, the next one lower by 1.
func intervals(c *draw.Chart, name string, middle, reach []float64, above float64, colour draw.Option) {
	low, high, y := make([]float64, len(middle)), make([]float64, len(middle)), make([]float64, len(middle))
	floats.SubTo(low, middle, reach)
	floats.AddTo(high, middle, reach)
	for i := range y {
		y[i] = above - float64(i)
	}
	c.Intervals(name, low, middle, high, y, colour)
}

// Along shows methods' accuracies along a stream: the mean over seeds, and ±1 standard deviation if there are several. Dotted lines
// show where something new begins. The scale begins at low percent.
func Along(low float64, changes []result.Change, methods ...*result.Method) *figures.Figure {
	c := draw.New("Chunk", "Accuracy (%)").Size(16*vg.Centimeter, 7*vg.Centimeter).Y(low, 100)
	for _, m := range methods {
		runs := make([][]float64, len(m.Runs))
		for i, run := range m.Runs {
			runs[i] = show.Must(figures.GaussianFilter(run.Accuracy, alongSmoothing))
		}
		mean, below, above := overRuns(runs)
		options := []draw.Option{draw.Method(m.Name)}
		switch {
		case len(runs) == 1: // a reader's own run
			options = []draw.Option{draw.Method("P-EE"), draw.Dashed(), draw.Thin()}
		case m.Frozen:
			options = append(options, draw.Dashed())
		}
		if len(runs) > 1 {
			c.Band("", nil, below, above, options...)
		}
		c.Line(m.Label(), nil, mean, options...)
	}
	var news []string
	for _, change := range changes {
		if change.Step > 0 {
			c.At(float64(change.Step), "new")
		}
		news = append(news, fmt.Sprintf("from chunk %d on, %s", change.Step, change.What))
	}
	return c.Figure("Means over seeds, smoothed over 2.5 chunks. Bands: ±1 standard deviation between seeds. New: " + strings.Join(news, "; ") + ".")
}

// alongSmoothing is the standard deviation of the smoothing in chunks.
const alongSmoothing = 2.5

// overRuns returns the mean of runs at each step in percent, and one standard deviation below and above it.
func overRuns(runs [][]float64) (mean, below, above []float64) {
	for step := range runs[0] {
		var at []float64
		for _, run := range runs {
			at = append(at, 100*run[step])
		}
		m, sd := stat.Mean(at, nil), 0.0
		if len(at) > 1 {
			sd = stat.StdDev(at, nil)
		}
		mean, below, above = append(mean, m), append(below, max(m-sd, 0)), append(above, min(m+sd, 100))
	}
	return mean, below, above
}

// Accuracies lists methods' accuracies: the mean over steps and seeds, and its standard deviation over seeds.
func Accuracies(methods ...*result.Method) dataframe.DataFrame {
	table := show.NewRows("method", "accuracy (%)", "standard deviation over seeds", "seeds")
	for _, m := range methods {
		var seeds []float64
		for _, run := range m.Runs {
			seeds = append(seeds, 100*stat.Mean(run.Accuracy, nil))
		}
		table.Add(m.Label(), stat.Mean(seeds, nil), stat.StdDev(seeds, nil), len(seeds))
	}
	return table.Frame()
}

// LargestLogits shows the largest absolute logit so far along a stream, by pull.
func LargestLogits(pulls []onepass.Approximation, largest [][]float64) *figures.Figure {
	c := draw.New("Rows learned", "Largest |logit| so far").LogY().Y(0.1, 1e6).Size(15*vg.Centimeter, 5.5*vg.Centimeter)
	for i, pull := range pulls {
		c.Line(string(pull), nil, largest[i], draw.Colour(i))
	}
	return c.Figure("The largest logit so far along Adult's first rows, from nothing. A line that leaves the picture goes on beyond it.")
}

// Turns shows the forecasts of toy.Turned, for some numbers of rows before the change and some γ. Forgetting is dashed.
func Turns(rowsBefore []int, gammas ...float64) *figures.Figure {
	c := draw.New("Rows since the item changed its meaning", "Forecast of class 1").Y(0, 1).Size(15*vg.Centimeter, 6*vg.Centimeter)
	for _, gamma := range gammas {
		for i, rows := range rowsBefore {
			name, options := fmt.Sprintf("after %d rows", rows), []draw.Option{draw.Colour(i)}
			if gamma < 1 {
				name, options = fmt.Sprintf("with γ = %g", gamma), append(options, draw.Dashed())
			}
			c.Line(name, nil, toy.Turned(rows, gamma), options...)
		}
	}
	return c.Figure("An item that was of class 1 in nine of ten rows, and is in one of ten from now on.")
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
func Orders(orders ...Order) *figures.Figure {
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
	return c.NamesY(names...).Size(16*vg.Centimeter, 6*vg.Centimeter).Figure("A dot is one order of one seed. The five seeds of a method lie below each other.")
}
