package figures

import (
	"image/color"
	"math"
	"slices"
	"sort"

	"github.com/pkg/errors"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gophe/experiments/result"
)

// panel is one pair of axes, with curves or bars.
type panel struct {
	title, xLabel, yLabel string
	curves                []curve
	bars                  []barGroup
	guide                 plotter.XYs     // a thin line below the curves
	changes               []result.Change // dotted lines
	nameChanges           bool            // above the axes
	legend                bool            // the curves' names are in the figure's legend, not at their ends

	xMin           float64
	roomX          bool            // the x axis holds the points with room to both sides
	xTicks, yTicks plot.TickerFunc // nil for the usual ones
	yMin, yMax     float64         // the y axis; if both are 0 it follows the curves
	isShare        bool            // accuracy in %: the y axis ends at 100
	maxSpan        float64         // largest span of the y axis, from its top; 0 for no limit
	bestBelow      bool            // an error: the y axis leaves out values below 0 and far above most lines
	settled        float64         // values to the left of it do not widen the y axis
	tight          bool            // the y axis gives whiskers little room beyond the points
	noVertical     bool            // no vertical grid lines, because changes have dotted lines
	whiskers       bool            // one whisker for each curve instead of a band, for lines that run close together
}

// plot draws bands or whiskers, then the lines by layer, so that no band hides a line.
func (p *panel) plot() (*plot.Plot, error) {
	out := plot.New()
	lines := house(out)
	out.X.Label.Text, out.Y.Label.Text = p.xLabel, p.yLabel
	if p.xTicks != nil {
		out.X.Tick.Marker = p.xTicks
	}
	if p.yTicks != nil {
		out.Y.Tick.Marker = p.yTicks
	}
	if len(p.bars) > 0 {
		p.plotBars(out, lines)
		return out, nil
	}
	if p.noVertical {
		lines.Vertical.Color = nil
	}
	if len(p.guide) > 0 {
		line, err := plotter.NewLine(p.guide)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = color.Gray{90}, vg.Points(0.5)
		out.Add(line)
	}
	curves := append([]curve(nil), p.curves...)
	sort.SliceStable(curves, func(i, j int) bool { return curves[i].layer < curves[j].layer })
	for i, c := range curves {
		if !p.hasBand(c) {
			continue
		}
		spread, err := c.spread()
		if p.whiskers {
			spread, err = c.whisker(0.95 - 0.5*float64(len(curves)-1-i)/float64(len(curves)))
		}
		if err != nil {
			return nil, errors.Wrap(err, c.label)
		}
		out.Add(spread...)
	}
	low, high := p.yRange()
	for _, c := range curves {
		c.breaks = slices.Clone(c.breaks)
		for _, last := range c.soars(low, high) {
			c.breaks = append(c.breaks, last+1)
		}
		slices.Sort(c.breaks)
		drawn, err := c.plotters()
		if err != nil {
			return nil, errors.Wrap(err, c.label)
		}
		out.Add(drawn...)
	}
	out.X.Min, out.X.Max = p.xRange()
	out.Y.Min, out.Y.Max = low, high
	return out, nil
}

// hasBand reports whether the curve's standard deviations are drawn. The band of an error that explodes would cover everything.
func (p *panel) hasBand(c curve) bool {
	if _, high := p.yRange(); p.bestBelow && slices.Max(c.mean) > high {
		return false
	}
	return len(c.stdDev) > 1 || c.marks.points() && len(c.stdDev) > 0
}

// xRange returns the x axis. It begins at xMin and is at least 1 wide, so that a single step has an axis. With roomX it covers
// the points with room at both sides.
func (p *panel) xRange() (low, high float64) {
	if p.roomX {
		low, high = math.Inf(1), math.Inf(-1)
		for _, c := range p.curves {
			for i := range c.mean {
				if c.marks.points() {
					low, high = min(low, c.at(i)), max(high, c.at(i))
				}
			}
		}
		room := max(0.08, 0.06*(high-low))
		return low - room, high + room
	}
	high = p.xMin + 1
	for _, c := range p.curves {
		if n := len(c.mean); n > 0 {
			high = max(high, c.at(n-1))
		}
	}
	return p.xMin, high
}

// yRange returns the y axis. It covers every line and whisker. Bands add at most half to it. With maxSpan or bestBelow it is
// shorter: a method that fails must not press the others together.
func (p *panel) yRange() (low, high float64) {
	if p.yMin < p.yMax {
		return p.yMin, p.yMax
	}
	low, high = p.rangeOf(p.curves)
	var near []curve
	for _, c := range p.curves {
		if len(c.mean) > 0 && slices.Max(c.mean) >= low {
			near = append(near, c)
		}
	}
	if len(near) < len(p.curves) && len(near) > 0 {
		return p.rangeOf(near) // a line that is out of sight must not widen the axis
	}
	return low, high
}

// rangeOf returns the y axis for some of the curves. With bestBelow it ends at 2½ times the need of the median line.
func (p *panel) rangeOf(curves []curve) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	bandLow, bandHigh := low, high
	var tops []float64 // of the lines
	for _, c := range curves {
		top := math.Inf(-1)
		for i, y := range c.mean {
			if c.at(i) < p.settled && i < len(c.mean)-1 {
				continue
			}
			low, high, top = min(low, y), max(high, y), max(top, y)
			if i < len(c.stdDev) {
				bandLow, bandHigh = min(bandLow, y-c.stdDev[i]), max(bandHigh, y+c.stdDev[i])
			}
		}
		tops = append(tops, top)
	}
	if p.bestBelow && len(tops) > 0 {
		slices.Sort(tops)
		high = min(high, low+2.5*(tops[(len(tops)-1)/2]-low))
	}
	pad := max(0.04*(high-low), 0.05)
	allow := max((high-low)/4, pad)
	if p.whiskers {
		allow = math.Inf(1)
	} else if p.tight {
		allow = pad
	}
	low, high = min(low, max(bandLow, low-allow))-pad, max(high, min(bandHigh, high+allow))+pad
	if p.bestBelow {
		low = max(low, 0)
	}
	if p.isShare {
		high = min(high, 100+0.02*(100-low)) // room for a line's width
	}
	if p.maxSpan > 0 {
		low = max(low, high-p.maxSpan)
	}
	return low, high
}

// drawChanges draws a dotted line where the stream shows something new. With nameChanges it says what is new.
func (p *panel) drawChanges(drawn *plot.Plot, page, data draw.Canvas) {
	toX, _ := drawn.Transforms(&data)
	dotted := draw.LineStyle{Color: color.Gray{90}, Width: vg.Points(0.6), Dashes: []vg.Length{0.7, 1.7}}
	for _, change := range p.changes {
		at := float64(change.Step)
		if at < drawn.X.Min || at > drawn.X.Max {
			continue
		}
		page.StrokeLine2(dotted, toX(at), data.Min.Y, toX(at), data.Max.Y)
		if p.nameChanges {
			page.FillText(textStyle(labelSize, black), vg.Point{X: toX(at) + 1, Y: data.Max.Y + labelSize/2 + 1}, change.What)
		}
	}
}
