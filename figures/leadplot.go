package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// leadScale is the value where the axis of leads turns from linear to logarithmic, in points.
const leadScale = 0.3

// leadApart are the distances of the two points from the line of their stream.
var leadApart = []float64{0.14, -0.14}

// leadPlot has a line for each stream with two points: the lead over the published update, and the lead over the frozen model.
// Their numbers stand at the right.
type leadPlot struct {
	leads          []lead
	update, frozen look
}

// numbersWidth is the width of a column of numbers at the right.
const numbersWidth = vg.Length(34)

// Draw implements Content.
func (p leadPlot) Draw(c draw.Canvas) ([]Mark, error) {
	drawn, err := p.plot()
	if err != nil {
		return nil, err
	}
	c = draw.Crop(c, 0, 0, 0, -drawLegend(c, p.keys())-margin)
	axes := draw.Crop(c, 0, -2*numbersWidth, 0, 0)
	drawn.Draw(axes)
	data := drawn.DataCanvas(axes)
	toX, toY := drawn.Transforms(&data)
	c.StrokeLine2(draw.LineStyle{Color: color.Gray{90}, Width: vg.Points(0.6)}, toX(0), data.Min.Y, toX(0), data.Max.Y)
	number := textStyle(labelSize, black)
	number.XAlign = text.XRight
	var marks []Mark
	for i, l := range p.leads {
		for column, e := range []estimate{l.overUpdate, l.overFrozen} {
			number.Color = []look{p.update, p.frozen}[column].color
			c.FillText(number, vg.Point{X: data.Max.X + numbersWidth*vg.Length(column+1), Y: toY(p.line(i))}, signed(e.mean, 1+decimals(e.mean, 0.95)))
			name := l.stream + []string{", ahead of PHE as published: ", ", ahead of PHE frozen: "}[column]
			marks = append(marks, Mark{X: float64(toX(symlog(e.mean, leadScale))), Y: float64(toY(p.line(i) + leadApart[column])), Text: name + e.text()})
		}
	}
	return marks, nil
}

// keys explains the two points, in the order of their columns of numbers.
func (p leadPlot) keys() []key {
	return []key{
		{label: "ahead of PHE as published (left number)", curve: curve{look: p.update, marks: justPoints}},
		{label: "ahead of PHE frozen (right number)", curve: p.frozenCurve()},
	}
}

// frozenCurve returns the look of the frozen model: rings instead of filled points.
func (p leadPlot) frozenCurve() curve {
	l := p.frozen
	l.shape = draw.RingGlyph{}
	return curve{look: l, marks: justPoints}
}

// line returns the height of stream i. The first is on top.
func (p leadPlot) line(i int) float64 { return -float64(i) }

func (p leadPlot) plot() (*plot.Plot, error) {
	out := plot.New()
	house(out)
	out.X.Label.Text = "Accuracy ahead (points)"
	var names, marks []plot.Tick
	low, high := -1.0, 1.0
	for i, l := range p.leads {
		names = append(names, plot.Tick{Value: p.line(i), Label: l.stream + "  "})
		for _, e := range []estimate{l.overUpdate, l.overFrozen} {
			low, high = min(low, e.mean-e.stdDev), max(high, e.mean+e.stdDev)
		}
	}
	for _, x := range []float64{-100, -30, -10, -3, -1, -0.3, 0, 0.3, 1, 3, 10, 30, 100} {
		if x >= low && x <= high {
			marks = append(marks, plot.Tick{Value: symlog(x, leadScale), Label: signed(x, decimals(x, 1))})
		}
	}
	out.Y.Tick.Marker, out.X.Tick.Marker = plot.ConstantTicks(names), plot.ConstantTicks(marks)
	out.Y.Tick.LineStyle.Color = color.Transparent
	for i, l := range p.leads {
		for k, e := range []estimate{l.overUpdate, l.overFrozen} {
			c := []curve{{look: p.update, marks: justPoints}, p.frozenCurve()}[k]
			if err := addLead(out, c, e, p.line(i)+leadApart[k]); err != nil {
				return nil, err
			}
		}
	}
	out.X.Min, out.X.Max = symlog(low, leadScale)-0.15, symlog(high, leadScale)+0.15
	out.Y.Min, out.Y.Max = p.line(len(p.leads)-1)-0.6, 0.6
	return out, nil
}

// addLead draws one point with its whisker.
func addLead(out *plot.Plot, c curve, e estimate, height float64) error {
	at := symlog(e.mean, leadScale)
	dot, err := plotter.NewScatter(plotter.XYs{{X: at, Y: height}})
	if err != nil {
		return err
	}
	dot.GlyphStyle = c.glyph()
	if e.seeds > 1 {
		whisker, err := plotter.NewLine(plotter.XYs{{X: symlog(e.mean-e.stdDev, leadScale), Y: height}, {X: symlog(e.mean+e.stdDev, leadScale), Y: height}})
		if err != nil {
			return err
		}
		whisker.Color, whisker.Width = c.look.color, vg.Points(0.7)
		out.Add(whisker)
	}
	out.Add(dot)
	return nil
}

// decimals returns 1 for a small number that is not 0, between −least and least, and otherwise 0.
func decimals(x, least float64) int {
	if x != 0 && math.Abs(x) < least {
		return 1
	}
	return 0
}
