package draw

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Axis is the scale of x or y.
type Axis struct {
	Label     string
	Low, High float64         // its ends; if both are equal it follows the curves
	Ticks     plot.TickerFunc // nil for round numbers, at least four of them
	unticked  bool            // labels without lines
	log       bool
	names     []string // of the positions 0, 1, 2 and so on; going down 0, −1, −2
	down      bool     // an axis of y
}

// Limits says how the axes of a chart in a Grid follow its curves.
type Limits struct {
	XMin      float64
	RoomX     bool    // the x axis holds the points with room to both sides
	Share     bool    // accuracy in %: the y axis ends at 100
	MaxSpan   float64 // largest span of the y axis, from its top; 0 for no limit
	BestBelow bool    // an error: the y axis leaves out values below 0 and far above most lines
	Settled   float64 // values to the left of it do not widen the y axis
	Tight     bool    // the y axis gives whiskers little room beyond the points
}

// LogX makes the x axis logarithmic. Values of 0 and below are not drawn. The caption counts them.
func (c *Chart) LogX() *Chart {
	c.XAxis.log = true
	return c
}

// LogY makes the y axis logarithmic, as LogX does.
func (c *Chart) LogY() *Chart {
	c.YAxis.log = true
	return c
}

// X fixes the ends of the x axis. By default it covers all curves.
func (c *Chart) X(low, high float64) *Chart {
	c.XAxis.Low, c.XAxis.High = low, high
	return c
}

// Y fixes the ends of the y axis. By default it covers all curves.
func (c *Chart) Y(low, high float64) *Chart {
	c.YAxis.Low, c.YAxis.High = low, high
	return c
}

// NamesX writes names below the positions 0, 1, 2 and so on.
func (c *Chart) NamesX(names ...string) *Chart {
	c.XAxis.names = names
	return c
}

// NamesY writes names next to the positions 0, −1, −2 and so on, so that the first is on top.
func (c *Chart) NamesY(names ...string) *Chart {
	c.YAxis.names = names
	return c
}

// given returns the ends of an axis that does not follow the curves: one with fixed ends or with names.
func (a Axis) given() (low, high float64, ok bool) {
	low, high = -0.6, float64(len(a.names))-0.4
	switch {
	case a.Low < a.High:
		return a.scaled(a.Low), a.scaled(a.High), true
	case a.down:
		low, high = -high, -low
	}
	return low, high, len(a.names) > 0
}

// scaled returns a value in the axis's units: its decimal logarithm on a logarithmic axis.
func (a Axis) scaled(v float64) float64 {
	if a.log {
		return math.Log10(v)
	}
	return v
}

// dress gives a plot's axis its label and ticks. The label may be as long as the axis, for which there is some room.
func (a Axis) dress(to *plot.Axis, room vg.Length) {
	const ticks = 40 // points beside the axis
	style := to.Label.TextStyle
	to.Label.Text = cut(a.Label, max(nameWidth*style.Font.Size/labelSize, room-ticks), style)
	if a.unticked {
		to.Tick.LineStyle.Color = color.Transparent
	}
	switch {
	case len(a.names) > 0:
		to.Tick.Marker = plot.ConstantTicks(a.nameTicks())
	case a.Ticks != nil:
		to.Tick.Marker = a.Ticks
	case a.log:
		to.Tick.Marker = plot.TickerFunc(PowerTicks)
	}
}

func (a Axis) nameTicks() []plot.Tick {
	ticks := make([]plot.Tick, len(a.names))
	for i, name := range a.names {
		ticks[i] = plot.Tick{Value: float64(i), Label: short(name)}
		if a.down {
			ticks[i] = plot.Tick{Value: -float64(i), Label: short(name) + " "}
		}
	}
	return ticks
}

// text writes a position for a mark: its name if it has one.
func (a Axis) text(v float64) string {
	if place := math.Abs(math.Round(v)); place < float64(len(a.names)) {
		return a.names[int(place)]
	}
	return Number(v)
}

// span is a range that grows.
type span struct{ low, high float64 }

func emptySpan() span { return span{math.Inf(1), math.Inf(-1)} }

func (s *span) take(v float64) {
	if isDrawn(v) {
		s.low, s.high = min(s.low, v), max(s.high, v)
	}
}

// fit gives the axes of a chart in a Row the ends that show all curves.
func (c *Chart) fit(p *plot.Plot) {
	all := plot.New()
	all.Add(c.plotters()...)
	xRoom, yRoom := 0.0, 0.05
	for _, s := range c.Curves {
		switch s.Kind {
		case dots:
			xRoom = 0.03
		case cells:
			yRoom = 0
		}
	}
	p.X.Min, p.X.Max = c.XAxis.withRoom(all.X, xRoom)
	p.Y.Min, p.Y.Max = c.YAxis.withRoom(all.Y, yRoom)
}

// withRoom returns the ends of an axis with room around its curves, from an axis without room.
func (a Axis) withRoom(curves plot.Axis, room float64) (low, high float64) {
	if low, high, ok := a.given(); ok {
		return low, high
	}
	low, high = curves.Min, curves.Max
	room *= high - low
	least := max(1/largest, 1e-12*max(-low, high)) // so that there are numbers between the ends
	switch {
	case low > high: // no points
		return 0, 1
	case high-low <= least:
		return low - max(0.5, least), high + max(0.5, least)
	case low == 0: // nothing lies below the axis
		return 0, high + room
	}
	return low - room, high + room
}

// XRange returns the x axis of a chart in a Grid. It begins at XMin and is at least 1 wide, so that a single step has an axis. With
// RoomX it covers the points with room at both sides.
func (c *Chart) XRange() (low, high float64) {
	if low, high, ok := c.XAxis.given(); ok {
		return low, high
	}
	if c.Range.RoomX {
		all := emptySpan()
		for _, s := range c.Curves {
			for i := range s.Mean {
				if s.Kind.isPoints() {
					all.take(s.at(i))
				}
			}
		}
		room := max(0.08, 0.06*(all.high-all.low))
		return all.low - room, all.high + room
	}
	low, high = c.Range.XMin, c.Range.XMin+1
	for _, s := range c.Curves {
		if n := len(s.Mean); n > 0 {
			high = max(high, s.at(n-1))
		}
	}
	return low, high
}

// YRange returns the y axis of a chart in a Grid. It covers every line and whisker. Bands add at most half to it. With MaxSpan or
// BestBelow it is shorter: a method that fails must not press the others together.
func (c *Chart) YRange() (low, high float64) {
	if low, high, ok := c.YAxis.given(); ok {
		return low, high
	}
	low, high = c.rangeOf(c.Curves)
	var near []Curve
	for _, s := range c.Curves {
		if len(s.Mean) > 0 && slices.Max(s.Mean) >= low {
			near = append(near, s)
		}
	}
	if len(near) < len(c.Curves) && len(near) > 0 {
		return c.rangeOf(near) // a line that is out of sight must not widen the axis
	}
	return low, high
}

// rangeOf returns the y axis for some of the curves. With BestBelow it ends at 2½ times the need of the median line.
func (c *Chart) rangeOf(curves []Curve) (low, high float64) {
	lines, spreads := emptySpan(), emptySpan()
	var tops []float64 // of the lines
	for _, s := range curves {
		own := emptySpan()
		for i, y := range s.Mean {
			if s.at(i) < c.Range.Settled && i < len(s.Mean)-1 {
				continue
			}
			own.take(y)
			if i < len(s.StdDev) {
				spreads.take(y - s.StdDev[i])
				spreads.take(y + s.StdDev[i])
			}
		}
		lines.low, lines.high = min(lines.low, own.low), max(lines.high, own.high)
		tops = append(tops, own.high)
	}
	low, high = lines.low, lines.high
	if c.Range.BestBelow && len(tops) > 0 {
		slices.Sort(tops)
		high = min(high, low+2.5*(tops[(len(tops)-1)/2]-low))
	}
	pad := max(0.04*(high-low), 0.05)
	allow := max((high-low)/4, pad)
	if c.Whiskers {
		allow = math.Inf(1)
	} else if c.Range.Tight {
		allow = pad
	}
	low, high = min(low, max(spreads.low, low-allow))-pad, max(high, min(spreads.high, high+allow))+pad
	if c.Range.BestBelow {
		low = max(low, 0)
	}
	if c.Range.Share {
		high = min(high, 100+0.02*(100-low)) // room for a line's width
	}
	if c.Range.MaxSpan > 0 {
		low = max(low, high-c.Range.MaxSpan)
	}
	return low, high
}
