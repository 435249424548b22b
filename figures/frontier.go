package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/baseline"
	"gophe/experiments/result"
	"gophe/figures/draw"
)

// Frontier draws accuracy against memory, one panel for each data set. A point is an online method's accuracy: the mean over
// the stream's steps, and then over seeds. The x axis is the number of parameters of its embedding module, on a logarithmic
// scale. A line joins the sizes of one method (result.Method.Base). Whiskers are ±1 standard deviation (n−1) between seeds.
// Diverged seeds are left out, as in the tables.
func Frontier(files []*result.File) (*Figure, error) {
	sources, err := readSources(files)
	if err != nil {
		return nil, err
	}
	var looks draw.Palette
	dodged := false
	var sizes []string
	charts, drawn, err := charted(sources, func(s *source) (*draw.Chart, []method, error) {
		if of := s.metric(); of != accuracy {
			return nil, nil, errors.Errorf("its scores are errors, and the figure shows accuracy; %s", remedy)
		}
		c := pointChart(s.title(), "Parameters of the embedding module")
		c.XAxis.Powers = true
		var points, rules []point
		var drawn []method
		for _, m := range s.methods {
			at, ok, err := m.point()
			if err != nil {
				return nil, nil, err
			}
			if ok && slices.Contains(votes, m.Name) {
				rules, sizes = append(rules, at), append(sizes, fmt.Sprintf("%s on %s %d", m.Name, s.dataset(), m.Parameters))
			} else if ok {
				points, drawn = append(points, at), append(drawn, m)
			}
		}
		if len(points) == 0 {
			return nil, nil, errors.Errorf("it has no online method with parameters and a seed that did not diverge; make it again: `phe run %s`", s.Name)
		}
		c.Curves = joined(points, &looks)
		dodged = dodge(c.Curves) || dodged
		addLevels(c, rules, &looks)
		return c, drawn, nil
	})
	if err != nil {
		return nil, err
	}
	aside := ""
	if dodged {
		aside = "Methods of equal size are drawn side by side."
	}
	return draw.Tiled(charts, 0).Figure(5.6*vg.Centimeter, 0, sentences(
		"Accuracy over the stream against memory; a line joins the sizes of one method.", seedsSentence("Points", "whiskers", drawn), aside,
		listed("Horizontal lines: rules that count labels and hold few numbers (%s).", ", ", sizes),
		draw.EdgeNotes(charts), sourceNotes(sources, "is left out"))), nil
}

// pointChart returns an empty chart of accuracy against something that has a logarithmic axis.
func pointChart(title, xLabel string) *draw.Chart {
	c := draw.New(xLabel, "Accuracy (%)").Title(title)
	c.Range = draw.Range{RoomX: true, Share: true, Tight: true}
	return c
}

// votes are the rules that count labels. They have one size only, which would leave most of the x axis empty.
var votes = []string{baseline.Majority, baseline.ItemMajority}

// addLevels draws each rule as a horizontal line across the chart.
func addLevels(c *draw.Chart, rules []point, looks *draw.Palette) {
	low, high := c.XRange()
	for _, rule := range rules {
		level := draw.Curve{Label: rule.name, X: []float64{low, high}, Names: []string{"", ""}, Mean: []float64{rule.accuracy.Mean, rule.accuracy.Mean}}
		level.Look, level.Layer = looks.Look(rule.base, false)
		level.Look.Width = vg.Points(0.7)
		c.Curves = append(c.Curves, level)
	}
}

// point is one method's place in a panel.
type point struct {
	name       string
	base       string
	parameters float64
	accuracy   draw.Estimate // in %
}

// point measures a method. For a frozen method, a method without parameters, or one whose seeds all diverged, ok is false.
func (m *method) point() (p point, ok bool, err error) {
	if m.Frozen || m.Parameters <= 0 {
		return p, false, nil
	}
	if err := m.readScores(); err != nil {
		return p, false, err
	}
	var perSeed []float64
	for _, run := range m.Runs {
		if run.Status == result.Complete {
			perSeed = append(perSeed, stat.Mean(m.scores[run.Seed], nil))
		}
	}
	p = point{m.Name, m.Base(), float64(m.Parameters), estimateOf(perSeed)}
	return p, p.accuracy.Seeds > 0, nil
}

// joined returns a curve of the points of each base, in order of parameters. Its x is the decimal logarithm of the parameters.
func joined(points []point, looks *draw.Palette) []draw.Curve {
	var bases []string
	for _, p := range points {
		if !slices.Contains(bases, p.base) {
			bases = append(bases, p.base)
		}
	}
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.parameters, b.parameters) })
	var curves []draw.Curve
	for _, base := range bases {
		c := draw.Curve{Label: base, Kind: draw.LineAndPoints}
		c.Look, c.Layer = looks.Look(base, false)
		spreads := true
		for _, p := range points {
			if p.base != base {
				continue
			}
			c.X, c.Mean = append(c.X, math.Log10(p.parameters)), append(c.Mean, p.accuracy.Mean)
			c.Names = append(c.Names, draw.Number(p.parameters)+" numbers")
			if spreads = spreads && p.accuracy.Seeds > 1; spreads {
				c.StdDev = append(c.StdDev, p.accuracy.StdDev)
			}
		}
		curves = append(curves, c)
	}
	return curves
}

// dodge moves curves with a common x a little to the sides, so that their whiskers can be told apart. It reports whether there
// were any.
func dodge(curves []draw.Curve) bool {
	low, high := math.Inf(1), math.Inf(-1)
	var rivals []int
	for i, c := range curves {
		low, high = min(low, c.X[0]), max(high, c.X[len(c.X)-1])
		if slices.ContainsFunc(curves, func(other draw.Curve) bool {
			return other.Label != c.Label && slices.ContainsFunc(other.X, func(x float64) bool { return slices.Contains(c.X, x) })
		}) {
			rivals = append(rivals, i)
		}
	}
	step := 0.014 * max(high-low, 0.5)
	for k, i := range rivals {
		for j := range curves[i].X {
			curves[i].X[j] += step * (float64(k) - float64(len(rivals)-1)/2)
		}
	}
	return len(rivals) > 0
}
