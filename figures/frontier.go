package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/figures/draw"
)

// Frontier draws accuracy against memory, one panel for each data set. A point is an online method's accuracy: the mean over the stream's
// steps, and then over seeds. The x axis is the number of parameters of its embedding module, on a logarithmic scale. A line joins the
// sizes of one method (result.Method.Base). Diverged seeds are left out, as in the tables.
func Frontier(files []*result.File) (fig *draw.Figure, err error) {
	defer caught(&err)
	sources := readSources(files, 0)
	var styles draw.Palette
	var sizes []string
	aside := ""
	charts, drawn := charted(sources, func(s *source) (*draw.Chart, []method) {
		if s.metric() != accuracy {
			s.fail("its scores are errors, and the figure shows accuracy; %s", remedy)
		}
		var points, rules []point
		for _, p := range s.points() {
			if !slices.Contains(votes, p.Name) {
				points = append(points, p)
				continue
			}
			rules, sizes = append(rules, p), append(sizes, fmt.Sprintf("%s on %s %d", p.Name, s.dataset(), p.Parameters))
		}
		if len(points) == 0 {
			s.fail("it has no online method with parameters and a seed that did not diverge; make it again: `phe run %s`", s.Name)
		}
		c, methods, dodged := pointChart(points, rules, &styles)
		if dodged {
			aside = "Methods of equal size are drawn side by side."
		}
		c.XAxis.Label, c.XAxis.Ticks = "Parameters of the embedding module", draw.PowerTicks
		return c.Title(s.title()), methods
	})
	return draw.Tiled(charts, 0).Figure(5.6*vg.Centimeter, 0, sentences(
		"Accuracy over the stream against memory; a line joins the sizes of one method.", seedsSentence("Points", "whiskers", drawn), aside,
		listed("Horizontal lines: rules that count labels and hold few numbers (%s).", ", ", sizes),
		draw.EdgeNotes(charts), sourceNotes(sources, "is left out"))), nil
}

// votes are the rules that count labels. They have one size only, which would leave most of the x axis empty.
var votes = []string{baseline.Majority, baseline.ItemMajority}

// pointChart draws points, and levels as horizontal lines across the chart. It returns the points' methods, and reports whether
// points of equal size are drawn side by side.
func pointChart(points, levels []point, styles *draw.Palette) (c *draw.Chart, methods []method, dodged bool) {
	c = draw.New("", "Accuracy (%)")
	c.Range.RoomX, c.Range.Share, c.Range.Tight = true, true, true
	c.Curves = joined(points, styles)
	dodged = dodge(c.Curves)
	low, high := c.XRange()
	for _, l := range levels {
		level := draw.Curve{Label: l.base, X: []float64{low, high}, Names: []string{"", ""}, Mean: []float64{l.accuracy.Mean, l.accuracy.Mean}}
		level.Style = styles.Style(l.base, false)
		level.Style.Width = vg.Points(0.7)
		c.Curves = append(c.Curves, level)
	}
	for _, p := range points {
		methods = append(methods, p.method)
	}
	return c, methods, dodged
}

// point is one method's place in a chart.
type point struct {
	method
	base     string        // whose points a line joins
	size     float64       // on the x axis
	accuracy draw.Estimate // in %
}

// points measures the methods. It leaves out frozen methods, methods without parameters, and methods whose seeds all diverged.
func (s *source) points() (points []point) {
	for _, m := range s.methods {
		if m.Frozen || m.Parameters <= 0 {
			continue
		}
		scores := m.scores()
		if e := m.overSeeds(func(run *result.Run) float64 { return stat.Mean(scores[run.Seed], nil) }); e.Seeds > 0 {
			points = append(points, point{m, m.Base(), float64(m.Parameters), e})
		}
	}
	return points
}

// joined returns a curve of the points of each base, in order of size. Its x is the decimal logarithm of the size.
func joined(points []point, styles *draw.Palette) []draw.Curve {
	var bases []string
	for _, p := range points {
		if !slices.Contains(bases, p.base) {
			bases = append(bases, p.base)
		}
	}
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.size, b.size) })
	var curves []draw.Curve
	for _, base := range bases {
		c := draw.Curve{Label: base, Kind: draw.LineAndPoints}
		c.Style = styles.Style(base, false)
		spreads := true
		for _, p := range points {
			if p.base != base {
				continue
			}
			c.X, c.Mean = append(c.X, math.Log10(p.size)), append(c.Mean, p.accuracy.Mean)
			c.Names = append(c.Names, draw.Number(p.size)+" numbers")
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
