package draw

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curve is a list of points of a chart with a name and a style.
type Curve struct {
	Label    string
	Style    Style
	Kind     Kind      // how its points are drawn
	X        []float64 // ascending; nil for the steps 0, 1, …
	Names    []string  // of the points, for marks; nil for their x
	Mean     []float64 // y of the points: a mean over the seeds that reached the step
	StdDev   []float64 // between these seeds; shorter than Mean where fewer than two seeds are left
	Diverged bool      // the last seed diverged at the last point
	Breaks   []int     // indices at which the line is interrupted, ascending

	other    []float64 // upper end of a band, or value of a cell
	unmarked bool
}

// Kind says how the points of a curve are drawn.
type Kind int

// The kinds of a curve with a standard deviation. Charts in a Row have more.
const (
	justLine      Kind = iota // with a band
	LineAndDots               // the same with a dot at each point
	LineAndPoints             // the method's shape at each point, with a whisker
	JustPoints
	dots
	band  // the area between Mean and other
	cells // coloured by other
)

// isPoints reports whether a shape marks each point.
func (k Kind) isPoints() bool { return k == LineAndPoints || k == JustPoints }

// hasLine reports whether a line joins the points.
func (k Kind) hasLine() bool { return k < JustPoints }

// hasGlyph reports whether there is a dot or a shape at each point.
func (k Kind) hasGlyph() bool { return k >= LineAndDots && k <= JustPoints || k == dots }

// at returns the x of point i.
func (s *Curve) at(i int) float64 {
	if s.X == nil {
		return float64(i)
	}
	return s.X[i]
}

// glyph returns the shape of a point.
func (s *Curve) glyph() draw.GlyphStyle {
	switch {
	case s.Kind.isPoints():
		return draw.GlyphStyle{Color: s.Style.Color, Radius: vg.Points(2.1), Shape: s.Style.Shape}
	case s.Kind == LineAndDots:
		return draw.GlyphStyle{Color: s.Style.Color, Radius: vg.Points(1.5), Shape: draw.CircleGlyph{}}
	}
	return draw.GlyphStyle{Color: s.Style.Color, Radius: s.Style.radius, Shape: draw.CircleGlyph{}}
}

// Option changes how a curve looks.
type Option func(*Curve)

// Colour gives a curve the i-th of the methods' colours. By default each curve takes the next one.
func Colour(i int) Option { return func(c *Curve) { c.Style.Color = methodColour(i) } }

// Method gives a curve the colour that a method of the paper has in all figures, such as PHE or P-EE.
func Method(name string) Option { return func(c *Curve) { c.Style.Color = colorOf(name) } }

// Dashed dashes a line.
func Dashed() Option { return func(c *Curve) { c.Style.Dashes = []vg.Length{3, 2} } }

// Thin halves a line's width and makes dots smaller.
func Thin() Option {
	return func(c *Curve) { c.Style.Width, c.Style.radius = vg.Points(0.6), vg.Points(1.4) }
}

// Unmarked leaves a curve without marks. Its points mean nothing alone, such as the points of an outline.
func Unmarked() Option { return func(c *Curve) { c.unmarked = true } }

// Faint draws a curve in grey and leaves it out of the next colour's count.
func Faint() Option {
	return func(c *Curve) { c.Style.Color = color.NRGBA{150, 150, 150, 255} }
}

// methodColours names methods whose colours are far apart, for readers who are colour-blind too.
var methodColours = []string{"PHE", "SlowAda", "EE", "FastAda", "P-EE", "MediumAda", "One pass"}

func methodColour(i int) color.NRGBA { return colorOf(methodColours[i%len(methodColours)]) }

// colorOf returns a method's colour in all figures. Every other name has a colour too.
func colorOf(method string) color.NRGBA { return new(Palette).Style(method, false).Color }
