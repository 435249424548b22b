package figures

import (
	"image/color"
	"math"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Shapes that the diagrams share. A diagram explains a model and shows no result.

const (
	outline    = vg.Length(0.8) // width of a box's, a circle's and an arrow's line
	thin       = vg.Length(0.4) // of lines within a table
	headLength = vg.Length(5)   // of an arrow
	headWidth  = vg.Length(3.6)
)

// span is a piece of a label.
type span struct {
	text     string
	isIndex  bool // smaller and lower
	isSymbol bool // in italics, as a variable
}

// label is text with symbols and indices.
type label []span

// symbol returns a variable with its index, which may be empty.
func symbol(name, index string) label {
	l := label{{text: name, isSymbol: true}}
	if index != "" {
		l = append(l, span{text: index, isIndex: true})
	}
	return l
}

// style returns the text style of the span in a label of the given size.
func (s span) style(size vg.Length, c color.Color) text.Style {
	if s.isIndex {
		size *= 0.75
	}
	style := textStyle(size, c)
	if s.isSymbol {
		style.Font = font.From(font.Font{Typeface: "Liberation", Variant: "Sans", Style: xfont.StyleItalic}, size)
	}
	return style
}

func (l label) width(size vg.Length) (width vg.Length) {
	for _, s := range l {
		width += s.style(size, black).Width(s.text)
	}
	return width
}

// draw draws the label with its centre at the point.
func (l label) draw(c draw.Canvas, at vg.Point, size vg.Length, ink color.Color) {
	l.drawFrom(c, vg.Point{X: at.X - l.width(size)/2, Y: at.Y}, size, ink)
}

// drawFrom draws the label with its left end at the point. An SVG drops the spaces at the beginning of a text, so the text is
// moved instead.
func (l label) drawFrom(c draw.Canvas, at vg.Point, size vg.Length, ink color.Color) {
	for _, s := range l {
		style := s.style(size, ink)
		y := at.Y + 0.5
		if s.isIndex {
			y -= 0.28 * size
		}
		end := at.X + style.Width(s.text)
		text := strings.TrimLeft(s.text, " ")
		c.FillText(style, vg.Point{X: end - style.Width(text), Y: y}, text)
		at.X = end
	}
}

// arrow draws a curve from one point to another. The curve leaves and arrives at the given angles, in degrees from the right.
// If both angles are the angle of the straight line, the arrow is straight.
func arrow(c draw.Canvas, from vg.Point, leaving float64, to vg.Point, arriving float64, line draw.LineStyle) {
	ahead := func(p vg.Point, degrees float64, by vg.Length) vg.Point {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		return vg.Point{X: p.X + by*vg.Length(cos), Y: p.Y + by*vg.Length(sin)}
	}
	neck := ahead(to, arriving, -headLength) // the head hides the end of the line
	across, up := float64(neck.X-from.X), float64(neck.Y-from.Y)
	reach := vg.Length(min(0.45*math.Hypot(across, up), 0.75*math.Abs(across))) // a steep curve must not turn back
	var path vg.Path
	path.Move(from)
	path.CubeTo(ahead(from, leaving, reach), ahead(neck, arriving, -reach), ahead(neck, arriving, 0.5))
	c.SetLineStyle(line)
	c.Stroke(path)
	c.FillPolygon(line.Color, []vg.Point{to, ahead(neck, arriving+90, headWidth/2), ahead(neck, arriving-90, headWidth/2)})
}

// place is a circle or a square of a diagram.
type place struct {
	at       vg.Point
	radius   vg.Length // half the width of a square
	isSquare bool
}

// reach returns the distance from the place's centre to its rim in a direction.
func (p place) reach(sin, cos float64) vg.Length {
	if p.isSquare {
		return p.radius / vg.Length(max(math.Abs(sin), math.Abs(cos)))
	}
	return p.radius
}

// link draws a straight arrow between the rims of two places.
func link(c draw.Canvas, from, to place, line draw.LineStyle) {
	way := math.Atan2(float64(to.at.Y-from.at.Y), float64(to.at.X-from.at.X))
	sin, cos := math.Sincos(way)
	leaves, arrives := from.reach(sin, cos), to.reach(sin, cos)
	degrees := way * 180 / math.Pi
	arrow(c, vg.Point{X: from.at.X + leaves*vg.Length(cos), Y: from.at.Y + leaves*vg.Length(sin)}, degrees,
		vg.Point{X: to.at.X - arrives*vg.Length(cos), Y: to.at.Y - arrives*vg.Length(sin)}, degrees, line)
}

// inkOf returns the line style of the diagrams in a colour.
func inkOf(c color.Color) draw.LineStyle { return draw.LineStyle{Color: c, Width: outline} }

// rectangle returns the rectangle with these sides.
func rectangle(left, bottom, right, top vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: right, Y: top}}
}

// border draws a rectangle's outline.
func border(c draw.Canvas, r vg.Rectangle, line draw.LineStyle) {
	var path vg.Path
	path.Move(r.Min)
	path.Line(vg.Point{X: r.Max.X, Y: r.Min.Y})
	path.Line(r.Max)
	path.Line(vg.Point{X: r.Min.X, Y: r.Max.Y})
	path.Close()
	c.SetLineStyle(line)
	c.Stroke(path)
}

// box draws a filled rectangle with an outline and a label.
func box(c draw.Canvas, r vg.Rectangle, fill color.Color, line draw.LineStyle, l label) {
	fillBox(c, fill, r.Min.X, r.Min.Y, r.Max.X, r.Max.Y)
	border(c, r, line)
	l.draw(c, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}, labelSize, black)
}

// draw fills the place and draws its outline and its label.
func (p place) draw(c draw.Canvas, fill color.Color, line draw.LineStyle, l label) {
	if p.isSquare {
		box(c, rectangle(p.at.X-p.radius, p.at.Y-p.radius, p.at.X+p.radius, p.at.Y+p.radius), fill, line, nil)
	} else {
		var path vg.Path
		path.Move(vg.Point{X: p.at.X + p.radius, Y: p.at.Y})
		path.Arc(p.at, p.radius, 0, 2*math.Pi)
		path.Close()
		c.SetColor(fill)
		c.Fill(path)
		c.SetLineStyle(line)
		c.Stroke(path)
	}
	l.draw(c, p.at, titleSize, black)
}

// bell draws the density of a Gaussian as a filled icon.
func bell(c draw.Canvas, r vg.Rectangle, fill color.Color) {
	const points = 24
	var outline []vg.Point
	for i := range points + 1 {
		x := float64(i) / points // −3 to 3 standard deviations
		outline = append(outline, vg.Point{
			X: r.Min.X + (r.Max.X-r.Min.X)*vg.Length(x),
			Y: r.Min.Y + (r.Max.Y-r.Min.Y)*vg.Length(math.Exp(-18*(x-0.5)*(x-0.5))),
		})
	}
	c.FillPolygon(fill, outline)
}

// ellipsis draws three dots around the point.
func ellipsis(c draw.Canvas, at vg.Point) {
	for dot := range 3 {
		c.DrawGlyph(draw.GlyphStyle{Color: color.Gray{70}, Radius: 0.7, Shape: draw.CircleGlyph{}}, vg.Point{X: at.X + 3.5*vg.Length(dot-1), Y: at.Y})
	}
}

// tint returns a colour most of the way to white.
func tint(c color.NRGBA) color.NRGBA {
	light := func(v uint8) uint8 { return uint8(255 - (255-int(v))*3/10) }
	return color.NRGBA{light(c.R), light(c.G), light(c.B), 255}
}
