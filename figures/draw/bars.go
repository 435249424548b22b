package draw

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// BarGroup is a pair of bars with a diamond between them. Each bar has its number above. An estimate without seeds is not drawn.
type BarGroup struct {
	Name                  string
	Before, After, Frozen Estimate
}

// Estimate is a mean over seeds with the standard deviation (n−1) between them.
type Estimate struct {
	Mean, StdDev float64
	Seeds        int
}

// text writes the mean, and the standard deviation if there is one.
func (e Estimate) text() string {
	if e.Seeds > 1 {
		return Number(e.Mean) + " ± " + Number(e.StdDev)
	}
	return Number(e.Mean)
}

// Names of a group's bars, in the legend and in marks.
const (
	beforeName = "before its update"
	afterName  = "after its update"
	frozenName = "frozen after group 1"
)

// Widths, as shares of the distance between two bar groups.
const (
	barGap   = 0.20 // between the two bars
	barWidth = 0.29
)

// Colours of bars.
var (
	beforeFill = color.NRGBA{168, 205, 228, 255} // PHE's blue, two thirds of the way to white
	afterFill  = blue
)

// barKeys returns the keys of bars, and of the diamonds if there are any.
func barKeys(groups []BarGroup) []Key {
	keys := []Key{{label: beforeName, fill: beforeFill}, {label: afterName, fill: afterFill}}
	if groups[0].Frozen.Seeds > 0 {
		keys = append(keys, Key{label: frozenName, mark: frozenMark})
	}
	return keys
}

// Bars adds groups of bars of percentages, side by side.
func (c *Chart) Bars(groups ...BarGroup) *Chart {
	for _, group := range groups {
		c.XAxis.names = append(c.XAxis.names, group.Name)
	}
	c.Groups, c.NoVertical, c.XAxis.unticked = groups, true, true
	c.YAxis.Ticks = func(low, high float64) []plot.Tick { return ticks(low, 100) }
	return c.X(-0.5, float64(len(groups))-0.5).Y(0, 111) // room for a number
}

// barPlot draws bar groups at x = 0, 1, …
type barPlot []BarGroup

// Plot implements plot.Plotter.
func (groups barPlot) Plot(c draw.Canvas, plt *plot.Plot) {
	toX, toY := plt.Transforms(&c)
	bar := func(e Estimate, fill color.Color, left float64) {
		if e.Seeds == 0 {
			return
		}
		fillBox(c, fill, toX(left), toY(0), toX(left+barWidth), toY(e.Mean))
		middle, top := toX(left+barWidth/2), toY(e.Mean)
		if e.Seeds > 1 {
			top = toY(min(100, e.Mean+e.StdDev))
			whisker := draw.LineStyle{Color: color.Gray{60}, Width: vg.Points(0.6)}
			c.StrokeLine2(whisker, middle, toY(max(0, e.Mean-e.StdDev)), middle, top)
			c.StrokeLine2(whisker, middle-2, top, middle+2, top)
			c.StrokeLine2(whisker, middle-2, toY(max(0, e.Mean-e.StdDev)), middle+2, toY(max(0, e.Mean-e.StdDev)))
		}
		style := textStyle(labelSize, black)
		style.XAlign = text.XCenter
		c.FillText(style, vg.Point{X: middle, Y: top + labelSize/2 + 1.5}, Decimals(e.Mean, 0))
	}
	for i, group := range groups {
		x := float64(i)
		bar(group.Before, beforeFill, x-barGap/2-barWidth)
		bar(group.After, afterFill, x+barGap/2)
		if group.Frozen.Seeds > 0 {
			frozenMark(c, vg.Point{X: toX(x), Y: toY(group.Frozen.Mean)})
		}
	}
}

// frozenMark draws a black diamond on white.
func frozenMark(c draw.Canvas, at vg.Point) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: 3.6, Shape: diamond{}}, at)
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: black, Radius: 2.6, Shape: diamond{}}, at)
}
