package figures

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// mostPoints is the number of points that are drawn of a line. A line with more than twice as many is thinned out, which keeps
// an SVG small.
const mostPoints = 800

// curve is one line of a panel and its band.
type curve struct {
	label    string
	look     look
	layer    int       // a curve of a higher layer is drawn on top
	x        []float64 // ascending; nil for the steps 0, 1, …
	names    []string  // of the points, for marks; nil for their x
	mean     []float64 // over the seeds that reached the step
	stdDev   []float64 // between these seeds; shorter than mean where fewer than two seeds are left
	diverged bool      // the last seed diverged at the last point
	marks    marks
	breaks   []int // indices at which the line is interrupted, ascending
}

// marks says how the points of a curve are drawn.
type marks int

const (
	justLine      marks = iota // with a band
	lineAndDots                // the same with a dot at each point
	lineAndPoints              // the method's shape at each point, with a whisker
	justPoints
)

// points reports whether a shape marks each point.
func (m marks) points() bool { return m == lineAndPoints || m == justPoints }

// at returns the x of point i.
func (c *curve) at(i int) float64 {
	if c.x == nil {
		return float64(i)
	}
	return c.x[i]
}

// pieces returns the ranges [from, to) of the first n points between the breaks.
func (c *curve) pieces(n int) [][2]int {
	var out [][2]int
	from := 0
	for _, at := range append(c.breaks[:len(c.breaks):len(c.breaks)], n) {
		if at = min(at, n); at > from {
			out = append(out, [2]int{from, at})
			from = at
		}
	}
	return out
}

// thinned returns the points of a piece that are drawn, with its first and its last point.
func thinned(piece [2]int) []int {
	every := max(1, (piece[1]-piece[0])/mostPoints)
	var indices []int
	for i := piece[0]; i < piece[1]-1; i += every {
		indices = append(indices, i)
	}
	return append(indices, piece[1]-1)
}

// plotters returns the line and the points.
func (c *curve) plotters() ([]plot.Plotter, error) {
	var out []plot.Plotter
	for _, piece := range c.pieces(len(c.mean)) {
		var points plotter.XYs
		for _, i := range thinned(piece) {
			points = append(points, plotter.XY{X: c.at(i), Y: c.mean[i]})
		}
		if c.marks != justPoints {
			line, err := plotter.NewLine(points)
			if err != nil {
				return nil, err
			}
			line.LineStyle = c.look.line()
			out = append(out, line)
		}
		if c.marks != justLine {
			shapes, err := plotter.NewScatter(points)
			if err != nil {
				return nil, err
			}
			shapes.GlyphStyle = c.glyph()
			out = append(out, shapes)
		}
	}
	return out, nil
}

// glyph returns the shape of a point.
func (c *curve) glyph() draw.GlyphStyle {
	if c.marks.points() {
		return draw.GlyphStyle{Color: c.look.color, Radius: vg.Points(2.1), Shape: c.look.shape}
	}
	return draw.GlyphStyle{Color: c.look.color, Radius: vg.Points(1.5), Shape: draw.CircleGlyph{}}
}

// spread returns the area of mean ± standard deviation, or a whisker at each point.
func (c *curve) spread() ([]plot.Plotter, error) {
	var out []plot.Plotter
	if c.marks.points() {
		for i := range c.stdDev {
			bar, err := c.errorBar(i, 2.5)
			if err != nil {
				return nil, err
			}
			out = append(out, bar)
		}
		return out, nil
	}
	for _, piece := range c.pieces(len(c.stdDev)) {
		indices := thinned(piece)
		outline := make(plotter.XYs, 0, 2*len(indices))
		for _, i := range indices {
			outline = append(outline, plotter.XY{X: c.at(i), Y: c.mean[i] + c.stdDev[i]})
		}
		for k := len(indices) - 1; k >= 0; k-- {
			i := indices[k]
			outline = append(outline, plotter.XY{X: c.at(i), Y: c.mean[i] - c.stdDev[i]})
		}
		band, err := plotter.NewPolygon(outline)
		if err != nil {
			return nil, err
		}
		fill := c.look.color
		fill.A = bandAlpha
		band.Color, band.LineStyle.Width = fill, 0
		out = append(out, band)
	}
	return out, nil
}

// whisker returns mean ± standard deviation at one step. The step is the given share of the way along the curve. A dot marks
// the step on its line.
func (c *curve) whisker(along float64) ([]plot.Plotter, error) {
	step := int(along * float64(len(c.stdDev)-1))
	bar, err := c.errorBar(step, 4)
	if err != nil {
		return nil, err
	}
	dot, err := plotter.NewScatter(plotter.XYs{{X: c.at(step), Y: c.mean[step]}})
	if err != nil {
		return nil, err
	}
	dot.GlyphStyle = draw.GlyphStyle{Color: c.look.color, Radius: vg.Points(1.7), Shape: draw.CircleGlyph{}}
	return []plot.Plotter{bar, dot}, nil
}

// errorBar returns mean ± standard deviation at point i.
func (c *curve) errorBar(i int, capWidth float64) (*plotter.YErrorBars, error) {
	var at struct {
		plotter.XYs
		plotter.YErrors
	}
	at.XYs = plotter.XYs{{X: c.at(i), Y: c.mean[i]}}
	at.YErrors = plotter.YErrors{{Low: c.stdDev[i], High: c.stdDev[i]}}
	bar, err := plotter.NewYErrorBars(at)
	if err != nil {
		return nil, err
	}
	bar.Color, bar.Width, bar.CapWidth = c.look.color, vg.Points(0.7), vg.Points(capWidth)
	return bar, nil
}
