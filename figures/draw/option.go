package draw

import (
	"image/color"

	"gonum.org/v1/plot/vg"
)

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
