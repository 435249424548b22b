// Package chart draws the plots of notebooks in the look of package figures: lines, dots, bars and matrices on one pair of
// axes, or several charts side by side. Each point has a mark, so that a page can show its value.
//
//	chart.New("Buckets B", "Share of pairs").LogX().LogY().
//		Line("theory", buckets, theory).Dots("measured", buckets, shares).
//		Figure("Pairs of items in one bucket")
//
// A chart is a programmer's description of a picture. Its methods panic if two slices differ in length.
package chart

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"

	"gophe/figures"
)

// Chart is one pair of axes with series. Its methods change it and return it.
type Chart struct {
	title         string
	x, y          axis
	series        []series
	lines         []vertical
	width, height vg.Length
	next          int // colour of the next series
}

// The size of a chart that has no other.
const (
	usualWidth  = 15 * vg.Centimeter
	usualHeight = 7 * vg.Centimeter
)

// New returns an empty chart with labels at its axes.
func New(xLabel, yLabel string) *Chart {
	return &Chart{x: axis{label: xLabel}, y: axis{label: yLabel}, width: usualWidth, height: usualHeight}
}

// Title sets the text above the axes.
func (c *Chart) Title(text string) *Chart {
	c.title = text
	return c
}

// Size sets the width and height, without the caption. In a Row the widths are shares.
func (c *Chart) Size(width, height vg.Length) *Chart {
	c.width, c.height = width, height
	return c
}

// Line adds a line through points. If x is nil, the points stand at 0, 1, 2 and so on. NaN interrupts the line.
func (c *Chart) Line(name string, x, y []float64, options ...Option) *Chart {
	return c.add(joined, name, positions(x, y), y, nil, options)
}

// Steps adds a line that keeps each value until the next x.
func (c *Chart) Steps(name string, x, y []float64, options ...Option) *Chart {
	return c.add(stepped, name, positions(x, y), y, nil, options)
}

// Dots adds points.
func (c *Chart) Dots(name string, x, y []float64, options ...Option) *Chart {
	return c.add(dotted, name, positions(x, y), y, nil, options)
}

// Band fills the area between two lines. It has no entry in the legend if its name is empty.
func (c *Chart) Band(name string, x, low, high []float64, options ...Option) *Chart {
	return c.add(banded, name, positions(x, low), low, high, options)
}

// Curve adds a function as a line of 200 points.
func (c *Chart) Curve(name string, f func(float64) float64, from, to float64, options ...Option) *Chart {
	const points = 200
	x, y := make([]float64, points), make([]float64, points)
	for i := range x {
		x[i] = from + (to-from)*float64(i)/(points-1)
		y[i] = f(x[i])
	}
	return c.Line(name, x, y, options...)
}

// Level adds a horizontal line at a value.
func (c *Chart) Level(name string, value, from, to float64, options ...Option) *Chart {
	return c.Line(name, []float64{from, to}, []float64{value, value}, options...)
}

// Intervals adds points, each with a horizontal line from low to high. The options must name a colour, or each line takes the next one.
func (c *Chart) Intervals(name string, low, middle, high, y []float64, options ...Option) *Chart {
	mustMatch(len(y), len(low))
	mustMatch(len(y), len(high))
	for i := range y {
		c.Level("", y[i], low[i], high[i], options...)
	}
	return c.Dots(name, middle, y, options...)
}

// Bars adds a bar for each value, and names them below the axis.
func (c *Chart) Bars(names []string, values []float64, options ...Option) *Chart {
	mustMatch(len(names), len(values))
	c.NamesX(names...)
	return c.add(barred, "", positions(nil, values), values, nil, options)
}

// Heat shows a matrix as coloured cells, with row 0 at the top. White is 0, blue is the largest value and red the smallest.
func (c *Chart) Heat(values [][]float64) *Chart {
	for row, list := range values {
		y := make([]float64, len(list))
		for i := range y {
			y[i] = -float64(row)
		}
		c.add(heated, "", positions(nil, list), y, list, []Option{Colour(0)})
	}
	return c
}

// At adds a dotted vertical line with a label above it.
func (c *Chart) At(x float64, label string) *Chart {
	c.lines = append(c.lines, vertical{x, label})
	return c
}

// Figure returns the chart with a caption below.
func (c *Chart) Figure(caption string) *figures.Figure { return Row(caption, c) }

// add appends a series in the next colour, or in the colour of the options.
func (c *Chart) add(kind kind, name string, x, y, other []float64, options []Option) *Chart {
	mustMatch(len(x), len(y))
	if other != nil {
		mustMatch(len(x), len(other))
	}
	s := series{kind: kind, name: name, x: x, y: y, other: other, look: look{number: -1}, place: c.bars()}
	for _, option := range options {
		option(&s.look)
	}
	if s.look.color == nil {
		if s.look.number < 0 {
			for c.uses(houseColour(c.next)) && c.next < len(houseColours) {
				c.next++
			}
			s.look.number = c.next
			c.next++
		}
		s.look.color = houseColour(s.look.number)
	}
	c.series = append(c.series, s)
	return c
}

// uses reports whether a series has the colour.
func (c *Chart) uses(wanted color.Color) bool {
	return slices.ContainsFunc(c.series, func(s series) bool { return s.look.color == wanted })
}

// bars returns the number of series of bars.
func (c *Chart) bars() int {
	count := 0
	for _, s := range c.series {
		if s.kind == barred {
			count++
		}
	}
	return count
}

// positions returns x, or 0, 1, 2 and so on if it is nil.
func positions(x, y []float64) []float64 {
	if x != nil {
		return x
	}
	x = make([]float64, len(y))
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

func mustMatch(a, b int) {
	if a != b {
		panic(fmt.Sprintf("chart: a series has %d values for %d positions", b, a))
	}
}
