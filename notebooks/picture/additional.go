package picture

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/figures/draw"
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
func Ablations(buckets, hashes []report.Cell) *draw.Figure {
	return draw.Row("Retail, group after group. Whiskers are ±1 standard deviation over five seeds.",
		ablation("Buckets B (K = 2)", 1, buckets), ablation("Hash functions K (B = 109)", 0.06, hashes))
}
