package draw

import (
	"image/color"
	"slices"
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Opacity of a band, of 255. Three bands on top of each other still show the grid.
const (
	gridBandAlpha = 45
	rowBandAlpha  = 50
)

// plotters returns the parts of a chart in the order of drawing: bands or whiskers, and then lines by layer, which no band may hide.
func (c *Chart) plotters() (out []plot.Plotter) {
	if len(c.Groups) > 0 {
		return []plot.Plotter{barPlot(c.Groups)}
	}
	if len(c.Guide) > 0 {
		out = append(out, &plotter.Line{XYs: c.Guide, LineStyle: draw.LineStyle{Color: color.Gray{90}, Width: vg.Points(0.5)}})
	}
	curves := slices.Clone(c.Curves)
	sort.SliceStable(curves, func(i, j int) bool { return curves[i].Style.Layer < curves[j].Style.Layer })
	for i, s := range curves {
		switch {
		case !c.hasBand(s):
		case s.Kind.isPoints():
			for at := range s.StdDev {
				out = append(out, s.errorBar(at, 2.5))
			}
		case c.Whiskers:
			along := 0.95 - 0.5*float64(len(curves)-1-i)/float64(len(curves))
			out = append(out, s.whisker(int(along*float64(len(s.StdDev)-1)))...)
		default:
			low, high := around(s.Mean[:len(s.StdDev)], s.StdDev)
			out = append(out, c.between(s, low, high, gridBandAlpha)...)
		}
	}
	for _, s := range curves {
		switch s.Kind {
		case band:
			out = append(out, c.between(s, s.Mean, s.other, rowBandAlpha)...)
		case cells:
			out = append(out, c.cells(s)...)
		default:
			out = append(out, c.joined(s)...)
		}
	}
	return out
}

// hasBand reports whether the curve's standard deviations are drawn. The band of an error that explodes would cover everything.
func (c *Chart) hasBand(s Curve) bool {
	if len(s.StdDev) == 0 {
		return false
	}
	if _, high := c.YRange(); c.Range.BestBelow && slices.Max(s.Mean) > high {
		return false
	}
	return len(s.StdDev) > 1 || s.Kind.isPoints()
}

// joined returns the lines and the points of a curve.
func (c *Chart) joined(s Curve) (out []plot.Plotter) {
	if c.inGrid {
		s.Breaks = slices.Clone(s.Breaks)
		for _, last := range c.soars(s) {
			s.Breaks = append(s.Breaks, last+1)
		}
		slices.Sort(s.Breaks)
	}
	all := c.scaled(s.X, s.Mean)
	for _, piece := range pieces(all, s.Breaks) {
		var points plotter.XYs
		for _, i := range c.thinned(piece) {
			points = append(points, all[i])
		}
		if s.Kind.hasLine() {
			out = append(out, &plotter.Line{XYs: points, LineStyle: s.Style.line()})
		}
		if s.Kind.hasGlyph() {
			out = append(out, &plotter.Scatter{XYs: points, GlyphStyle: s.glyph()})
		}
	}
	return out
}

// scaled returns points in the units of the axes.
func (c *Chart) scaled(x, y []float64) plotter.XYs {
	points := make(plotter.XYs, len(y))
	for i, x := range positions(x, y) {
		points[i] = plotter.XY{X: c.XAxis.scaled(x), Y: c.YAxis.scaled(y[i])}
	}
	return points
}

// pieces returns the ranges [from, to) of the points between the breaks, which ascend, and between points that are not finite.
func pieces(points plotter.XYs, breaks []int) (out [][2]int) {
	from := 0
	for i := range len(points) + 1 {
		isGap := i == len(points) || !isDrawn(points[i].X) || !isDrawn(points[i].Y)
		if !isGap && !slices.Contains(breaks, i) {
			continue
		}
		if i > from {
			out = append(out, [2]int{from, i})
		}
		if from = i; isGap {
			from++
		}
	}
	return out
}

// maxPoints is the number of points that are drawn of a line in a Grid. A line of more than twice as many is thinned for a small SVG.
const maxPoints = 800

// thinned returns the points of a piece that are drawn, with its first and its last point.
func (c *Chart) thinned(piece [2]int) (indices []int) {
	every := 1
	if c.inGrid {
		every = max(1, (piece[1]-piece[0])/maxPoints)
	}
	for i := piece[0]; i < piece[1]-1; i += every {
		indices = append(indices, i)
	}
	return append(indices, piece[1]-1)
}

// between returns the area between two lines, one for each piece. Points at NaN or infinity do not count.
func (c *Chart) between(s Curve, low, high []float64, alpha uint8) (out []plot.Plotter) {
	fill := s.Style.Color
	fill.A = alpha
	lower, upper := c.scaled(s.X, low), c.scaled(s.X, high)
	for _, piece := range pieces(upper, s.Breaks) {
		var outline, back plotter.XYs
		for _, i := range c.thinned(piece) {
			if isDrawn(lower[i].Y) {
				outline, back = append(outline, upper[i]), append(back, lower[i])
			}
		}
		slices.Reverse(back)
		out = append(out, &plotter.Polygon{XYs: []plotter.XYs{append(outline, back...)}, Color: fill})
	}
	return out
}

// cells returns the coloured cells of a row.
func (c *Chart) cells(s Curve) (out []plot.Plotter) {
	for i, y := range s.Mean {
		x := s.X[i]
		corners := c.scaled([]float64{x - 0.5, x + 0.5, x + 0.5, x - 0.5}, []float64{y - 0.5, y - 0.5, y + 0.5, y + 0.5})
		mix := func(full uint8) uint8 { return uint8(255 - s.other[i]*float64(255-full)) }
		out = append(out, &plotter.Polygon{XYs: []plotter.XYs{corners}, Color: color.NRGBA{mix(blue.R), mix(blue.G), mix(blue.B), 255}})
	}
	return out
}

// whisker returns mean ± standard deviation at one step. A dot marks the step on its line.
func (s *Curve) whisker(step int) []plot.Plotter {
	dot := draw.GlyphStyle{Color: s.Style.Color, Radius: vg.Points(1.7), Shape: draw.CircleGlyph{}}
	return []plot.Plotter{s.errorBar(step, 4), &plotter.Scatter{XYs: plotter.XYs{{X: s.at(step), Y: s.Mean[step]}}, GlyphStyle: dot}}
}

// errorBar returns mean ± standard deviation at point i.
func (s *Curve) errorBar(i int, capWidth vg.Length) plot.Plotter {
	bar := &plotter.YErrorBars{CapWidth: capWidth, LineStyle: draw.LineStyle{Color: s.Style.Color, Width: vg.Points(0.7)}}
	bar.XYs = plotter.XYs{{X: s.at(i), Y: s.Mean[i]}}
	bar.YErrors = plotter.YErrors{{Low: s.StdDev[i], High: s.StdDev[i]}}
	return bar
}
