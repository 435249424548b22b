package figures

import (
	"fmt"

	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/figures/draw"
)

// method is a method of a result file, with its label and style.
type method struct {
	*result.Method
	source *source
	label  string
	style  draw.Style
	metric metric // shown by the figure
}

func newMethod(s *source, of *result.Method, styles *draw.Palette) method {
	m := method{of, s, suffixed(of.Name, of.Frozen), styles.Style(of.Name, of.Frozen), leading(of)}
	if m.isRule() {
		m.style.Width = vg.Points(0.7)
	}
	return m
}

// isRule reports whether the method predicts without a model, and so without parameters.
func (m *method) isRule() bool { return m.metric.isError() && m.Parameters == 0 }

// ended returns the runs that ended with a status.
func (m *method) ended(status string) (runs []*result.Run) {
	for i := range m.Runs {
		if m.Runs[i].Status == status {
			runs = append(runs, &m.Runs[i])
		}
	}
	return runs
}

// overSeeds returns the estimate of a number of each run that did not diverge.
func (m *method) overSeeds(number func(run *result.Run) float64) draw.Estimate {
	var values []float64
	for _, run := range m.ended(result.Complete) {
		values = append(values, number(run))
	}
	return estimateOf(values)
}

func suffixed(name string, frozen bool) string {
	if frozen {
		return name + " frozen"
	}
	return name
}

// curve returns the curve of a quantity of the method. Each seed is smoothed by sigma steps.
func (m *method) curve(values series, sigma float64) draw.Curve {
	c := draw.Curve{Label: m.label, Style: m.style}
	c.Mean, c.StdDev = values.summary(sigma)
	for _, run := range m.Runs {
		c.Diverged = c.Diverged || run.Status == result.Diverged && len(values[run.Seed]) == len(c.Mean)
	}
	return c
}

// addCurves adds a curve of each method of a source to a chart, and returns the methods. It leaves out methods that diverged at once.
func (s *source) addCurves(c *draw.Chart, methods []method, sigma float64, of func(m *method) series) (drawn []method) {
	for _, m := range methods {
		if values := of(&m); values.steps() > 0 {
			c.Curves, drawn = append(c.Curves, m.curve(values, sigma)), append(drawn, m)
		}
	}
	if len(drawn) == 0 {
		s.fail("every run diverged before its first score: there is nothing to draw")
	}
	for i := 0; i < len(drawn) && isCrowded(c); i++ {
		c.Curves[i] = drawn[i].focused(c.Curves[i])
	}
	return drawn
}

// titles names the data sets. In parentheses is the column whose items are embedded, as in Fig. 6, or the set of ratings.
var titles = map[string]string{
	"adult":           "Adult (education)",
	"bank":            "Bank (poutcome)",
	"mushroom":        "Mushroom (odor)",
	"mushroom-8124":   "Mushroom 8,124 (odor)",
	"covertype":       "Covertype (wilderness)",
	"covertype-49999": "Covertype 50k (wilderness)",
	"retail":          "Retail (StockCode)",
	"retail-12":       "Online Retail (12 pieces)",
	"ml-4":            "MovieLens small (4 stars)",
	"drawn":           "Generated",
	"ml-32m":          "MovieLens (ml-32m)",
	"ml-latest-small": "MovieLens (ml-latest-small)",
	"movielens-50k":   "MovieLens (the authors' 50k)",
	"generated-32m":   "Generated ratings (32M)",
	"generated-3m":    "Generated ratings (3M)",
	"generated-320k":  "Generated ratings (320k)",
}

// chunkRows returns the number of rows in the first step of a stream of chunks.
func (s *source) chunkRows() int {
	for _, m := range s.methods {
		for _, run := range m.Runs {
			if len(run.Rows) > 0 {
				return run.Rows[0]
			}
		}
	}
	return 0
}

func (s *source) stepLabel() string { return fmt.Sprintf("Step (chunks of %d rows)", s.chunkRows()) }
