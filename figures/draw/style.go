package draw

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Style is how a curve is drawn. A method has one style in every figure.
type Style struct {
	Color  color.NRGBA
	Width  vg.Length
	Dashes []vg.Length
	Shape  draw.GlyphDrawer // of its points
	Layer  int              // a curve of a higher layer is drawn on top
	radius vg.Length        // of dots in a Row
}

// The palette of Okabe and Ito, which colour-blind readers can tell apart. Its yellow is left out, because it fades on white.
var (
	black     = color.NRGBA{0, 0, 0, 255}
	orange    = color.NRGBA{230, 159, 0, 255}
	sky       = color.NRGBA{86, 180, 233, 255}
	green     = color.NRGBA{0, 158, 115, 255}
	blue      = color.NRGBA{0, 114, 178, 255}
	vermilion = color.NRGBA{213, 94, 0, 255}
	purple    = color.NRGBA{204, 121, 167, 255}
	gray      = color.NRGBA{120, 120, 120, 255}
	silver    = color.NRGBA{165, 165, 165, 255}
	brown     = color.NRGBA{120, 70, 20, 255} // brown and wine are ours; both are darker than vermilion to any eye
	wine      = color.NRGBA{136, 34, 85, 255}
)

// methodStyle is a method's colour, the shape of its points and two dash patterns. The second pattern is for the frozen model. In
// grey the patterns tell the methods apart.
type methodStyle struct {
	name           string
	color          color.NRGBA
	dashes, frozen []vg.Length
	shape          draw.GlyphDrawer
}

// methodStyles is in drawing order: a later style lies on top. Ada is the initial model of the three Ada methods. The first four are
// rules that forecast sales, the next four are rules that predict ratings. The paper lacks ItemMajority, Majority, P-EE replay, Adagrad,
// AdPredictor, FTRL, and this project's own One pass and phe stream. Observation is the target of Supp. F's methods.
var methodStyles = []methodStyle{
	{"without the items", gray, nil, nil, draw.CrossGlyph{}},
	{"Gamma–Poisson filter", silver, []vg.Length{6, 1.5, 1, 1.5}, nil, draw.PlusGlyph{}},
	{"Product histogram", silver, nil, nil, draw.CrossGlyph{}},
	{"Median of nine", silver, nil, nil, draw.CrossGlyph{}},
	{"Counting rule", gray, []vg.Length{1.6, 1.2}, nil, draw.PlusGlyph{}},
	{"Global mean", silver, nil, nil, draw.CrossGlyph{}},
	{"User mean", silver, []vg.Length{6, 1.5, 1, 1.5}, nil, draw.PlusGlyph{}},
	{"Film mean", gray, []vg.Length{5, 2}, nil, draw.CrossGlyph{}},
	{"Biases", gray, []vg.Length{1.6, 1.2}, nil, draw.PlusGlyph{}},
	{"ItemMajority", brown, nil, []vg.Length{2.5, 1}, draw.SquareGlyph{}},
	{"Majority", gray, []vg.Length{5, 2}, []vg.Length{3, 1.2}, draw.CrossGlyph{}},
	{"Observation", gray, []vg.Length{0.8, 1.2}, nil, draw.CrossGlyph{}},
	{"P-EE replay", gray, nil, []vg.Length{2.5, 1}, draw.PlusGlyph{}},
	{"Adagrad", purple, []vg.Length{2.2, 1.2}, []vg.Length{1.6, 1.2}, draw.CrossGlyph{}},
	{"AdPredictor", green, []vg.Length{5, 1.5, 1, 1.5}, []vg.Length{4, 1.2, 0.8, 1.2}, draw.PyramidGlyph{}},
	{"FTRL", brown, []vg.Length{6, 1.2}, []vg.Length{3, 1.2}, draw.BoxGlyph{}},
	{"FastAda", purple, []vg.Length{6, 1.5, 1, 1.5, 1, 1.5}, nil, draw.PyramidGlyph{}},
	{"MediumAda", vermilion, []vg.Length{5, 1.5, 1, 1.5}, nil, draw.TriangleGlyph{}},
	{"SlowAda", orange, []vg.Length{7, 1.5}, nil, diamond{}},
	{"Ada", vermilion, []vg.Length{5, 1.5, 1, 1.5}, []vg.Length{4, 1.2, 0.8, 1.2}, draw.TriangleGlyph{}},
	{"PHE", blue, nil, []vg.Length{2.5, 1}, draw.CircleGlyph{}},
	{"EE", green, []vg.Length{1.4, 2.6}, []vg.Length{0.8, 1.2}, draw.BoxGlyph{}},
	{"P-EE", black, []vg.Length{3.5, 2}, []vg.Length{1.6, 1.2}, draw.RingGlyph{}},
	{"One pass", wine, nil, []vg.Length{2.5, 1}, draw.SquareGlyph{}},
	{"One pass Stream", sky, []vg.Length{10, 2}, []vg.Length{3, 1.2}, draw.CircleGlyph{}},
	{"phe stream", orange, nil, []vg.Length{2.5, 1}, diamond{}},
}

// spares are for all other names. A variant of a method, such as "PHE d=5", takes their dashes and the method's colour.
var spares = []methodStyle{
	{"", sky, []vg.Length{8, 1.2}, []vg.Length{2.5, 1}, draw.CircleGlyph{}},
	{"", brown, []vg.Length{5, 2}, []vg.Length{3, 1.2}, draw.BoxGlyph{}},
	{"", sky, []vg.Length{1.3, 1.3}, []vg.Length{0.8, 1.2}, draw.RingGlyph{}},
	{"", brown, []vg.Length{6, 1.5, 2, 1.5}, []vg.Length{4, 1.2, 0.8, 1.2}, draw.TriangleGlyph{}},
	{"", sky, []vg.Length{5, 2}, []vg.Length{3, 1.2}, draw.PyramidGlyph{}},
	{"", sky, []vg.Length{3, 1.5, 1, 1.5}, []vg.Length{4, 1.2, 0.8, 1.2}, draw.CrossGlyph{}},
	{"", brown, []vg.Length{1.3, 1.3}, []vg.Length{0.8, 1.2}, draw.PlusGlyph{}},
}

// Palette gives each name one style. The zero palette is ready for a new figure.
type Palette struct{ taken map[string]string } // looks and their owners

// Style returns the style of a method.
func (p *Palette) Style(name string, frozen bool) Style {
	s, layer := p.methodStyle(name)
	if frozen {
		return Style{Color: s.color, Width: vg.Points(0.8), Dashes: s.frozen, Shape: s.shape, Layer: layer}
	}
	return Style{Color: s.color, Width: vg.Points(1.1), Dashes: s.dashes, Shape: s.shape, Layer: layer}
}

// methodStyle returns the style of a name. The name chooses its spare, so that it is the same in every figure. If another name of the
// figure looks so, the name gets the next.
func (p *Palette) methodStyle(name string) (s methodStyle, layer int) {
	var family color.NRGBA
	for i, s := range methodStyles {
		if s.name == name {
			return s, i
		}
		if rest, found := strings.CutPrefix(name, s.name); found && strings.ContainsAny(rest[:1], " ,") {
			family = s.color
		}
	}
	if p.taken == nil {
		p.taken = map[string]string{}
	}
	hash := fnv.New32a()
	hash.Write([]byte(name))
	first := int(hash.Sum32() % uint32(len(spares)))
	for k := range spares {
		s, layer = spares[(first+k)%len(spares)], -1-(first+k)%len(spares)
		s.color = cmp.Or(family, s.color)
		look := fmt.Sprint(s.color, s.dashes)
		if owner, taken := p.taken[look]; !taken || owner == name {
			p.taken[look] = name
			break
		}
	}
	return s, layer
}

func (l Style) line() draw.LineStyle {
	return draw.LineStyle{Color: l.Color, Width: l.Width, Dashes: l.Dashes}
}

// sans returns Liberation Sans, with the same letter widths as Arial and Helvetica.
func sans(size vg.Length) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

// textStyle returns the style of text outside the axes: labels at the curves' ends and the caption.
func textStyle(size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: sans(size), YAlign: text.YCenter, Handler: plot.DefaultTextHandler}
}

// diamond is a filled square on its tip.
type diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamond) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	c.SetColor(sty.Color)
	var path vg.Path
	path.Move(vg.Point{X: at.X, Y: at.Y + 1.2*sty.Radius})
	path.Line(vg.Point{X: at.X + 1.2*sty.Radius, Y: at.Y})
	path.Line(vg.Point{X: at.X, Y: at.Y - 1.2*sty.Radius})
	path.Line(vg.Point{X: at.X - 1.2*sty.Radius, Y: at.Y})
	path.Close()
	c.Fill(path)
}

// setStyle gives a plot the style of all figures: small sans type, thin axes, a light grid below the data.
func setStyle(p *plot.Plot) *plotter.Grid {
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = sans(8)
		axis.Label.Padding = vg.Points(1)
		axis.Tick.Label.Font = sans(7)
		axis.Tick.LineStyle.Width = vg.Points(0.5)
		axis.Tick.Length = vg.Points(3)
		axis.LineStyle.Width = vg.Points(0.6)
		axis.Padding = 0
		axis.Tick.Marker = ticks
	}
	grid := plotter.NewGrid()
	for _, lines := range []*draw.LineStyle{&grid.Vertical, &grid.Horizontal} {
		lines.Color, lines.Width = color.Gray{225}, vg.Points(0.4)
	}
	p.Add(grid)
	return grid
}
