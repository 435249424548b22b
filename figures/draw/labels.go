package draw

import (
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	leaderLength  = vg.Length(7) // from a curve's end to its label
	labelDistance = vg.Length(9) // least distance between two labels
)

// labelWidth returns the width of the labels at the right of the axes.
func (c *Chart) labelWidth() (width vg.Length) {
	if c.inLegend {
		return 0
	}
	for _, s := range c.Curves {
		width = max(width, leaderLength+gridLegend.width(Key{label: s.Label}))
	}
	return width
}

// drawLabels writes the name of each curve at its right end, in its colour and dashes. Labels keep the order of the ends. They
// are moved apart, and a thin line leads to each. A diverged curve ends in a cross.
func (c *Chart) drawLabels(drawn *plot.Plot, page, data draw.Canvas) {
	toX, toY := drawn.Transforms(&data)
	ends := make([]vg.Point, len(c.Curves))
	heights := make([]vg.Length, len(c.Curves))
	for i, s := range c.Curves {
		last := len(s.Mean) - 1
		y := min(max(s.Mean[last], drawn.Y.Min), drawn.Y.Max)
		ends[i] = vg.Point{X: toX(s.at(last)), Y: toY(y)}
		heights[i] = ends[i].Y
	}
	for i, y := range spread(heights, labelDistance, data.Min.Y, data.Max.Y) {
		s := c.Curves[i]
		if s.Diverged {
			cross := draw.GlyphStyle{Color: s.Style.Color, Radius: vg.Points(2.5), Shape: draw.CrossGlyph{}}
			page.DrawGlyph(cross, ends[i])
		}
		if c.inLegend {
			continue
		}
		from := data.Max.X + leaderLength
		leader := draw.LineStyle{Color: s.Style.Color, Width: vg.Points(0.3)}
		if s.Kind == LineAndPoints { // these curves end anywhere
			page.StrokeLine2(leader, ends[i].X, ends[i].Y, data.Max.X, ends[i].Y)
		}
		page.StrokeLine2(leader, max(ends[i].X, data.Max.X), ends[i].Y, from-1, y)
		gridLegend.draw(page, Key{label: s.Label, curves: []Curve{s}}, vg.Point{X: from, Y: y})
	}
}

// spread moves heights into [low, high] and apart by at least distance. It keeps their order, and the sum of squared moves is
// as small as possible. This is isotonic regression of heights[k] − k·distance.
func spread(heights []vg.Length, distance, low, high vg.Length) []vg.Length {
	order := make([]int, len(heights))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return heights[order[i]] < heights[order[j]] })
	type block struct {
		mean  vg.Length
		count int
	}
	var blocks []block
	for k, i := range order {
		b := block{heights[i] - distance*vg.Length(k), 1}
		for n := len(blocks); n > 0 && blocks[n-1].mean > b.mean; n = len(blocks) {
			before := blocks[n-1]
			total := before.mean*vg.Length(before.count) + b.mean*vg.Length(b.count)
			b.count += before.count
			b.mean = total / vg.Length(b.count)
			blocks = blocks[:n-1]
		}
		blocks = append(blocks, b)
	}
	apart := make([]vg.Length, len(heights))
	k := 0
	for _, b := range blocks {
		base := max(min(b.mean, high-distance*vg.Length(len(heights)-1)), low)
		for range b.count {
			apart[order[k]] = base + distance*vg.Length(k)
			k++
		}
	}
	return apart
}
