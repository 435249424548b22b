package draw

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// unprintable are letters that XML cannot hold.
var unprintable = regexp.MustCompile(`[\p{Cc}\x{fffd}-\x{ffff}]`)

// svgCanvas notes the widths of its texts, in the order in which they are drawn.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length
}

// FillString implements vg.Canvas.
func (c *svgCanvas) FillString(face font.Face, at vg.Point, text string) {
	text = unprintable.ReplaceAllString(text, "\ufffd")
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
	if svg := shorten(bytes.Join(pieces, nil)); !notNumber.Match(svg) {
		return svg, nil
	}
	return nil, errors.New("a place in the picture is no number: its axes are not finite or lack room; give them ends, or make it larger")
}

// visible is the distance, in hundredths of a point, that a corner keeps from the line between its neighbours to be drawn. Curves
// are at least five times as wide.
const visible = 10

var (
	notNumber = regexp.MustCompile(`="[^"]*(NaN|Inf)`)
	straight  = regexp.MustCompile(` d="M[-0-9.,MLZ]*"`) // a path without curves
	piece     = regexp.MustCompile(`M[^M"]*`)
	corner    = regexp.MustCompile(`[ML]([-0-9.]+),([-0-9.]+)`)
)

// place is a corner of a path, in hundredths of a point.
type place struct{ x, y int }

// shorten leaves out the corners of an SVG's straight paths that no reader can see, and gives the others as steps from corner to corner.
// The large figures are little else than paths, and become a third. Places are rounded to 0.01 points before their difference is taken, so
// that no error adds up.
func shorten(svg []byte) []byte {
	return straight.ReplaceAllFunc(svg, func(path []byte) []byte {
		short := []byte(` d="`)
		for _, p := range piece.FindAll(path, -1) {
			var places []place
			for _, c := range corner.FindAllSubmatch(p, -1) {
				places = append(places, place{hundredths(c[1]), hundredths(c[2])})
			}
			short = appendSteps(short, thin(places))
			if bytes.HasSuffix(p, []byte("Z")) {
				short = append(short, 'Z')
			}
		}
		return append(short, '"')
	})
}

// thin leaves out corners of a line that are no further than visible from the remaining line: the method of Douglas and Peucker (1973).
func thin(line []place) []place {
	if len(line) < 3 {
		return slices.Clone(line)
	}
	from, to := line[0], line[len(line)-1]
	dx, dy := float64(to.x-from.x), float64(to.y-from.y)
	furthest, distance := 0, 0.0
	for i, p := range line[1 : len(line)-1] {
		px, py := float64(p.x-from.x), float64(p.y-from.y)
		along := 0.0 // the nearest place between from and to, as a share of the way
		if dx != 0 || dy != 0 {
			along = min(max((px*dx+py*dy)/(dx*dx+dy*dy), 0), 1)
		}
		if d := math.Hypot(px-along*dx, py-along*dy); d > distance {
			furthest, distance = i+1, d
		}
	}
	if distance < visible {
		return []place{from, to}
	}
	return append(thin(line[:furthest+1]), thin(line[furthest:])[1:]...)
}

// appendSteps writes a path: its first corner, and the step to each of the others.
func appendSteps(short []byte, path []place) []byte {
	at := path[0]
	short = appendNumber(appendNumber(append(short, 'M'), at.x), at.y)
	for i, p := range path[1:] {
		if i == 0 {
			short = append(short, 'l')
		}
		short = appendNumber(appendNumber(short, p.x-at.x), p.y-at.y)
		at = p
	}
	return short
}

func hundredths(number []byte) int {
	value, _ := strconv.ParseFloat(string(number), 64) // the pattern has only numbers
	return int(math.Round(100 * value))
}

// appendNumber writes a number, with a space before it only where it would otherwise belong to the number before.
func appendNumber(short []byte, hundredths int) []byte {
	number := strconv.AppendFloat(nil, float64(hundredths)/100, 'f', -1, 64)
	if -100 < hundredths && hundredths < 100 {
		number = bytes.Replace(number, []byte("0."), []byte("."), 1)
	}
	if last := short[len(short)-1]; number[0] != '-' && '0' <= last && last <= '9' {
		short = append(short, ' ')
	}
	return append(short, number...)
}
