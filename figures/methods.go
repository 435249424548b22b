package figures

import (
	"cmp"
	"fmt"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/figures/draw"
)

// method is a method of a result file, with its label and style.
type method struct {
	*result.Method
	label   string
	style   draw.Style
	metric  metric // shown by the figure
	scores  series // at each step
	correct series // correct rows up to each step; only for accuracy
}

// readScores reads the scores of each step.
func (m *method) readScores() (err error) {
	if m.scores, err = scores(m.Method, m.metric); err != nil {
		return errors.WithMessage(err, m.label)
	}
	if m.metric == accuracy {
		m.correct = m.rowsRight()
	}
	if m.scores.steps() == 0 && m.count(result.Diverged) == 0 {
		return errors.Errorf("%s has no scores; finish its spec with `phe run --resume`", m.label)
	}
	return nil
}

// nameMethods gives each method its label and style.
func nameMethods(all []result.Method, styles *draw.Palette) (methods []method) {
	for i := range all {
		m := method{Method: &all[i], label: suffixed(all[i].Name, all[i].Frozen), metric: leading(&all[i])}
		m.style = styles.Style(m.Name, m.Frozen)
		if m.isRule() {
			m.style.Width = vg.Points(0.7)
		}
		methods = append(methods, m)
	}
	return methods
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

// addCurves adds a curve of each method to a chart, and returns the methods. It leaves out methods that diverged at once.
func addCurves(c *draw.Chart, methods []method, sigma float64, of func(m *method) (series, error)) (drawn []method, err error) {
	for _, m := range methods {
		values, err := of(&m)
		if err != nil {
			return nil, err
		}
		if values.steps() == 0 {
			continue
		}
		c.Curves, drawn = append(c.Curves, m.curve(values, sigma)), append(drawn, m)
	}
	if len(drawn) == 0 {
		return nil, errors.New("every run diverged before its first score")
	}
	return drawn, nil
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

// title returns the name of a data set.
func title(dataset string) string { return cmp.Or(titles[dataset], dataset) }

func stepLabel(m *result.Method) string {
	for _, run := range m.Runs {
		if len(run.Rows) > 0 {
			return fmt.Sprintf("Step (chunks of %d rows)", run.Rows[0])
		}
	}
	return "Step"
}
