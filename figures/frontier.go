package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/baseline"
	"gophe/experiments/result"
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
	var looks palette
	dodged := false
	var panels []*panel
	var drawn []method
	var sizes []string
	for _, s := range sources {
		if of := s.metric(); of != accuracy {
			return nil, errors.Errorf("result %q: its scores are errors, and the figure shows accuracy; %s", s.Name, remedy)
		}
		p := &panel{
			title: s.title(), xLabel: "Parameters of the embedding module", yLabel: "Accuracy (%)",
			roomX: true, xTicks: plot.TickerFunc(powerTicks), isShare: true, tight: true,
		}
		var points, rules []point
		for _, m := range s.methods {
			at, ok, err := m.point()
			if err != nil {
				return nil, errors.WithMessagef(err, "result %q", s.Name)
			}
			if ok && slices.Contains(votes, m.Name) {
				rules, sizes = append(rules, at), append(sizes, fmt.Sprintf("%s on %s %d", m.Name, s.dataset(), m.Parameters))
			} else if ok {
				points, drawn = append(points, at), append(drawn, m)
			}
		}
		p.curves = joined(points, &looks)
		dodged = dodge(p.curves) || dodged
		p.addLevels(rules, &looks)
		if len(p.curves) == 0 {
			return nil, errors.Errorf("result %q has no online method with parameters and a seed that did not diverge; make it again: `phe run %s`",
				s.Name, s.Name)
		}
		panels = append(panels, p)
	}
	says := []string{
		"Accuracy over the stream against memory; a line joins the sizes of one method.",
		seedsSentence("Points", "whiskers", drawn),
	}
	if dodged {
		says = append(says, "Methods of equal size are drawn side by side.")
	}
	if len(sizes) > 0 {
		says = append(says, "Horizontal lines: rules that count labels and hold few numbers ("+strings.Join(sizes, ", ")+").")
	}
	says = append(says, outOfSight(panels)...)
	says = append(says, cutBands(panels)...)
	says = append(says, sourceNotes(sources, "is left out")...)
	g := tiled(panels, columnsFor(len(panels)))
	return New(g, g.width(), 5.6*vg.Centimeter*vg.Length(len(g.panels)), strings.Join(says, " ")), nil
}

// votes are the rules that count labels. They have one size only, which would leave most of the x axis empty.
var votes = []string{baseline.Majority, baseline.ItemMajority}

// addLevels draws each rule as a horizontal line across the panel.
func (p *panel) addLevels(rules []point, looks *palette) {
	if len(p.curves) == 0 {
		return
	}
	low, high := p.xRange()
	for _, rule := range rules {
		c := curve{label: rule.name, x: []float64{low, high}, names: []string{"", ""}, mean: []float64{rule.accuracy.mean, rule.accuracy.mean}}
		c.look, c.layer = looks.look(rule.base, false)
		c.look.width = vg.Points(0.7)
		p.curves = append(p.curves, c)
	}
}

// point is one method's place in a panel.
type point struct {
	name       string
	base       string
	parameters float64
	accuracy   estimate // in %
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
	return p, p.accuracy.seeds > 0, nil
}

// joined returns a curve of the points of each base, in order of parameters. Its x is the decimal logarithm of the parameters.
func joined(points []point, looks *palette) []curve {
	var bases []string
	for _, p := range points {
		if !slices.Contains(bases, p.base) {
			bases = append(bases, p.base)
		}
	}
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.parameters, b.parameters) })
	var curves []curve
	for _, base := range bases {
		c := curve{label: base, marks: lineAndPoints}
		c.look, c.layer = looks.look(base, false)
		spreads := true
		for _, p := range points {
			if p.base != base {
				continue
			}
			c.x, c.mean = append(c.x, math.Log10(p.parameters)), append(c.mean, p.accuracy.mean)
			c.names = append(c.names, Number(p.parameters)+" numbers")
			if spreads = spreads && p.accuracy.seeds > 1; spreads {
				c.stdDev = append(c.stdDev, p.accuracy.stdDev)
			}
		}
		curves = append(curves, c)
	}
	return curves
}

// dodge moves curves with a common x a little to the sides, so that their whiskers can be told apart. It reports whether there
// were any.
func dodge(curves []curve) bool {
	low, high := math.Inf(1), math.Inf(-1)
	var rivals []int
	for i, c := range curves {
		low, high = min(low, c.x[0]), max(high, c.x[len(c.x)-1])
		if slices.ContainsFunc(curves, func(other curve) bool {
			return other.label != c.label && slices.ContainsFunc(other.x, func(x float64) bool { return slices.Contains(c.x, x) })
		}) {
			rivals = append(rivals, i)
		}
	}
	step := 0.014 * max(high-low, 0.5)
	for k, i := range rivals {
		for j := range curves[i].x {
			curves[i].x[j] += step * (float64(k) - float64(len(rivals)-1)/2)
		}
	}
	return len(rivals) > 0
}
