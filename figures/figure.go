package figures

import (
	"bytes"
	"image/color"
	"math"
	"path/filepath"
	"sort"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"gophe/experiments/result"
)

const (
	dpi           = 220            // of a PNG
	captionSize   = vg.Length(7)   // points
	captionLine   = vg.Length(9)   // points from one line of the caption to the next
	leaderLength  = vg.Length(7)   // from a curve's end to its label
	sampleLength  = vg.Length(17)  // the piece of line before a label's text
	labelDistance = vg.Length(9)   // least distance between two labels
	labelSize     = vg.Length(7)   // points
	textGap       = vg.Length(2.5) // between a piece of line and its text
	titleSize     = vg.Length(8.5)
	titleHeight   = vg.Length(15)
	margin        = vg.Length(4) // around everything
)

// Figure is a row of panels that share their x axis, with a caption below. Save draws it.
type Figure struct {
	Width, Height vg.Length
	Caption       string // what the reader must know to read it: seeds, smoothing, divergence
	panels        []panel
}

// panel is one pair of axes; its curves are named at their right ends instead of in a legend.
type panel struct {
	title, xLabel, yLabel string
	curves                []curve
	maxSpan               float64 // the y axis shows at most so much, counted from its top; 0 for everything
	whiskers              bool    // one for each curve instead of bands: for lines that run close together
}

// Save draws the figure into path, a .png of 220 dpi or an .svg, and writes the file whole or not at all. The same
// results give the same bytes. There is no PDF: gonum/plot garbles UTF-8 there and greys translucent bands.
func (fig *Figure) Save(path string) error {
	var content bytes.Buffer
	var err error
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".png":
		canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(fig.Width, fig.Height), vgimg.UseDPI(dpi))}
		if err = fig.draw(draw.New(canvas)); err == nil {
			_, err = canvas.WriteTo(&content)
		}
	case ".svg":
		canvas := vgsvg.NewWith(vgsvg.UseWH(fig.Width, fig.Height), vgsvg.EmbedFonts(false))
		if err = fig.draw(draw.New(canvas)); err == nil {
			_, err = canvas.WriteTo(&content)
		}
		fallback := []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;") // all of one width
		content = *bytes.NewBuffer(bytes.ReplaceAll(content.Bytes(), []byte("font-family:Liberation Sans;"), fallback))
	default:
		return errors.Errorf("cannot draw %s: figures are .png or .svg; for PDF print the .svg from a browser, "+
			"since gonum/plot's own PDF garbles UTF-8 and translucent bands", path)
	}
	if err != nil {
		return errors.Wrapf(err, "cannot draw %s", path)
	}
	return result.WriteWhole(path, content.Bytes())
}

// draw lays out, from the bottom: caption, panels side by side, and right of each panel a column for its labels.
func (fig *Figure) draw(c draw.Canvas) error {
	c = draw.Crop(c, margin, -margin, margin, -margin)
	caption := textStyle(captionSize, color.Gray{70})
	lines := wrap(fig.Caption, caption, c.Max.X-c.Min.X)
	top := c.Min.Y + captionLine*vg.Length(len(lines))
	for i, line := range lines {
		c.FillText(caption, vg.Point{X: c.Min.X, Y: top - captionLine*(vg.Length(i)+0.5)}, line)
	}
	plots := make([]*plot.Plot, len(fig.panels))
	var column vg.Length
	for i, p := range fig.panels {
		var err error
		if plots[i], err = p.plot(); err != nil {
			return errors.WithMessage(err, p.title)
		}
		for _, curve := range p.curves {
			width := textStyle(labelSize, black).Width(curve.label)
			column = max(column, leaderLength+sampleLength+textGap+width)
		}
	}
	tiles := draw.Tiles{Rows: 1, Cols: len(plots), PadX: column + 3*margin, PadRight: column, PadBottom: 2 * margin}
	above := draw.Crop(c, 0, 0, top-c.Min.Y, -titleHeight)
	for i, canvas := range plot.Align([][]*plot.Plot{plots}, tiles, above)[0] {
		plots[i].Draw(canvas)
		data := plots[i].DataCanvas(canvas)
		fig.panels[i].drawLabels(plots[i], c, data)
		title := textStyle(titleSize, black)
		title.XAlign = text.XCenter
		c.FillText(title, vg.Point{X: data.Center().X, Y: c.Max.Y - titleHeight/2}, fig.panels[i].title)
	}
	return nil
}

// plot draws bands or whiskers, then the lines by layer, so that no band hides a line.
func (p *panel) plot() (*plot.Plot, error) {
	out := plot.New()
	house(out)
	out.X.Label.Text, out.Y.Label.Text = p.xLabel, p.yLabel
	curves := append([]curve(nil), p.curves...)
	sort.SliceStable(curves, func(i, j int) bool { return curves[i].layer < curves[j].layer })
	for i, c := range curves {
		if len(c.stdDev) < 2 {
			continue
		}
		spread, err := c.band()
		if p.whiskers {
			spread, err = c.whisker(0.95 - 0.5*float64(len(curves)-1-i)/float64(len(curves)))
		}
		if err != nil {
			return nil, errors.Wrap(err, c.label)
		}
		out.Add(spread...)
	}
	for _, c := range curves {
		points := make(plotter.XYs, len(c.mean))
		for step, y := range c.mean {
			points[step] = plotter.XY{X: float64(step), Y: y}
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, errors.Wrap(err, c.label)
		}
		line.LineStyle = c.look.line()
		out.Add(line)
	}
	out.X.Min, out.X.Max = 0, p.lastStep()
	out.Y.Min, out.Y.Max = p.yRange()
	return out, nil
}

// band is the area of mean ± standard deviation.
func (c *curve) band() ([]plot.Plotter, error) {
	outline := make(plotter.XYs, 0, 2*len(c.stdDev))
	for step, sd := range c.stdDev {
		outline = append(outline, plotter.XY{X: float64(step), Y: c.mean[step] + sd})
	}
	for step := len(c.stdDev) - 1; step >= 0; step-- {
		outline = append(outline, plotter.XY{X: float64(step), Y: c.mean[step] - c.stdDev[step]})
	}
	band, err := plotter.NewPolygon(outline)
	if err != nil {
		return nil, err
	}
	fill := c.look.color
	fill.A = bandAlpha
	band.Color, band.LineStyle.Width = fill, 0
	return []plot.Plotter{band}, nil
}

// whisker is mean ± standard deviation at one step, the given share of the way along the curve; its dot
// tells whose it is.
func (c *curve) whisker(along float64) ([]plot.Plotter, error) {
	step := int(along * float64(len(c.stdDev)-1))
	var at struct {
		plotter.XYs
		plotter.YErrors
	}
	at.XYs = plotter.XYs{{X: float64(step), Y: c.mean[step]}}
	at.YErrors = plotter.YErrors{{Low: c.stdDev[step], High: c.stdDev[step]}}
	bars, err := plotter.NewYErrorBars(at)
	if err != nil {
		return nil, err
	}
	bars.Color, bars.Width, bars.CapWidth = c.look.color, vg.Points(0.7), vg.Points(4)
	dot, err := plotter.NewScatter(at.XYs)
	if err != nil {
		return nil, err
	}
	dot.GlyphStyle = draw.GlyphStyle{Color: c.look.color, Radius: vg.Points(1.7), Shape: draw.CircleGlyph{}}
	return []plot.Plotter{bars, dot}, nil
}

// lastStep is the panel's right end, at least 1 so that a single step has an axis.
func (p *panel) lastStep() float64 {
	last := 1
	for _, c := range p.curves {
		last = max(last, len(c.mean)-1)
	}
	return float64(last)
}

// yRange holds every line, the whiskers, and as much of bands as adds at most half to that, but never more than
// maxSpan: a method that falls out of sight must not press the others together.
func (p *panel) yRange() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	bandLow, bandHigh := low, high
	for _, c := range p.curves {
		for step, y := range c.mean {
			low, high = min(low, y), max(high, y)
			if step < len(c.stdDev) {
				bandLow, bandHigh = min(bandLow, y-c.stdDev[step]), max(bandHigh, y+c.stdDev[step])
			}
		}
	}
	pad := max(0.04*(high-low), 0.05)
	allow := max((high-low)/4, pad)
	if p.whiskers {
		allow = math.Inf(1)
	}
	low, high = min(low, max(bandLow, low-allow))-pad, max(high, min(bandHigh, high+allow))+pad
	if p.maxSpan > 0 {
		low = max(low, high-p.maxSpan)
	}
	return low, high
}

// wrap breaks txt at spaces into lines no wider than width.
func wrap(txt string, sty text.Style, width vg.Length) []string {
	var lines []string
	for _, word := range strings.Fields(txt) {
		n := len(lines)
		if n > 0 && sty.Width(lines[n-1]+" "+word) <= width {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
