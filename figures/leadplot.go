package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"gophe/figures/draw"
)

// leadScale is the value where the axis of leads turns from linear to logarithmic, in points.
const leadScale = 0.3

// leadApart are the distances of the two points from the line of their stream.
var leadApart = []float64{0.14, -0.14}

// leadPlot has a line for each stream with two points: the lead over the published update, and the lead over the frozen model.
// Their numbers stand at the right.
type leadPlot struct {
	leads []lead
	looks [2]draw.Look // of the published update and of the frozen model
}

// numbersWidth is the width of a column of numbers at the right.
const numbersWidth = vg.Length(34)

// Draw implements draw.Content.
func (p leadPlot) Draw(c vgdraw.Canvas) ([]draw.Mark, error) {
	keys := []draw.Key{draw.CurveKey("ahead of PHE as published (left number)", p.points(0)), draw.CurveKey("ahead of PHE frozen (right number)", p.points(1))}
	c = vgdraw.Crop(c, 0, 0, 0, -draw.DrawLegend(c, keys)-4)
	data, at := p.chart().DrawAt(vgdraw.Crop(c, 0, -2*numbersWidth, 0, 0))
	zero := at(0, 0).X
	c.StrokeLine2(vgdraw.LineStyle{Color: color.Gray{90}, Width: vg.Points(0.6)}, zero, data.Min.Y, zero, data.Max.Y)
	number := draw.TextStyle(draw.LabelSize, draw.Black)
	number.XAlign = text.XRight
	var marks []draw.Mark
	for i, l := range p.leads {
		for column, e := range l.over {
			number.Color = p.looks[column].Color
			right := vg.Point{X: data.Max.X + numbersWidth*vg.Length(column+1), Y: at(0, p.line(i)).Y}
			c.FillText(number, right, signed(e.Mean, 1+decimals(e.Mean, 0.95)))
			name := l.stream + []string{", ahead of PHE as published: ", ", ahead of PHE frozen: "}[column]
			point := at(symlog(e.Mean, leadScale), p.line(i)+leadApart[column])
			marks = append(marks, draw.Mark{X: float64(point.X), Y: float64(point.Y), Text: name + e.Text()})
		}
	}
	return marks, nil
}

// points returns the points of a column. The frozen model has rings instead of filled points.
func (p leadPlot) points(column int) draw.Curve {
	look := p.looks[column]
	if column == 1 {
		look.Shape = vgdraw.RingGlyph{}
	}
	return draw.Curve{Look: look, Kind: draw.JustPoints}
}

// line returns the height of stream i. The first is on top.
func (p leadPlot) line(i int) float64 { return -float64(i) }

// chart draws each point with its whisker.
func (p leadPlot) chart() *draw.Chart {
	c := draw.New("Accuracy ahead (points)", "")
	var names []string
	low, high := -1.0, 1.0
	for i, l := range p.leads {
		names = append(names, l.stream+" ")
		for column, e := range l.over {
			low, high = min(low, e.Mean-e.StdDev), max(high, e.Mean+e.StdDev)
			height := p.line(i) + leadApart[column]
			dot := p.points(column)
			dot.X, dot.Mean = []float64{symlog(e.Mean, leadScale)}, []float64{height}
			if e.Seeds > 1 {
				whisker := draw.Curve{Look: draw.Look{Color: dot.Look.Color, Width: vg.Points(0.7)}, Mean: []float64{height, height}}
				whisker.X = []float64{symlog(e.Mean-e.StdDev, leadScale), symlog(e.Mean+e.StdDev, leadScale)}
				c.Curves = append(c.Curves, whisker)
			}
			c.Curves = append(c.Curves, dot)
		}
	}
	c.XAxis.Ticks = func(float64, float64) (marks []plot.Tick) {
		for _, x := range []float64{-100, -30, -10, -3, -1, -0.3, 0, 0.3, 1, 3, 10, 30, 100} {
			if x >= low && x <= high {
				marks = append(marks, plot.Tick{Value: symlog(x, leadScale), Label: signed(x, decimals(x, 1))})
			}
		}
		return marks
	}
	c.YAxis.Unticked = true
	return c.NamesY(names...).X(symlog(low, leadScale)-0.15, symlog(high, leadScale)+0.15).Y(p.line(len(p.leads)-1)-0.6, 0.6)
}

// decimals returns 1 for a small number that is not 0, between −least and least, and otherwise 0.
func decimals(x, least float64) int {
	if x != 0 && math.Abs(x) < least {
		return 1
	}
	return 0
}
