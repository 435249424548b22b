package figures

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bandAlpha is the opacity of a band, of 255: three bands over each other still show the grid.
const bandAlpha = 45

// look is how one method is drawn, in every figure.
type look struct {
	color  color.NRGBA
	width  vg.Length
	dashes []vg.Length
}

// The palette of Okabe and Ito, told apart by colour-blind readers. Its yellow is left out: it fades on white.
var (
	black     = color.NRGBA{0, 0, 0, 255}
	orange    = color.NRGBA{230, 159, 0, 255}
	sky       = color.NRGBA{86, 180, 233, 255}
	green     = color.NRGBA{0, 158, 115, 255}
	blue      = color.NRGBA{0, 114, 178, 255}
	vermilion = color.NRGBA{213, 94, 0, 255}
	purple    = color.NRGBA{204, 121, 167, 255}
	gray      = color.NRGBA{120, 120, 120, 255}
)

// style gives a method its colour and two dash patterns, the second for the same model frozen. The patterns tell
// the methods apart in grey.
type style struct {
	name           string
	color          color.NRGBA
	dashes, frozen []vg.Length
}

// styles is in drawing order: the later lies on top. Ada is the model that the three Ada methods start from.
var styles = []style{
	{"FastAda", purple, []vg.Length{6, 1.5, 1, 1.5, 1, 1.5}, nil},
	{"MediumAda", vermilion, []vg.Length{5, 1.5, 1, 1.5}, nil},
	{"SlowAda", orange, []vg.Length{7, 1.5}, nil},
	{"Ada", vermilion, []vg.Length{5, 1.5, 1, 1.5}, []vg.Length{4, 1.2, 0.8, 1.2}},
	{"PHE", blue, nil, []vg.Length{2.5, 1}},
	{"EE", green, []vg.Length{1.4, 2.6}, []vg.Length{0.8, 1.2}},
	{"P-EE", black, []vg.Length{3.5, 2}, []vg.Length{5, 2.5}},
}

// spares are for names the paper does not use, in order of appearance, over and over.
var spares = []style{
	{"", sky, nil, []vg.Length{2.5, 1}},
	{"", gray, []vg.Length{5, 2}, []vg.Length{3, 1.2}},
	{"", sky, []vg.Length{1.3, 1.3}, []vg.Length{0.8, 1.2}},
	{"", gray, []vg.Length{5, 1.5, 1, 1.5}, []vg.Length{4, 1.2, 0.8, 1.2}},
}

// palette hands out looks: one name, one colour.
type palette struct{ seen []string } // names beyond the paper's, in order of appearance

// look returns the look of a method and its layer: of two curves the one of higher layer is drawn on top.
func (p *palette) look(name string, frozen bool) (l look, layer int) {
	s, layer := p.style(name)
	if frozen {
		return look{s.color, vg.Points(0.8), s.frozen}, layer
	}
	return look{s.color, vg.Points(1.1), s.dashes}, layer
}

func (p *palette) style(name string) (s style, layer int) {
	for i, s := range styles {
		if s.name == name {
			return s, i
		}
	}
	for i, seen := range p.seen {
		if seen == name {
			return spares[i%len(spares)], -1 - i
		}
	}
	p.seen = append(p.seen, name)
	i := len(p.seen) - 1
	return spares[i%len(spares)], -1 - i
}

func (l look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: l.width, Dashes: l.dashes}
}

// sans is Liberation Sans, the metric twin of Arial and Helvetica.
func sans(size vg.Length) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

// textStyle is for text outside the axes: labels at the curves' ends and the caption.
func textStyle(size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: sans(size), YAlign: text.YCenter, Handler: plot.DefaultTextHandler}
}

// house gives a plot the look of all figures: small sans type, thin axes, a light grid below the data.
func house(p *plot.Plot) {
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = sans(8)
		axis.Label.Padding = vg.Points(1)
		axis.Tick.Label.Font = sans(7)
		axis.Tick.LineStyle.Width = vg.Points(0.5)
		axis.Tick.Length = vg.Points(3)
		axis.LineStyle.Width = vg.Points(0.6)
		axis.Padding = 0
		axis.Tick.Marker = plot.TickerFunc(ticks)
	}
	grid := plotter.NewGrid()
	for _, lines := range []*draw.LineStyle{&grid.Vertical, &grid.Horizontal} {
		lines.Color, lines.Width = color.Gray{225}, vg.Points(0.4)
	}
	p.Add(grid)
}

// ticks are four to nine round numbers within [low, high], written with a true minus sign and equal decimals.
func ticks(low, high float64) []plot.Tick {
	magnitude := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	step := magnitude
	for _, factor := range []float64{2, 5} {
		if magnitude*factor*4 <= high-low {
			step = magnitude * factor
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var marks []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*step; k++ {
		value := k * step
		if value == 0 {
			value = 0 // never −0
		}
		label := strconv.FormatFloat(value, 'f', decimals, 64)
		marks = append(marks, plot.Tick{Value: value, Label: strings.Replace(label, "-", "−", 1)})
	}
	return marks
}
