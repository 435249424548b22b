package figures

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// barGroup is a pair of bars with a diamond between them. Each bar has its number above. An estimate without seeds is not
// drawn.
type barGroup struct {
	name                  string
	before, after, frozen estimate
}

// Widths, as shares of the distance between two bar groups.
const (
	barGap   = 0.20 // between the two bars
	barWidth = 0.29
)

var (
	beforeFill = color.NRGBA{168, 205, 228, 255} // PHE's blue, two thirds of the way to white
	afterFill  = blue
)

// plotBars sets the axes and adds the bars.
func (p *panel) plotBars(out *plot.Plot, lines *plotter.Grid) {
	lines.Vertical.Color = nil
	var names []plot.Tick
	for i, group := range p.bars {
		names = append(names, plot.Tick{Value: float64(i), Label: group.name})
	}
	out.X.Tick.Marker = plot.ConstantTicks(names)
	out.X.Tick.LineStyle.Color = color.Transparent
	out.X.Min, out.X.Max = -0.5, float64(len(p.bars))-0.5
	out.Y.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick { return ticks(low, 100) })
	out.Y.Min, out.Y.Max = 0, 111 // room for a number
	out.Add(barPlot(p.bars))
}

// barPlot draws bar groups at x = 0, 1, …
type barPlot []barGroup

// Plot implements plot.Plotter.
func (groups barPlot) Plot(c draw.Canvas, plt *plot.Plot) {
	toX, toY := plt.Transforms(&c)
	bar := func(e estimate, fill color.Color, left float64) {
		if e.seeds == 0 {
			return
		}
		fillBox(c, fill, toX(left), toY(0), toX(left+barWidth), toY(e.mean))
		middle, top := toX(left+barWidth/2), toY(e.mean)
		if e.seeds > 1 {
			top = toY(min(100, e.mean+e.stdDev))
			whisker := draw.LineStyle{Color: color.Gray{60}, Width: vg.Points(0.6)}
			c.StrokeLine2(whisker, middle, toY(max(0, e.mean-e.stdDev)), middle, top)
			c.StrokeLine2(whisker, middle-2, top, middle+2, top)
			c.StrokeLine2(whisker, middle-2, toY(max(0, e.mean-e.stdDev)), middle+2, toY(max(0, e.mean-e.stdDev)))
		}
		style := textStyle(labelSize, black)
		style.XAlign = text.XCenter
		c.FillText(style, vg.Point{X: middle, Y: top + labelSize/2 + 1.5}, number(e.mean, 0))
	}
	for i, group := range groups {
		x := float64(i)
		bar(group.before, beforeFill, x-barGap/2-barWidth)
		bar(group.after, afterFill, x+barGap/2)
		if group.frozen.seeds > 0 {
			frozenMark(c, vg.Point{X: toX(x), Y: toY(group.frozen.mean)})
		}
	}
}

// frozenMark draws a black diamond on white.
func frozenMark(c draw.Canvas, at vg.Point) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: 3.6, Shape: diamond{}}, at)
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: black, Radius: 2.6, Shape: diamond{}}, at)
}
