package sweep

import (
	"fmt"
	"strings"

	"gophe/experiments/table"
)

// shownPoints is the number of points of a method that the table shows; the JSON file has all.
const shownPoints = 5

// Table returns a table of the best points of each method, and of the spec's own point.
func (r *Report) Table() *table.Table {
	t := table.New(2, "method", "values", "log-likelihood", "accuracy %", "behind the best")
	t.Above = fmt.Sprintf("%d initial rows learned, %d held out in %d steps; seeds %v\n\n", r.Initial, r.Held, r.Steps, r.Seeds)
	for _, c := range r.Methods {
		for i, p := range c.Points {
			if i < shownPoints || p.Own {
				likelihood, accuracy, behind := fmt.Sprintf("diverged (%d)", p.Diverged), "–", "–"
				if p.Diverged == 0 {
					likelihood, accuracy = p.LogLikelihood.text(p.LogLikelihood.SD, 1, 4), p.Accuracy.text(p.Accuracy.SD, 100, 2)
				}
				if p.Behind != nil {
					behind = p.Behind.text(p.Behind.StandardError, 1, 4)
				}
				t.Add(c.Method, r.values(p.point), likelihood, accuracy, behind)
			}
		}
	}
	var b strings.Builder
	b.WriteString("\n")
	if len(r.Seeds) > 1 {
		fmt.Fprintf(&b, "± is over the seeds (their deviation, and behind the best the standard error). All seeds share the %d rows, whose own chance it leaves out.\n", r.Held)
	}
	for _, c := range r.Methods {
		b.WriteString(r.verdict(c))
	}
	t.Below = b.String()
	return t
}

// values writes a point's values in the order of the axes.
func (r *Report) values(p point) string {
	text := strings.Join(words(r.Axes, p.Values), ", ")
	switch {
	case text == "" && p.Own:
		return "as in the spec"
	case p.Own:
		return text + " (as in the spec)"
	}
	return text
}

// text writes a measure with its spread, which one seed does not have.
func (m spread) text(deviation, scale float64, digits int) string {
	text := fmt.Sprintf("%.*f", digits, scale*m.Mean)
	if len(m.BySeed) > 1 {
		text += fmt.Sprintf(" ± %.*f", digits, scale*deviation)
	}
	return text
}

// verdict says which point is best, and whether it lies at an edge of the grid.
func (r *Report) verdict(c choice) string {
	switch {
	case c.Best == "":
		return fmt.Sprintf("%s: every point diverged; try smaller learning rates.\n", c.Method)
	case len(c.Points) == 1:
		return fmt.Sprintf("%s: nothing that was tried matters to it.\n", c.Method)
	}
	text := fmt.Sprintf("%s: the best is %s.", c.Method, r.values(c.Points[0].point))
	for _, e := range c.Edges {
		side := "smallest"
		if e.Higher {
			side = "largest"
		}
		text += fmt.Sprintf(" %s is the %s %s that was tried: the best may lie beyond.", e.Value, side, leaf(e.Path))
	}
	return text + "\n"
}
