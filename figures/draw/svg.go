package draw

import (
	"bytes"
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svgCanvas notes the widths of its texts, in the order in which they are drawn.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length
}

// FillString implements vg.Canvas.
func (c *svgCanvas) FillString(face font.Face, at vg.Point, text string) {
	c.Canvas.FillString(face, at, text)
	c.widths = append(c.widths, face.Width(strings.Join(strings.Fields(text), " "))) // an SVG has no other spaces
}

// SVG returns the figure as a vector graphic. Each text has its width, so that it keeps its place if the reader's machine lacks
// the font Liberation Sans and all fonts of equal widths. A white page lies below everything.
func (fig *Figure) SVG() ([]byte, error) {
	canvas := &svgCanvas{Canvas: vgsvg.NewWith(vgsvg.UseWH(fig.Width, fig.Height), vgsvg.EmbedFonts(false))}
	fillBox(draw.New(canvas), color.White, 0, 0, fig.Width, fig.Height) // dark pages would hide black letters
	fig.draw(draw.New(canvas))
	var content bytes.Buffer
	if _, err := canvas.WriteTo(&content); err != nil {
		return nil, err
	}
	plain := bytes.ReplaceAll(content.Bytes(), []byte("font-variant:normal;font-weight:normal;font-style:normal;"), nil)
	const sameWidths = "font-family:Liberation Sans,Arial,Helvetica,sans-serif;"
	plain = bytes.ReplaceAll(plain, []byte("font-family:Liberation Sans;"), []byte(sameWidths))
	pieces := bytes.SplitAfter(plain, []byte("<text ")) // the letters of a text are escaped, so this is never one
	for i, width := range canvas.widths {
		pieces[i] = fmt.Appendf(pieces[i], `textLength="%.5g" lengthAdjust="spacingAndGlyphs" `, width.Points())
	}
	return shorten(bytes.Join(pieces, nil)), nil
}
