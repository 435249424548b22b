package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gophe/figures"
)

// kind tells how the points of a series are drawn.
type kind int

const (
	joined  kind = iota // by a line
	stepped             // by a line of steps
	dotted              // as dots
	banded              // as the area between y and other
	barred              // as bars from 0
	heated              // as cells coloured by other
)

// series is a list of points with a name and a look.
type series struct {
	kind  kind
	name  string
	x, y  []float64
	other []float64 // upper end of a band, or value of a cell
	look  look
	place int // among the series of bars, from the left
}

// ends returns the range of the points in the units of the axes. Points at NaN or infinity do not count.
func (s series) ends(c *Chart) (xLow, xHigh, yLow, yHigh float64) {
	xLow, xHigh, yLow, yHigh = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	take := func(x, y float64) {
		x, y = c.x.scaled(x), c.y.scaled(y)
		if isFinite(x) && isFinite(y) {
			xLow, xHigh, yLow, yHigh = min(xLow, x), max(xHigh, x), min(yLow, y), max(yHigh, y)
		}
	}
	for i := range s.x {
		take(s.x[i], s.y[i])
		switch s.kind {
		case banded:
			take(s.x[i], s.other[i])
		case barred:
			take(s.x[i], 0)
		}
	}
	return xLow, xHigh, yLow, yHigh
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// pen draws series on a plot's data canvas.
type pen struct {
	chart    *Chart
	data     draw.Canvas
	toX, toY func(float64) vg.Length
	most     float64 // largest absolute value of a cell
}

func newPen(c *Chart, p *plot.Plot, data draw.Canvas) pen {
	out := pen{chart: c, data: data, most: 1e-300}
	out.toX, out.toY = p.Transforms(&data)
	for _, s := range c.series {
		if s.kind == heated {
			for _, v := range s.other {
				out.most = max(out.most, math.Abs(v))
			}
		}
	}
	return out
}

// at returns the place of a point. It reports false for a point at NaN or infinity.
func (p pen) at(x, y float64) (vg.Point, bool) {
	x, y = p.chart.x.scaled(x), p.chart.y.scaled(y)
	return vg.Point{X: p.toX(x), Y: p.toY(y)}, isFinite(x) && isFinite(y)
}

// draw draws a series, cut off at the axes, and returns the marks of its points.
func (p pen) draw(s series) []figures.Mark {
	switch s.kind {
	case joined, stepped:
		p.line(s)
	case dotted:
		p.dots(s)
	case banded:
		p.band(s)
	case barred:
		p.bars(s)
	case heated:
		p.cells(s)
	}
	return p.marks(s)
}

func (p pen) line(s series) {
	style := draw.LineStyle{Color: s.look.color, Width: s.look.width(), Dashes: s.look.dashes()}
	var piece []vg.Point
	stroke := func() {
		p.data.StrokeLines(style, p.data.ClipLinesXY(piece)...)
		piece = nil
	}
	for i := range s.x {
		at, ok := p.at(s.x[i], s.y[i])
		if !ok {
			stroke()
			continue
		}
		if n := len(piece); s.kind == stepped && n > 0 {
			piece = append(piece, vg.Point{X: at.X, Y: piece[n-1].Y})
		}
		piece = append(piece, at)
	}
	stroke()
}

func (p pen) dots(s series) {
	glyph := draw.GlyphStyle{Color: s.look.color, Radius: s.look.radius(), Shape: draw.CircleGlyph{}}
	for i := range s.x {
		if at, ok := p.at(s.x[i], s.y[i]); ok && p.data.Contains(at) {
			p.data.DrawGlyph(glyph, at)
		}
	}
}

func (p pen) band(s series) {
	var outline []vg.Point
	for i := range s.x {
		if at, ok := p.at(s.x[i], s.y[i]); ok {
			outline = append(outline, at)
		}
	}
	for i := len(s.x) - 1; i >= 0; i-- {
		if at, ok := p.at(s.x[i], s.other[i]); ok {
			outline = append(outline, at)
		}
	}
	p.data.FillPolygon(fainter(s.look.color, 50), p.data.ClipPolygonXY(outline))
}

// bars draws bars. Several series of bars stand side by side.
func (p pen) bars(s series) {
	left, right := p.slot(s)
	for i := range s.x {
		low, ok := p.at(s.x[i]+left, 0)
		high, fine := p.at(s.x[i]+right, s.y[i])
		if ok && fine {
			p.fill(s.look.color, low, high)
		}
	}
}

// slot returns the place of a series among the series of bars, from the middle of a name.
func (p pen) slot(s series) (left, right float64) {
	const whole = 0.7
	wide := whole / float64(p.chart.bars())
	left = -whole/2 + wide*float64(s.place)
	return left, left + wide
}

func (p pen) cells(s series) {
	for i := range s.x {
		low, _ := p.at(s.x[i]-0.5, s.y[i]-0.5)
		high, _ := p.at(s.x[i]+0.5, s.y[i]+0.5)
		p.fill(p.heat(s.other[i]), low, high)
	}
}

// heat mixes white with blue for a positive value, and with red for a negative one.
func (p pen) heat(v float64) color.Color {
	full := color.NRGBAModel.Convert(figures.Color("PHE")).(color.NRGBA)
	if v < 0 {
		full = color.NRGBAModel.Convert(figures.Color("MediumAda")).(color.NRGBA)
	}
	part := math.Abs(v) / p.most
	mix := func(c uint8) uint8 { return uint8(255 - part*float64(255-c)) }
	return color.NRGBA{mix(full.R), mix(full.G), mix(full.B), 255}
}

func (p pen) fill(c color.Color, a, b vg.Point) {
	p.data.FillPolygon(c, p.data.ClipPolygonXY([]vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}}))
}

func fainter(c color.Color, alpha uint8) color.Color {
	faint := color.NRGBAModel.Convert(c).(color.NRGBA)
	faint.A = alpha
	return faint
}

// marks returns the text of each visible point: the name of the series, x and y.
func (p pen) marks(s series) []figures.Mark {
	if s.look.silent {
		return nil
	}
	var marks []figures.Mark
	add := func(x, y float64, value string) {
		at, ok := p.at(x, y)
		if !ok || !p.data.Contains(at) {
			return
		}
		text := p.chart.x.text(x) + ": " + value
		if s.name != "" {
			text = s.name + ", " + text
		}
		marks = append(marks, figures.Mark{X: float64(at.X), Y: float64(at.Y), Text: text})
	}
	for i, x := range s.x {
		switch s.kind {
		case heated:
			add(x, s.y[i], p.chart.y.text(s.y[i])+", "+figures.Number(s.other[i]))
		case banded:
			if s.name != "" {
				add(x, (s.y[i]+s.other[i])/2, figures.Number(s.y[i])+" to "+figures.Number(s.other[i]))
			}
		default:
			if s.kind == barred {
				left, right := p.slot(s)
				x += (left + right) / 2
			}
			add(x, s.y[i], p.chart.y.text(s.y[i]))
		}
	}
	return marks
}
