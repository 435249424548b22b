package play

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strconv"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// written is a text of a picture, with the size of its letters.
var written = regexp.MustCompile(`(?s)<text ([^>]*font-size:([0-9.]+)px[^>]*)>([^<]*)</text>`)

// fixLetters gives each text of an SVG the width that its letters have in Liberation Sans. A browser without this font takes
// wider letters, and texts would run into each other.
func fixLetters(svg []byte) []byte {
	return written.ReplaceAllFunc(svg, func(text []byte) []byte {
		parts := written.FindSubmatch(text)
		size, err := strconv.ParseFloat(string(parts[2]), 64)
		if err != nil || len(bytes.TrimSpace(parts[3])) == 0 {
			return text
		}
		f := font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size))
		face := font.DefaultCache.Lookup(f, f.Size)
		width := face.Width(html.UnescapeString(string(parts[3])))
		return fmt.Appendf(nil, `<text textLength="%.1f" lengthAdjust="spacingAndGlyphs" %s>%s</text>`, width.Points(), parts[1], parts[3])
	})
}
