package figures

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"gophe/phe/disk/filetest"
)

// svgPiece finds what an SVG of package vgsvg has around its texts, and the texts: their width, x, size and letters.
var svgPiece = regexp.MustCompile(`<svg width="([0-9.]+)pt" height="([0-9.]+)pt"|<g transform="(rotate\(90\))?|</(g)>|` +
	`<text textLength="([0-9.]+)" lengthAdjust="spacingAndGlyphs" x="([-0-9.]+)" [^>]*font-size:([0-9.]+)px[^>]*>([^<]*)<`)

// A text keeps the width that Liberation Sans gives it in every other font, and with that width it lies inside its picture, which has a
// white page below it. The pictures that no program draws are read, too. Texts run from left to right or, in a group turned by 90°, from
// the bottom to the top.
func TestTextKeepsItsPlace(t *testing.T) {
	paths := filetest.Must(filepath.Glob("out/*.svg"))(t)
	filetest.True(t, len(paths) > 0, "there are no pictures")
	drawn := filepath.Join(t.TempDir(), "drawn.svg")
	filetest.Check(t, os.WriteFile(drawn, filetest.Must(filetest.Must(Figure3(synthetic(40, 3), 2))(t).SVG())(t), 0o644))
	for _, path := range append(paths, drawn) {
		content := string(filetest.Must(os.ReadFile(path))(t))
		number := func(text string) float64 { return filetest.Must(strconv.ParseFloat(text, 64))(t) }
		var width, height float64
		var turned []bool // of the groups around
		texts := 0
		for _, m := range svgPiece.FindAllStringSubmatch(content, -1) {
			switch {
			case m[1] != "":
				width, height = number(m[1]), number(m[2])
			case m[4] != "":
				turned = turned[:len(turned)-1]
			case m[5] == "":
				turned = append(turned, m[3] != "")
			default:
				texts++
				room := width
				if turned[len(turned)-1] {
					room = height
				}
				own, from, text := number(m[5]), number(m[6]), html.UnescapeString(m[8])
				want := liberationWidth(text, number(m[7]), strings.Contains(m[0], "italic"))
				filetest.Near(t, own, want, 0.01, "%s: the width that the text %q tells", path, text)
				filetest.True(t, from >= -0.01 && from+own <= room+0.01, "%s: the text %q reaches from %v to %v in a picture of %v",
					path, text, from, from+own, room)
			}
		}
		page := fmt.Sprintf(`<path d="M0 0l%[1]v 0 0 %[2]v-%[1]v 0Z" style="fill:#FFFFFF" />`, width, height)
		below, _, found := strings.Cut(content, page)
		filetest.True(t, found, "%s: it has no white page, and a dark one would hide its letters", path)
		filetest.WantNone(t, below, "<path", "<text")
		filetest.Want(t, texts, strings.Count(content, "<text "), "%s: texts that tell their width", path)
		filetest.True(t, texts > 0, "%s has no texts", path)
	}
}

// liberationWidth returns a text's width in the letters of Liberation Sans that come with the program. An SVG has no two spaces side
// by side, and none at the ends.
func liberationWidth(text string, size float64, italic bool) float64 {
	letters := font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size))
	if italic {
		letters.Style = xfont.StyleItalic
	}
	face := font.DefaultCache.Lookup(letters, letters.Size)
	return face.Width(strings.Join(strings.Fields(text), " ")).Points()
}
