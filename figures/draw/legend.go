package draw

import (
	"image/color"
	"slices"
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend holds the lengths of a legend.
type legend struct {
	sample  vg.Length // the piece of line before a text
	gap     vg.Length // between a sample and its text
	rise    vg.Length // of a text's middle above its sample
	line    vg.Length // from one line of the legend to the next
	between vg.Length // two keys
}

var (
	gridLegend = legend{17, 2.5, 0.5, legendLine, 12}
	rowLegend  = legend{14, 3, 0, 10, 10}
)

// legendLine is the height of a line of a Grid's legend.
const legendLine = vg.Length(11)

// swatch is the length of a sample of a bar's colour, at the right of where other samples are.
const swatch = vg.Length(11)

// Key explains one style.
type Key struct {
	label  string
	curves []Curve                     // whose samples are drawn
	fill   color.Color                 // of a bar
	mark   func(draw.Canvas, vg.Point) // of a diamond
}

// draw draws the sample at the point and the label at its right.
func (l legend) draw(page draw.Canvas, k Key, at vg.Point) {
	right := at.X + l.sample
	switch {
	case k.mark != nil:
		k.mark(page, vg.Point{X: right - swatch/2, Y: at.Y})
	case k.fill != nil:
		fillBox(page, k.fill, right-swatch, at.Y-2.5, right, at.Y+2.5)
	}
	for _, s := range k.curves {
		switch {
		case s.Kind.hasLine():
			page.StrokeLine2(s.Style.line(), at.X, at.Y, right, at.Y)
		case s.Kind == band:
			fill := s.Style.Color
			fill.A = rowBandAlpha
			fillBox(page, fill, at.X, at.Y-3, right, at.Y+3)
		}
		if s.Kind.hasGlyph() {
			page.DrawGlyph(s.glyph(), vg.Point{X: at.X + l.sample/2, Y: at.Y})
		}
	}
	page.FillText(textStyle(labelSize, black), vg.Point{X: right + l.gap, Y: at.Y + l.rise}, k.label)
}

func (l legend) width(k Key) vg.Length {
	return l.sample + l.gap + textStyle(labelSize, black).Width(k.label)
}

// nameWidth is the width of a name at most, a third of a page.
const nameWidth = vg.Length(165)

// short has a name in one line, and not too wide.
func short(name string) string { return cut(name, nameWidth, textStyle(labelSize, black)) }

// cut cuts the middle of a text that is wider than most, and has it in one line.
func cut(name string, most vg.Length, style text.Style) string {
	name = unprintable.ReplaceAllString(name, " ")
	letters := []rune(name)
	for n := min(len(letters)/2, int(most)); style.Width(name) > most && n >= 0; n-- {
		name = string(letters[:n]) + "…" + string(letters[len(letters)-n:])
	}
	return name
}

// drawLine draws keys side by side.
func (l legend) drawLine(page draw.Canvas, keys []Key, at vg.Point) {
	for _, k := range keys {
		l.draw(page, k, at)
		at.X += l.width(k) + l.between
	}
}

// drawLines draws lines of keys at the top of the canvas, and returns their height.
func (l legend) drawLines(c draw.Canvas, lines [][]Key, centred bool) vg.Length {
	for i, line := range lines {
		at := vg.Point{X: c.Min.X, Y: c.Max.Y - l.line*(vg.Length(i)+0.5)}
		if centred {
			width := -l.between
			for _, k := range line {
				width += l.between + l.width(k)
			}
			at.X = c.Center().X - width/2
		}
		l.drawLine(c, line, at)
	}
	return l.line * vg.Length(len(lines))
}

// lines fills lines of the given width.
func (l legend) lines(keys []Key, width vg.Length) (lines [][]Key) {
	var used vg.Length
	for _, k := range keys {
		if len(lines) == 0 || used+l.between+l.width(k) > width {
			lines, used = append(lines, nil), -l.between
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], k)
		used += l.between + l.width(k)
	}
	return lines
}

// balanced puts keys into as few lines as the width allows, and makes these lines about equally long.
func (l legend) balanced(keys []Key, width vg.Length) [][]Key {
	lines := l.lines(keys, width)
	for narrow := width - 5; narrow > 0; narrow -= 5 {
		rewrapped := l.lines(keys, narrow)
		if len(rewrapped) > len(lines) {
			break
		}
		lines = rewrapped
	}
	return lines
}

// keys returns a key for each name of the curves, or for bars. Curves of one name, such as a line and its band, share it.
func (c *Chart) keys() (keys []Key) {
	if len(c.Groups) > 0 {
		return barKeys(c.Groups)
	}
	for _, s := range c.Curves {
		name := short(s.Label)
		if at := slices.IndexFunc(keys, func(k Key) bool { return k.label == name }); at >= 0 {
			keys[at].curves = append(keys[at].curves, s)
		} else if name != "" {
			keys = append(keys, Key{label: name, curves: []Curve{s}})
		}
	}
	return keys
}

// maxKeys is the number of keys that a chart's place has room for.
const maxKeys = 12

// drawList draws the keys below each other in the middle of the canvas.
func drawList(c draw.Canvas, keys []Key) {
	var widest vg.Length
	for _, k := range keys {
		widest = max(widest, gridLegend.width(k))
	}
	at := vg.Point{X: c.Center().X - widest/2, Y: c.Center().Y + legendLine*vg.Length(len(keys)-1)/2}
	for _, k := range keys {
		gridLegend.draw(c, k, at)
		at.Y -= legendLine
	}
}

// fillBox fills a rectangle.
func fillBox(c draw.Canvas, fill color.Color, left, bottom, right, top vg.Length) {
	c.FillPolygon(fill, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
}

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
		width = max(width, leaderLength+gridLegend.width(Key{label: short(s.Label)}))
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
		gridLegend.draw(page, Key{label: short(s.Label), curves: []Curve{s}}, vg.Point{X: from, Y: y})
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
