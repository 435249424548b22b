package draw

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Chart is one pair of axes with curves or groups of bars. Its methods change it and return it. They panic if two slices differ in length.
type Chart struct {
	Heading string // above the axes
	Curves  []Curve
	Groups  []BarGroup
	Changes []Change

	XAxis, YAxis Axis
	Range        Limits // of a chart in a Grid

	Guide      plotter.XYs // a thin line below the curves
	NoVertical bool        // no vertical grid lines: changes have dotted lines, and bars need none
	Whiskers   bool        // one whisker for each curve instead of a band, for curves that run close together

	inGrid, inLegend bool // inLegend: the names of the curves are in the figure's legend, not at their ends
	width, height    vg.Length
	next             int // colour of the next curve
}

// Change is a dotted vertical line with words above it.
type Change struct {
	X    float64
	What string
}

// The size of a chart that has no other.
const (
	defaultWidth  = 15 * vg.Centimeter
	defaultHeight = 7 * vg.Centimeter
)

// New returns an empty chart with labels at its axes.
func New(xLabel, yLabel string) *Chart {
	return &Chart{XAxis: Axis{Label: xLabel}, YAxis: Axis{Label: yLabel, down: true}, width: defaultWidth, height: defaultHeight}
}

// Title sets the text above the axes.
func (c *Chart) Title(text string) *Chart {
	c.Heading = text
	return c
}

// Size sets the width and height, without the caption. In a Row the widths are shares.
func (c *Chart) Size(width, height vg.Length) *Chart {
	c.width, c.height = width, height
	return c
}

// Line adds a line through points. If x is nil, the points are at 0, 1, 2 and so on. NaN interrupts the line.
func (c *Chart) Line(name string, x, y []float64, options ...Option) *Chart {
	return c.add(justLine, name, positions(x, y), y, nil, options)
}

// Dots adds points.
func (c *Chart) Dots(name string, x, y []float64, options ...Option) *Chart {
	return c.add(dots, name, positions(x, y), y, nil, options)
}

// Band fills the area between two lines. It has no entry in the legend if its name is empty.
func (c *Chart) Band(name string, x, low, high []float64, options ...Option) *Chart {
	return c.add(band, name, positions(x, low), low, high, options)
}

// Spread adds a line through values at 0, 1, 2 and so on, with a band that reaches as far as given to both sides.
func (c *Chart) Spread(name string, middle, reach []float64, options ...Option) *Chart {
	low, high := around(middle, reach)
	return c.Band("", nil, low, high, options...).Line(name, nil, middle, options...)
}

// Curve adds a function as a line of 200 points.
func (c *Chart) Curve(name string, f func(float64) float64, from, to float64, options ...Option) *Chart {
	const points = 200
	x, y := make([]float64, points), make([]float64, points)
	for i := range x {
		x[i] = from + (to-from)*float64(i)/(points-1)
		y[i] = f(x[i])
	}
	return c.Line(name, x, y, options...)
}

// Level adds a horizontal line at a value.
func (c *Chart) Level(name string, value, from, to float64, options ...Option) *Chart {
	return c.Line(name, []float64{from, to}, []float64{value, value}, options...)
}

// Intervals adds points below each other, each with a horizontal line from low to high. The first is some way above the height 0, and
// each other one lower by 1. The options must name a colour, or each line takes the next one.
func (c *Chart) Intervals(name string, low, middle, high []float64, above float64, options ...Option) *Chart {
	mustMatch(len(middle), len(low))
	mustMatch(len(middle), len(high))
	y := make([]float64, len(middle))
	for i := range y {
		y[i] = above - float64(i)
		c.Level("", y[i], low[i], high[i], options...)
	}
	return c.Dots(name, middle, y, options...)
}

// Heat shows a matrix of shares as coloured cells, with row 0 at the top. White is 0 and blue is 1.
func (c *Chart) Heat(values [][]float64) *Chart {
	for row, list := range values {
		y := make([]float64, len(list))
		for i := range y {
			y[i] = -float64(row)
		}
		c.add(cells, "", positions(nil, list), y, list, []Option{Colour(0)})
	}
	return c
}

// At adds a dotted vertical line with a label above it.
func (c *Chart) At(x float64, label string) *Chart {
	c.Changes = append(c.Changes, Change{x, label})
	return c
}

// Figure returns the chart with a caption below.
func (c *Chart) Figure(caption string) *Figure { return Row(caption, c) }

// add appends a curve in the next colour, or in the colour of the options.
func (c *Chart) add(of Kind, name string, x, y, other []float64, options []Option) *Chart {
	mustMatch(len(x), len(y))
	if other != nil {
		mustMatch(len(x), len(other))
	}
	s := Curve{Kind: of, Label: name, X: x, Mean: y, other: other,
		Style: Style{Width: vg.Points(1.2), radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}}
	for _, option := range options {
		option(&s)
	}
	if s.Style.Color == (color.NRGBA{}) {
		for c.uses(methodColour(c.next)) && c.next < len(methodColours) {
			c.next++
		}
		s.Style.Color = methodColour(c.next)
		c.next++
	}
	c.Curves = append(c.Curves, s)
	return c
}

// uses reports whether a curve has the colour.
func (c *Chart) uses(wanted color.NRGBA) bool {
	return slices.ContainsFunc(c.Curves, func(s Curve) bool { return s.Style.Color == wanted })
}

// axes returns the plot of the axes without the curves, for a place of some size.
func (c *Chart) axes(place vg.Point) *plot.Plot {
	out := plot.New()
	lines := setStyle(out)
	c.XAxis.dress(&out.X, place.X)
	c.YAxis.dress(&out.Y, place.Y)
	if c.NoVertical {
		lines.Vertical.Color = nil
	}
	if c.inGrid {
		out.X.Min, out.X.Max = c.XRange()
		out.Y.Min, out.Y.Max = c.YRange()
	} else {
		c.fit(out)
	}
	return out
}

// drawChanges draws the dotted lines. The middle of their words is some way above the axes.
func (c *Chart) drawChanges(drawn *plot.Plot, page, data draw.Canvas, above vg.Length) {
	toX, _ := drawn.Transforms(&data)
	dotted := draw.LineStyle{Color: color.Gray{90}, Width: vg.Points(0.6), Dashes: []vg.Length{0.7, 1.7}}
	for _, change := range c.Changes {
		x := c.XAxis.scaled(change.X)
		if !(drawn.X.Min <= x && x <= drawn.X.Max) {
			continue
		}
		page.StrokeLine2(dotted, toX(x), data.Min.Y, toX(x), data.Max.Y)
		page.FillText(textStyle(labelSize, black), vg.Point{X: toX(x) + 1, Y: data.Max.Y + above}, change.What)
	}
}

// positions returns x, or 0, 1, 2 and so on if it is nil.
func positions(x, y []float64) []float64 {
	if x != nil {
		return x
	}
	x = make([]float64, len(y))
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

// around returns the ends of intervals that reach equally far to both sides of their middles.
func around(middle, reach []float64) (low, high []float64) {
	mustMatch(len(middle), len(reach))
	for i, m := range middle {
		low, high = append(low, m-reach[i]), append(high, m+reach[i])
	}
	return low, high
}

func mustMatch(a, b int) {
	if a != b {
		panic(fmt.Sprintf("draw: a curve has %d values for %d positions", b, a))
	}
}

// largest is the largest number that is drawn. A line to a larger one could not be cut at the axes of a chart of the smallest numbers.
const largest = 1e75

func isDrawn(v float64) bool { return math.Abs(v) <= largest }

// unseen counts the points that have no place on their axes, for a caption. NaN is no point.
func unseen(charts []*Chart) string {
	n := 0
	anyCurve(charts, func(c *Chart, s Curve) bool {
		for i, p := range c.scaled(s.X, s.Mean) {
			if !math.IsNaN(s.Mean[i]) && !(isDrawn(p.X) && isDrawn(p.Y)) {
				n++
			}
		}
		return false
	})
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" Points not drawn: %d, at 0 or below on a logarithmic axis, or beyond 10⁷⁵ on another.", n)
}
