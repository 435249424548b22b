package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gophe/figures"
)

// row is charts side by side.
type row []*Chart

// gap is the room between two charts.
const gap = 10

// Row returns charts side by side as one figure with a caption. It is as wide as the charts together, but at most as wide as
// a page, and as high as the highest.
func Row(caption string, charts ...*Chart) *figures.Figure {
	const page = 17.5 * vg.Centimeter
	var width, height vg.Length
	for _, c := range charts {
		width += c.width
		height = max(height, c.height)
	}
	return figures.New(row(charts), min(width, page), height, caption)
}

// Draw implements figures.Content.
func (r row) Draw(c draw.Canvas) ([]figures.Mark, error) {
	var total vg.Length
	for _, chart := range r {
		total += chart.width
	}
	room := c.Max.X - c.Min.X - gap*vg.Length(len(r)-1)
	var marks []figures.Mark
	left := vg.Length(0)
	for _, chart := range r {
		width := room * chart.width / total
		marks = append(marks, chart.draw(draw.Crop(c, left, left+width-(c.Max.X-c.Min.X), 0, 0))...)
		left += width + gap
	}
	return marks, nil
}

const (
	titleHeight = 14
	legendLine  = 10
	labelHeight = 9 // of the labels of vertical lines
	sample      = 14
	keyGap      = 10
)

// vertical is a dotted line with a label above.
type vertical struct {
	x     float64
	label string
}

// draw draws title, legend, axes and series, from the top.
func (c *Chart) draw(canvas draw.Canvas) []figures.Mark {
	if c.title != "" {
		style := textStyle(8.5)
		style.XAlign = text.XCenter
		canvas.FillText(style, vg.Point{X: canvas.Center().X, Y: canvas.Max.Y - titleHeight/2}, c.title)
		canvas = draw.Crop(canvas, 0, 0, 0, -titleHeight)
	}
	canvas = draw.Crop(canvas, 0, 0, 0, -c.drawLegend(canvas))
	if len(c.lines) > 0 {
		canvas = draw.Crop(canvas, 0, 0, 0, -labelHeight)
	}
	p := figures.NewPlot(c.x.label, c.y.label)
	c.setAxes(p)
	p.Draw(canvas)
	data := p.DataCanvas(canvas)
	toX, _ := p.Transforms(&data)
	for _, v := range c.lines {
		at := toX(c.x.scaled(v.x))
		data.StrokeLine2(draw.LineStyle{Color: color.Gray{90}, Width: vg.Points(0.6), Dashes: []vg.Length{0.7, 1.7}}, at, data.Min.Y, at, data.Max.Y)
		canvas.FillText(textStyle(7), vg.Point{X: at + 1, Y: data.Max.Y + labelHeight/2}, v.label)
	}
	pen := newPen(c, p, data)
	var marks []figures.Mark
	for _, s := range c.series {
		marks = append(marks, pen.draw(s)...)
	}
	return marks
}

// setAxes gives a plot the axes that show all series.
func (c *Chart) setAxes(p *plot.Plot) {
	xLow, xHigh, yLow, yHigh := series{}.ends(c)
	xRoom, yRoom := 0.0, 0.05
	for _, s := range c.series {
		a, b, d, e := s.ends(c)
		xLow, xHigh, yLow, yHigh = min(xLow, a), max(xHigh, b), min(yLow, d), max(yHigh, e)
		switch s.kind {
		case dotted:
			xRoom = 0.03
		case heated:
			xLow, xHigh, yLow, yHigh, yRoom = min(xLow, -0.5), max(xHigh, b+0.5), min(yLow, d-0.5), max(yHigh, 0.5), 0
		}
	}
	c.x.set(&p.X, xLow, xHigh, xRoom, false)
	c.y.set(&p.Y, yLow, yHigh, yRoom, true)
}

func textStyle(size vg.Length) text.Style {
	return text.Style{Color: color.Black, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		YAlign: text.YCenter, Handler: plot.DefaultTextHandler}
}
