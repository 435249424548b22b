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

// verdict says how sure a method's choice is.
func (r *Report) verdict(c choice) string {
	switch {
	case c.Best == "":
		return fmt.Sprintf("%s: every point diverged; try smaller learning rates.\n", c.Method)
	case len(c.Points) == 1:
		return fmt.Sprintf("%s: nothing that was tried matters to it.\n", c.Method)
	}
	text := fmt.Sprintf("%s: the best is %s.", c.Method, r.values(c.Points[0].point))
	if n := c.Neighbour; n != nil {
		text += fmt.Sprintf(" Its closest neighbour, %s, is %s", strings.Join(words(r.Axes, n.Values), ", "), n.Behind.verdict())
	}
	for _, e := range c.Edges {
		side := "smallest"
		if e.Higher {
			side = "largest"
		}
		text += fmt.Sprintf(" %s is the %s %s that was tried: the best may lie beyond.", e.Value, side, leaf(e.Path))
	}
	return text + "\n"
}

// clear is the number of standard errors from which on a difference is told from noise.
const clear = 2

// fewSeeds is the number of seeds from which on their spread says something.
const fewSeeds = 3

// verdict compares a difference with its noise over the seeds.
func (m spread) verdict() string {
	gap := fmt.Sprintf("%.4f nats behind", m.Mean)
	switch {
	case len(m.BySeed) > 1 && m.StandardError == 0:
		return gap + ", for every seed alike: nothing is drawn."
	case len(m.BySeed) < fewSeeds:
		return fmt.Sprintf("%s. So few seeds do not tell the noise: give --seeds %d or more.", gap, fewSeeds)
	case m.Mean < clear*m.StandardError:
		return fmt.Sprintf("%s, with a standard error of %.4f over the seeds: that is within the noise, and either would do.", gap, m.StandardError)
	}
	return fmt.Sprintf("%s, %.1f standard errors over the seeds.", gap, m.Mean/m.StandardError)
}
