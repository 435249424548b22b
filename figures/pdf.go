package figures

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"github.com/pkg/errors"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pdf returns the figure as a PDF of one page. Its fonts are embedded, with the letters that the figure uses.
func (fig *Figure) pdf() ([]byte, error) {
	canvas := newPDFCanvas(fig.Width, fig.Height)
	if _, err := fig.draw(draw.New(canvas)); err != nil {
		return nil, err
	}
	var content bytes.Buffer
	err := canvas.doc.Output(&content)
	return content.Bytes(), errors.Wrap(err, "cannot write the PDF")
}

// pdfCanvas is a vg.Canvas that writes PDF. Package vgpdf of gonum/plot is no choice. It has no letters outside Windows'
// Western set, such as σ and −, and it darkens translucent bands.
type pdfCanvas struct {
	doc           *fpdf.Fpdf
	width, height vg.Length
	lines         []vg.Length     // stack of line widths
	fonts         map[string]bool // embedded already
}

func newPDFCanvas(width, height vg.Length) *pdfCanvas {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: width.Points(), Ht: height.Points()}})
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.SetCatalogSort(true) // the same figure gives the same bytes
	doc.SetCreationDate(time.Unix(0, 0).UTC())
	doc.SetModificationDate(time.Unix(0, 0).UTC())
	doc.SetProducer("gophe", true)
	doc.AddPage()
	c := &pdfCanvas{doc: doc, width: width, height: height, lines: make([]vg.Length, 1), fonts: map[string]bool{}}
	vg.Initialize(c)
	return c
}

// Size returns the page's size.
func (c *pdfCanvas) Size() (width, height vg.Length) { return c.width, c.height }

// place converts a point to fpdf's coordinates, whose y axis points down.
func (c *pdfCanvas) place(at vg.Point) (x, y float64) {
	return at.X.Points(), (c.height - at.Y).Points()
}

// SetLineWidth implements vg.Canvas.
func (c *pdfCanvas) SetLineWidth(width vg.Length) {
	c.lines[len(c.lines)-1] = width
	c.doc.SetLineWidth(width.Points())
}

// SetLineDash implements vg.Canvas.
func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	dashes := make([]float64, len(pattern))
	for i, length := range pattern {
		dashes[i] = length.Points()
	}
	c.doc.SetDashPattern(dashes, offset.Points())
}

// SetColor implements vg.Canvas.
func (c *pdfCanvas) SetColor(ink color.Color) {
	if ink == nil {
		ink = color.Black
	}
	plain := color.NRGBAModel.Convert(ink).(color.NRGBA)
	r, g, b := int(plain.R), int(plain.G), int(plain.B)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetDrawColor(r, g, b)
	c.doc.SetTextColor(r, g, b)
	c.doc.SetAlpha(float64(plain.A)/255, "Normal")
}

// Rotate implements vg.Canvas.
func (c *pdfCanvas) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	c.doc.Transform(fpdf.TransformMatrix{A: cos, B: sin, C: -sin, D: cos})
}

// Translate implements vg.Canvas.
func (c *pdfCanvas) Translate(by vg.Point) {
	c.doc.Transform(fpdf.TransformMatrix{A: 1, D: 1, E: by.X.Points(), F: by.Y.Points()})
}

// Scale implements vg.Canvas.
func (c *pdfCanvas) Scale(x, y float64) {
	c.doc.Transform(fpdf.TransformMatrix{A: x, D: y})
}

// Push implements vg.Canvas.
func (c *pdfCanvas) Push() {
	c.lines = append(c.lines, c.lines[len(c.lines)-1])
	c.doc.TransformBegin()
}

// Pop implements vg.Canvas.
func (c *pdfCanvas) Pop() {
	c.lines = c.lines[:len(c.lines)-1]
	c.doc.TransformEnd()
}

// Stroke implements vg.Canvas.
func (c *pdfCanvas) Stroke(path vg.Path) {
	if c.lines[len(c.lines)-1] > 0 {
		c.trace(path)
		c.doc.DrawPath("D")
	}
}

// Fill implements vg.Canvas.
func (c *pdfCanvas) Fill(path vg.Path) {
	c.trace(path)
	c.doc.DrawPath("F")
}

// trace lays out a path.
func (c *pdfCanvas) trace(path vg.Path) {
	for _, part := range path {
		x, y := c.place(part.Pos)
		switch part.Type {
		case vg.MoveComp:
			c.doc.MoveTo(x, y)
		case vg.LineComp:
			c.doc.LineTo(x, y)
		case vg.ArcComp:
			radius, degrees := part.Radius.Points(), 180/math.Pi
			c.doc.ArcTo(x, y, radius, radius, 0, part.Start*degrees, (part.Start+part.Angle)*degrees)
		case vg.CurveComp:
			x1, y1 := c.place(part.Control[0])
			if len(part.Control) == 1 {
				c.doc.CurveTo(x1, y1, x, y)
				continue
			}
			x2, y2 := c.place(part.Control[1])
			c.doc.CurveBezierCubicTo(x1, y1, x2, y2, x, y)
		case vg.CloseComp:
			c.doc.ClosePath()
		}
	}
}

// FillString implements vg.Canvas.
func (c *pdfCanvas) FillString(face font.Face, at vg.Point, text string) {
	name := face.Name()
	if !c.fonts[name] {
		var content bytes.Buffer
		if _, err := face.Face.WriteSourceTo(nil, &content); err != nil {
			c.doc.SetError(err)
			return
		}
		c.doc.AddUTF8FontFromBytes(name, "", content.Bytes())
		c.fonts[name] = true
	}
	c.doc.SetFont(name, "", face.Font.Size.Points())
	x, y := c.place(at)
	c.doc.Text(x, y, text)
}

// DrawImage implements vg.Canvas. Figures have no images.
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) {
	c.doc.SetError(errors.New("a figure has an image, which the PDF cannot hold"))
}
