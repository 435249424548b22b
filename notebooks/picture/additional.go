package picture

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/measure"
	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/figures"
	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/show"
)

// Methods returns the methods of a spec as a table: how each stores items and beliefs, and how it learns a step.
func Methods(s spec.Spec) dataframe.DataFrame {
	table := show.NewRows("method", "rows", "estimate", "epochs a step", "learning rate")
	for _, m := range s.Methods {
		rate := cmp.Or(m.UpdateLearningRate, s.Model.LearningRate)
		table.Add(m.Name, string(m.Rows), string(m.Estimate), m.UpdateEpochs, rate)
	}
	return table.Frame()
}

// Measured returns the methods of a result by one metric: mean and standard deviation over seeds.
func Measured(f *result.File, metric string) dataframe.DataFrame {
	table := show.NewRows("method", metric, "± "+metric)
	for _, c := range report.Summary(f) {
		if c.Metric == metric {
			table.Add(c.Method, show.Value(c.Measured), show.Value(c.MeasuredSD))
		}
	}
	return table.Frame()
}

// ablation draws the error against the number that each method's name has behind "=", such as B=7. Whiskers are ±1 standard
// deviation over seeds. Cells without a number, such as frozen models, are left out. The paper's points are drawn dodge to the right.
func ablation(label string, dodge float64, cells []report.Cell) *draw.Chart {
	c := draw.New(label, "Error (units)").Size(8.5*vg.Centimeter, 6*vg.Centimeter)
	for i, name := range []string{"measured", "paper"} {
		color := draw.Method([]string{"PHE", "SlowAda"}[i])
		var x, y []float64
		for _, cell := range cells {
			_, text, _ := strings.Cut(cell.Method, "=")
			at, err := strconv.ParseFloat(text, 64)
			value, sd := cell.Measured, cell.MeasuredSD
			if name == "paper" {
				value, sd = cell.Paper, cell.PaperSD
				at += dodge
			}
			if err != nil || value == nil || sd == nil {
				continue
			}
			x, y = append(x, at), append(y, *value)
			c.Line("", []float64{at, at}, []float64{*value - *sd, *value + *sd}, color, draw.Thin())
		}
		c.Line(name, x, y, color).Dots(name, x, y, color)
	}
	return c
}

// Ablations draws the paper's ablations of B and K and ours, from Supp. G.5.
func Ablations(buckets, hashes []report.Cell) *figures.Figure {
	return draw.Row("Retail, group after group. Whiskers are ±1 standard deviation over five seeds.",
		ablation("Buckets B (K = 2)", 1, buckets), ablation("Hash functions K (B = 109)", 0.06, hashes))
}

// frontier holds each method's accuracy against its number of parameters, for several data sets.
type frontier map[string][]frontierPoint

// frontierPoint is one size of a method.
type frontierPoint struct {
	Base, Name   string // such as PHE and PHE B=7
	Parameters   float64
	Accuracy, SD float64 // in %, over the seeds that did not diverge
}

// Frontier returns the picture of the accuracy that each method reaches with a number of parameters. It takes the online methods of
// results that have several sizes of each. The controls are "data set" and "log₂ of the parameters". Left are all sizes, the chosen ones
// as large dots. Right are the chosen ones with their number of parameters.
func Frontier(files ...*result.File) func(at play.Position) *figures.Figure {
	f := frontier{}
	for _, file := range files {
		for _, r := range measure.Rows(file) {
			e := r.Over(measure.Accuracy)
			if r.Frozen || !strings.Contains(r.Name, "=") || e.SD == nil {
				continue
			}
			f[r.Dataset] = append(f[r.Dataset], frontierPoint{r.Base(), r.Name, float64(r.Parameters), *e.Mean, *e.SD})
		}
		slices.SortStableFunc(f[file.Manifest.Dataset], func(a, b frontierPoint) int { return cmp.Compare(a.Parameters, b.Parameters) })
	}
	return f.draw
}

// fitting returns the largest size of each method with at most the given number of parameters, the most accurate first.
func (f frontier) fitting(dataset string, most float64) []frontierPoint {
	fits := map[string]frontierPoint{}
	for _, p := range f[dataset] {
		if p.Parameters <= most {
			fits[p.Base] = p
		}
	}
	return slices.SortedFunc(maps.Values(fits), func(a, b frontierPoint) int {
		return cmp.Or(cmp.Compare(b.Accuracy, a.Accuracy), cmp.Compare(a.Name, b.Name))
	})
}

func (f frontier) draw(at play.Position) *figures.Figure {
	dataset, most := at.Text("data set"), math.Round(math.Exp2(at.Number("log₂ of the parameters")))
	low, high := f.room(dataset)
	all := draw.New("Parameters of the embedding module", "Accuracy (%)").LogX().X(70, 7000).Y(low, high).At(most, figures.Number(most))
	for _, base := range []string{"PHE", "P-EE", "SlowAda", "FastAda"} {
		var x, y []float64
		for _, p := range f[dataset] {
			if p.Base == base {
				x, y = append(x, p.Parameters), append(y, p.Accuracy)
			}
		}
		all.Line(base, x, y, draw.Method(base), draw.Thin()).Dots("", x, y, draw.Method(base), draw.Thin())
	}
	best := f.fitting(dataset, most)
	names := make([]string, len(best))
	chosen := draw.New("Accuracy (%), ± 1 SD", "").X(low, high)
	for i, p := range best {
		all.Dots(p.Base, []float64{p.Parameters}, []float64{p.Accuracy}, draw.Method(p.Base))
		chosen.Intervals("", []float64{p.Accuracy - p.SD}, []float64{p.Accuracy}, []float64{p.Accuracy + p.SD}, []float64{-float64(i)}, draw.Method(p.Base))
		names[i] = fmt.Sprintf("%s, %s", p.Name, figures.Number(p.Parameters))
		if p.Accuracy < low {
			names[i] += fmt.Sprintf(" (← %.1f)", p.Accuracy)
		}
	}
	chosen.NamesY(names...)
	return draw.Row(f.caption(dataset, most, best), all.Size(9*vg.Centimeter, 6*vg.Centimeter), chosen.Size(8*vg.Centimeter, 6*vg.Centimeter))
}

// room returns the ends of the axis of accuracy. Sizes that are far below the best would squeeze the others.
func (f frontier) room(dataset string) (low, high float64) {
	const most = 6 // points
	low, high = math.Inf(1), math.Inf(-1)
	for _, p := range f[dataset] {
		low, high = min(low, p.Accuracy), max(high, p.Accuracy)
	}
	low = max(low, high-most)
	return low - 0.05*(high-low), high + 0.05*(high-low)
}

func (f frontier) caption(dataset string, most float64, best []frontierPoint) string {
	says := make([]string, len(best))
	for i, p := range best {
		says[i] = fmt.Sprintf("%s %.2f ± %.2f %%", p.Name, p.Accuracy, p.SD)
	}
	if len(says) == 0 {
		says = []string{"no method is so small"}
	}
	return fmt.Sprintf("%s with at most %s parameters: %s.", dataset, figures.Number(most), strings.Join(says, "; "))
}
