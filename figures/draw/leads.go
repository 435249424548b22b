package draw

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Leads has a line for each row with two points: the leads over two others. Their numbers stand at the right.
type Leads struct {
	Rows   []Lead
	Over   [2]string // the names of the two others
	Styles [2]Style
	Above  *Grid // charts above all this, or nil
}

// Lead is the difference in accuracy between one method and two others, in points.
type Lead struct {
	Name string
	By   [2]Estimate
}

// leadScale is the value where the axis turns from linear to logarithmic, in points.
const leadScale = 0.3

// leadApart are the distances of the two points from their line.
var leadApart = []float64{0.14, -0.14}

// numbersWidth is the width of a column of numbers at the right.
const numbersWidth = vg.Length(34)

// height returns the height of the leads, without the charts above.
func (p Leads) height() vg.Length {
	return 2.2*vg.Centimeter + 0.42*vg.Centimeter*vg.Length(len(p.Rows))
}

// Figure returns the leads as a figure with a caption, as wide as a page.
func (p Leads) Figure(caption string) *Figure {
	height := p.height()
	if p.Above != nil {
		height += 4.2*vg.Centimeter*vg.Length(len(p.Above.Rows)) + legendLine
	}
	return newFigure(p, pageWidth, height, caption)
}

// draw implements content.
func (p Leads) draw(c draw.Canvas) (marks []Mark) {
	if p.Above != nil {
		marks = p.Above.draw(draw.Crop(c, 0, 0, p.height(), 0))
		c.Max.Y = c.Min.Y + p.height()
	}
	return append(marks, p.drawRows(c)...)
}

// drawRows draws the legend, the axes and a line for each row.
func (p Leads) drawRows(c draw.Canvas) (marks []Mark) {
	c = draw.Crop(c, 0, 0, 0, -drawLegend(c, []Key{
		{label: "ahead of " + p.Over[0] + " (left number)", curves: []Curve{p.points(0)}},
		{label: "ahead of " + p.Over[1] + " (right number)", curves: []Curve{p.points(1)}},
	})-margin)
	axes := draw.Crop(c, 0, -2*numbersWidth, 0, 0)
	drawn := p.chart().aligned()
	data := drawAxes(drawn, axes)
	toX, toY := drawn.Transforms(&data)
	c.StrokeLine2(draw.LineStyle{Color: color.Gray{90}, Width: vg.Points(0.6)}, toX(0), data.Min.Y, toX(0), data.Max.Y)
	number := textStyle(labelSize, black)
	number.XAlign = text.XRight
	for i, row := range p.Rows {
		for column, e := range row.By {
			number.Color = p.Styles[column].Color
			at := vg.Point{X: data.Max.X + numbersWidth*vg.Length(column+1), Y: toY(-float64(i))}
			c.FillText(number, at, signed(e.Mean, 1+leadDecimals(e.Mean, 0.95)))
			marks = append(marks, Mark{X: float64(toX(symlog(e.Mean))), Y: float64(toY(leadApart[column] - float64(i))),
				Text: row.Name + ", ahead of " + p.Over[column] + ": " + e.text()})
		}
	}
	return marks
}

// points returns the points of a column. The second has rings instead of filled points.
func (p Leads) points(column int) Curve {
	style := p.Styles[column]
	style.Layer = 0 // rows are drawn from the top
	if column == 1 {
		style.Shape = draw.RingGlyph{}
	}
	return Curve{Style: style, Kind: JustPoints}
}

// chart returns each point with its whisker.
func (p Leads) chart() *Chart {
	c := New("Accuracy ahead (points)", "")
	ends := span{-1, 1}
	var names []string
	for i, row := range p.Rows {
		names = append(names, row.Name+" ")
		for column, e := range row.By {
			low, high := e.Mean-e.StdDev, e.Mean+e.StdDev
			ends.take(low)
			ends.take(high)
			height := leadApart[column] - float64(i)
			dot := p.points(column)
			dot.X, dot.Mean = []float64{symlog(e.Mean)}, []float64{height}
			if e.Seeds > 1 {
				c.Curves = append(c.Curves, Curve{Style: Style{Color: dot.Style.Color, Width: vg.Points(0.7)},
					X: []float64{symlog(low), symlog(high)}, Mean: []float64{height, height}})
			}
			c.Curves = append(c.Curves, dot)
		}
	}
	c.XAxis.Ticks = func(float64, float64) (marks []plot.Tick) {
		for _, x := range []float64{-100, -30, -10, -3, -1, -0.3, 0, 0.3, 1, 3, 10, 30, 100} {
			if x >= ends.low && x <= ends.high {
				marks = append(marks, plot.Tick{Value: symlog(x), Label: signed(x, leadDecimals(x, 1))})
			}
		}
		return marks
	}
	c.YAxis.unticked = true
	return c.NamesY(names...).X(symlog(ends.low)-0.15, symlog(ends.high)+0.15).Y(-float64(len(p.Rows)-1)-0.6, 0.6)
}

// symlog is linear near zero and logarithmic beyond ±leadScale.
func symlog(x float64) float64 { return math.Asinh(x / leadScale) }

// leadDecimals returns 1 for a small number that is not 0, between −least and least, and otherwise 0.
func leadDecimals(x, least float64) int {
	if x != 0 && math.Abs(x) < least {
		return 1
	}
	return 0
}

// signed writes a difference with its sign. Zero has none.
func signed(x float64, decimals int) string {
	text := Decimals(x, decimals)
	if strings.HasPrefix(text, "−") || strings.Trim(text, "0.") == "" {
		return text
	}
	return "+" + text
}
