package draw

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// row is charts side by side.
type row []*Chart

const (
	rowGap         = 10 // between two charts
	rowTitleHeight = 14
	changeHeight   = 9 // of the words above dotted lines
)

// Row returns charts side by side as one figure with a caption. It is as wide as the charts together, but at most as wide as
// a page, and as high as the highest.
func Row(caption string, charts ...*Chart) *Figure {
	var width, height vg.Length
	for _, c := range charts {
		width += c.width
		height = max(height, c.height)
	}
	return newFigure(row(charts), min(width, pageWidth), height, caption)
}

// draw implements content.
func (r row) draw(c draw.Canvas) (marks []Mark) {
	var total vg.Length
	for _, chart := range r {
		total += chart.width
	}
	room := c.Max.X - c.Min.X - rowGap*vg.Length(len(r)-1)
	left := vg.Length(0)
	for _, chart := range r {
		width := room * chart.width / total
		marks = append(marks, chart.draw(draw.Crop(c, left, left+width-(c.Max.X-c.Min.X), 0, 0))...)
		left += width + rowGap
	}
	return marks
}

// draw draws title, legend, axes and curves, from the top.
func (c *Chart) draw(canvas draw.Canvas) []Mark {
	if c.Heading != "" {
		drawTitle(canvas, vg.Point{X: canvas.Center().X, Y: canvas.Max.Y - rowTitleHeight/2}, c.Heading)
		canvas = draw.Crop(canvas, 0, 0, 0, -rowTitleHeight)
	}
	if lines := rowLegend.lines(c.keys(), canvas.Max.X-canvas.Min.X); len(lines) > 0 {
		canvas = draw.Crop(canvas, 0, 0, 0, -rowLegend.drawLines(canvas, lines, false)-3)
	}
	if len(c.Changes) > 0 {
		canvas = draw.Crop(canvas, 0, 0, 0, -changeHeight)
	}
	p := c.axes()
	p.Draw(canvas)
	data := p.DataCanvas(canvas)
	c.drawChanges(p, canvas, data, 4)
	for _, layer := range c.plotters() {
		layer.Plot(data, p)
	}
	return c.marks(p, data, math.MaxInt)
}

// drawTitle writes a chart's title around a point.
func drawTitle(c draw.Canvas, middle vg.Point, title string) {
	style := textStyle(titleSize, black)
	style.XAlign = text.XCenter
	c.FillText(style, middle, title)
}
