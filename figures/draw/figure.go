package draw

import (
	"bytes"
	"image/color"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

const (
	captionSize = vg.Length(7) // points
	captionLine = vg.Length(9) // points from one line of the caption to the next
	margin      = vg.Length(4) // around everything
)

// Sizes in points.
const (
	labelSize   = vg.Length(7)
	titleSize   = vg.Length(8.5)
	titleHeight = vg.Length(15)
	pageWidth   = 17.5 * vg.Centimeter
	halfWidth   = 11 * vg.Centimeter // of a single chart with its labels
)

// Figure is a picture with a caption below. SVG and PNG draw it.
type Figure struct {
	Width, Height vg.Length
	Caption       string  // seeds, smoothing, divergence and what else a reader must know
	Content       Content // a Grid or Lists, or charts side by side
}

// Content is the part of a figure above the caption. It draws itself, and returns the marks of its points in the canvas's coordinates.
type Content interface {
	draw(c draw.Canvas) []Mark
}

// newFigure returns a figure whose content has the given width and height. The height of the caption is added.
func newFigure(c Content, width, height vg.Length, caption string) *Figure {
	lines := wrap(strings.Fields(caption), captionStyle(), width-2*margin)
	height += captionLine*vg.Length(len(lines)) + 2*margin
	return &Figure{Width: width, Height: height, Caption: caption, Content: c}
}

// PNG returns the figure as a PNG with the given number of dots per inch, as a notebook shows it.
func (fig *Figure) PNG(dpi int) ([]byte, error) {
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(fig.Width, fig.Height), vgimg.UseDPI(dpi))}
	fig.draw(draw.New(canvas))
	var content bytes.Buffer
	_, err := canvas.WriteTo(&content)
	return content.Bytes(), err
}

// draw draws the caption at the bottom and the content above it.
func (fig *Figure) draw(c draw.Canvas) []Mark {
	c = draw.Crop(c, margin, -margin, margin, -margin)
	caption := captionStyle()
	lines := wrap(strings.Fields(fig.Caption), caption, c.Max.X-c.Min.X)
	top := c.Min.Y + captionLine*vg.Length(len(lines))
	for i, line := range lines {
		c.FillText(caption, vg.Point{X: c.Min.X, Y: top - captionLine*(vg.Length(i)+0.5)}, line)
	}
	return fig.Content.draw(draw.Crop(c, 0, 0, top-c.Min.Y, 0))
}

func captionStyle() text.Style { return textStyle(captionSize, color.Gray{70}) }

// wrap puts words into lines that are at most as wide as width. A wider word has a line of its own.
func wrap(words []string, sty text.Style, width vg.Length) (lines []string) {
	for _, word := range words {
		last := len(lines) - 1
		if last >= 0 && sty.Width(lines[last]+" "+word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
