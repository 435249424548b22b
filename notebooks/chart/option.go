package chart

import (
	"image/color"

	"gonum.org/v1/plot/vg"

	"gophe/figures"
)

// Option changes how a series looks.
type Option func(*look)

// look is the appearance of a series.
type look struct {
	number int // colour of the house; -1 for the next one
	color  color.Color
	dashed bool
	thin   bool
	silent bool // without marks
}

// Colour gives a series the i-th colour of the house. By default each series takes the next one.
func Colour(i int) Option { return func(l *look) { l.number = i } }

// Method gives a series the colour that a method of the paper has in all figures, such as PHE or P-EE.
func Method(name string) Option { return func(l *look) { l.color = figures.Color(name) } }

// Dashed dashes a line.
func Dashed() Option { return func(l *look) { l.dashed = true } }

// Thin halves a line's width and makes dots smaller.
func Thin() Option { return func(l *look) { l.thin = true } }

// Unmarked leaves a series without marks. Its points mean nothing alone, such as the points of an outline.
func Unmarked() Option { return func(l *look) { l.silent = true } }

// Faint draws a series in grey and leaves it out of the next colour's count.
func Faint() Option {
	return func(l *look) { l.color = color.NRGBA{150, 150, 150, 255} }
}

// houseColours names methods whose colours are far apart, for readers who are colour-blind too.
var houseColours = []string{"PHE", "SlowAda", "EE", "FastAda", "P-EE", "MediumAda", "One pass"}

func houseColour(i int) color.Color { return figures.Color(houseColours[i%len(houseColours)]) }

// width returns the width of a line.
func (l look) width() vg.Length {
	if l.thin {
		return vg.Points(0.6)
	}
	return vg.Points(1.2)
}

// dashes returns the dash pattern of a line, nil for a whole line.
func (l look) dashes() []vg.Length {
	if l.dashed {
		return []vg.Length{3, 2}
	}
	return nil
}

// radius returns the radius of a dot.
func (l look) radius() vg.Length {
	if l.thin {
		return vg.Points(1.4)
	}
	return vg.Points(2.5)
}
