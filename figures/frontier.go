package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
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
		level := draw.Curve{Label: l.base, X: []float64{low, high}, Names: []string{"", ""}}
		level.Mean = []float64{l.accuracy.Mean, l.accuracy.Mean}
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

// dodge moves curves with a common x a little to the sides, so that their whiskers can be told apart. It reports whether there were any.
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

// LateItems draws by how much items that keep coming pay, by memory: a panel for each stream, and a line for each method. Points are
// means over seeds, and whiskers ±1 standard deviation (n−1). A horizontal line shows the best method that does not get the items.
func LateItems(files []*result.File) (fig *draw.Figure, err error) {
	defer caught(&err)
	var styles draw.Palette
	var items []string
	charts, drawn := charted(readSources(files, 0), func(s *source) (*draw.Chart, []method) {
		for _, m := range spec.Recorded(s.Manifest.Spec).Methods {
			items = append(items, when(len(m.Without) > 0, s.dataset()+": "+strings.Join(m.Without, " and ")))
		}
		var points, levels []point
		for _, p := range s.points() {
			base, kilobytes, without := p.Budget()
			switch {
			case without && (len(levels) == 0 || p.accuracy.Mean > levels[0].accuracy.Mean):
				levels = []point{{base: "without the items", accuracy: p.accuracy}}
			case !without && kilobytes > 0:
				p.base, p.size = base, max(float64(kilobytes), float64(p.TotalParameters)*float32Bytes/1024) // a census comes on top
				points = append(points, p)
			}
		}
		if len(points) == 0 {
			s.fail("it has no method with a memory; make it again: `phe run %s`", s.Name)
		}
		c, methods, _ := pointChart(points, levels, &styles)
		c.XAxis.Label, c.XAxis.Ticks = "Memory", kilobyteTicks
		return c.Title(s.title()), methods
	})
	return legended(charts, 6.4*vg.Centimeter, sentences(
		"Accuracy on the rows after the first tenth, each forecast before it is learned, by the memory of all that a method keeps.",
		listed("Horizontal: the best of all methods without the items that keep coming (%s).", "; ", items),
		seedsSentence("Points", "whiskers", drawn), "Methods are drawn side by side.")), nil
}

// kilobyteTicks marks the memories of the study, and larger ones.
var kilobyteTicks = plot.ConstantTicks{{Value: math.Log10(4), Label: "4 KB"}, {Value: math.Log10(32), Label: "32 KB"},
	{Value: math.Log10(256), Label: "256 KB"}, {Value: math.Log10(1024), Label: "1 MB"},
	{Value: math.Log10(8 << 10), Label: "8 MB"}, {Value: math.Log10(64 << 10), Label: "64 MB"}}.Ticks
