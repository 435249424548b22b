package chart

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawLegend writes the names of the series at the top of a canvas, in lines as wide as the canvas. It returns the height.
func (c *Chart) drawLegend(canvas draw.Canvas) vg.Length {
	style := textStyle(7)
	at := vg.Point{X: canvas.Min.X, Y: canvas.Max.Y - legendLine/2}
	height := vg.Length(0)
	for _, key := range c.keys() {
		width := sample + 3 + style.Width(key[0].name)
		if at.X > canvas.Min.X && at.X+width > canvas.Max.X {
			at = vg.Point{X: canvas.Min.X, Y: at.Y - legendLine}
		}
		for _, s := range key {
			s.sample(canvas, at)
		}
		canvas.FillText(style, vg.Point{X: at.X + sample + 3, Y: at.Y}, key[0].name)
		height = canvas.Max.Y - at.Y + legendLine/2
		at.X += width + keyGap
	}
	if height > 0 {
		height += 3
	}
	return height
}

// keys returns the series that have names. Series of one name, such as a line and its band, share an entry.
func (c *Chart) keys() [][]series {
	var keys [][]series
	place := map[string]int{}
	for _, s := range c.series {
		if s.name == "" {
			continue
		}
		i, ok := place[s.name]
		if !ok {
			i = len(keys)
			place[s.name] = i
			keys = append(keys, nil)
		}
		keys[i] = append(keys[i], s)
	}
	return keys
}

// sample draws a short piece of a series for the legend.
func (s series) sample(canvas draw.Canvas, at vg.Point) {
	middle := vg.Point{X: at.X + sample/2, Y: at.Y}
	switch s.kind {
	case joined, stepped:
		canvas.StrokeLine2(draw.LineStyle{Color: s.look.color, Width: s.look.width(), Dashes: s.look.dashes()}, at.X, at.Y, at.X+sample, at.Y)
	case dotted:
		canvas.DrawGlyph(draw.GlyphStyle{Color: s.look.color, Radius: s.look.radius(), Shape: draw.CircleGlyph{}}, middle)
	default:
		fill := s.look.color
		if s.kind == banded {
			fill = fainter(fill, 50)
		}
		low, high := vg.Point{X: at.X, Y: at.Y - 3}, vg.Point{X: at.X + sample, Y: at.Y + 3}
		canvas.FillPolygon(fill, []vg.Point{low, {X: high.X, Y: low.Y}, high, {X: low.X, Y: high.Y}})
	}
}
