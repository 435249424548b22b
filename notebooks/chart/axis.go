package chart

import (
	"math"

	"gonum.org/v1/plot"

	"gophe/figures"
)

// axis is the scale of x or y.
type axis struct {
	label     string
	log       bool
	isFixed   bool // low and high are given
	low, high float64
	names     []string // of the positions 0, 1, 2 and so on (for y: 0, −1, −2)
}

// LogX makes the x axis logarithmic. Its values must be positive.
func (c *Chart) LogX() *Chart {
	c.x.log = true
	return c
}

// LogY makes the y axis logarithmic. Its values must be positive.
func (c *Chart) LogY() *Chart {
	c.y.log = true
	return c
}

// X fixes the ends of the x axis. By default it covers all series.
func (c *Chart) X(low, high float64) *Chart {
	c.x.isFixed, c.x.low, c.x.high = true, low, high
	return c
}

// Y fixes the ends of the y axis. By default it covers all series.
func (c *Chart) Y(low, high float64) *Chart {
	c.y.isFixed, c.y.low, c.y.high = true, low, high
	return c
}

// NamesX writes names below the positions 0, 1, 2 and so on.
func (c *Chart) NamesX(names ...string) *Chart {
	c.x.names = names
	return c
}

// NamesY writes names beside the positions 0, −1, −2 and so on, so that the first is on top.
func (c *Chart) NamesY(names ...string) *Chart {
	c.y.names = names
	return c
}

// scaled returns a value in the axis's units: its decimal logarithm on a logarithmic axis.
func (a axis) scaled(v float64) float64 {
	if a.log {
		return math.Log10(v)
	}
	return v
}

// set gives a plot's axis its ends and ticks. Low and high are the ends of the series, in the axis's units.
func (a axis) set(to *plot.Axis, low, high, room float64, down bool) {
	switch {
	case a.isFixed:
		low, high = a.scaled(a.low), a.scaled(a.high)
	case len(a.names) > 0:
		low, high = -0.6, float64(len(a.names))-0.4
		if down {
			low, high = -high, -low
		}
	case math.IsInf(low, 0) || math.IsInf(high, 0): // no points
		low, high = 0, 1
	case low == high:
		low, high = low-0.5, high+0.5
	default:
		below := room * (high - low)
		if low == 0 {
			below = 0 // nothing lies below the axis
		}
		low, high = low-below, high+room*(high-low)
	}
	to.Min, to.Max = low, high
	if a.log {
		to.Tick.Marker = figures.PowerTicks()
	}
	if len(a.names) > 0 {
		to.Tick.Marker = plot.ConstantTicks(a.nameTicks(down))
	}
}

func (a axis) nameTicks(down bool) []plot.Tick {
	ticks := make([]plot.Tick, len(a.names))
	for i, name := range a.names {
		ticks[i] = plot.Tick{Value: float64(i), Label: name}
		if down {
			ticks[i] = plot.Tick{Value: -float64(i), Label: name + " "}
		}
	}
	return ticks
}

// text writes a position for a mark: its name if it has one.
func (a axis) text(v float64) string {
	if place := math.Abs(math.Round(v)); place < float64(len(a.names)) {
		return a.names[int(place)]
	}
	return figures.Number(v)
}
