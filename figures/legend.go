package figures

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	legendLine = vg.Length(11) // points from one line of a legend to the next
	keyGap     = vg.Length(12) // between two keys
	swatch     = vg.Length(11) // the piece of a bar before its label
)

// key explains one look.
type key struct {
	label string
	curve curve                       // whose sample is drawn
	fill  color.Color                 // of a bar, instead of a sample
	mark  func(draw.Canvas, vg.Point) // instead of both
}

// draw draws the sample at the point and the label at its right.
func (k key) draw(page draw.Canvas, at vg.Point) {
	middle := vg.Point{X: at.X + sampleLength/2, Y: at.Y}
	switch {
	case k.mark != nil:
		k.mark(page, vg.Point{X: at.X + sampleLength - swatch/2, Y: at.Y})
	case k.fill != nil:
		fillBox(page, k.fill, at.X+sampleLength-swatch, at.Y-2.5, at.X+sampleLength, at.Y+2.5)
	default:
		if k.curve.marks != justPoints {
			page.StrokeLine2(k.curve.look.line(), at.X, at.Y, at.X+sampleLength, at.Y)
		}
		if k.curve.marks != justLine {
			page.DrawGlyph(k.curve.glyph(), middle)
		}
	}
	page.FillText(textStyle(labelSize, black), vg.Point{X: at.X + sampleLength + textGap, Y: at.Y + 0.5}, k.label)
}

func (k key) width() vg.Length {
	return sampleLength + textGap + textStyle(labelSize, black).Width(k.label)
}

// balanced puts keys into as few lines as the width allows, and makes these lines about equally long.
func balanced(keys []key, width vg.Length) [][]key {
	rows := legendRows(keys, width)
	for narrow := width - 5; narrow > 0; narrow -= 5 {
		rewrapped := legendRows(keys, narrow)
		if len(rewrapped) > len(rows) {
			break
		}
		rows = rewrapped
	}
	return rows
}

// legendRows fills lines of the given width.
func legendRows(keys []key, width vg.Length) [][]key {
	var rows [][]key
	var used vg.Length
	for _, k := range keys {
		if len(rows) == 0 || used+keyGap+k.width() > width {
			rows, used = append(rows, nil), -keyGap
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
		used += keyGap + k.width()
	}
	return rows
}

// drawLegend draws the keys in centred lines at the top of the canvas and returns their height.
func drawLegend(c draw.Canvas, keys []key) vg.Length {
	rows := balanced(keys, c.Max.X-c.Min.X)
	for i, row := range rows {
		width := -keyGap
		for _, k := range row {
			width += keyGap + k.width()
		}
		at := vg.Point{X: c.Center().X - width/2, Y: c.Max.Y - legendLine*(vg.Length(i)+0.5)}
		for _, k := range row {
			k.draw(c, at)
			at.X += k.width() + keyGap
		}
	}
	return legendLine * vg.Length(len(rows))
}

// mostInList is the number of keys that a panel's place has room for.
const mostInList = 12

// drawList draws the keys below each other in the middle of the canvas.
func drawList(c draw.Canvas, keys []key) {
	var widest vg.Length
	for _, k := range keys {
		widest = max(widest, k.width())
	}
	at := vg.Point{X: c.Center().X - widest/2, Y: c.Center().Y + legendLine*vg.Length(len(keys)-1)/2}
	for _, k := range keys {
		k.draw(c, at)
		at.Y -= legendLine
	}
}

// useLegend moves the names of all the panels' curves into one legend, each name once.
func (g *grid) useLegend() {
	for _, p := range g.all() {
		p.legend = true
		for _, c := range p.curves {
			if !slices.ContainsFunc(g.legend, func(k key) bool { return k.label == c.label }) {
				g.legend = append(g.legend, key{label: c.label, curve: c})
			}
		}
	}
}

func fillBox(c draw.Canvas, fill color.Color, left, bottom, right, top vg.Length) {
	c.FillPolygon(fill, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
}
