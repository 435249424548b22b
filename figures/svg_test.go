package figures

import (
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"gophe/phe/filetest"
)

// A text keeps the width that Liberation Sans gives it in every other font, and with that width it lies inside its picture. The
// pictures that are drawn by no program are read, too.
func TestTextKeepsItsPlace(t *testing.T) {
	paths := filetest.Must(filepath.Glob("out/*.svg"))(t)
	drawn := filepath.Join(t.TempDir(), "drawn.svg")
	filetest.Check(t, filetest.Must(Figure3(synthetic(40, 3), 2))(t).Save(drawn))
	for _, path := range append(paths, drawn) {
		for _, text := range svgTexts(t, path) {
			if want := text.measured(); math.Abs(text.width-want) > 0.01 {
				t.Errorf("%s: the text %q tells the width %v, and is %v wide", path, text.content, text.width, want)
			}
			if left, right := text.place, text.place+text.width; left < -0.01 || right > text.room+0.01 {
				t.Errorf("%s: the text %q reaches from %v to %v in a picture of %v", path, text.content, left, right, text.room)
			}
		}
	}
	if len(paths) == 0 {
		t.Error("there are no pictures")
	}
}

// svgText is a text of an SVG.
type svgText struct {
	content     string
	style       string
	width       float64 // as it tells
	place, room float64 // where it begins along its line, and the picture's size in that direction
}

// svgTexts returns the texts of a picture of package vgsvg. They lie from left to right or, in a group that is turned by 90°, from
// the bottom to the top.
func svgTexts(t *testing.T, path string) (texts []svgText) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(string(filetest.Must(os.ReadFile(path))(t))))
	var width, height float64
	var turned []bool // of the groups around
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return texts
		}
		filetest.Check(t, err)
		switch at := token.(type) {
		case xml.StartElement:
			switch at.Name.Local {
			case "svg":
				width, height = svgNumber(t, at, "width"), svgNumber(t, at, "height")
			case "g":
				turned = append(turned, svgAttribute(at, "transform") == "rotate(90)")
			case "text":
				text := svgText{style: svgAttribute(at, "style"), width: svgNumber(t, at, "textLength"), place: svgNumber(t, at, "x"), room: width}
				if turned[len(turned)-1] {
					text.room = height
				}
				filetest.Check(t, decoder.DecodeElement(&text.content, &at))
				texts = append(texts, text)
			}
		case xml.EndElement:
			if at.Name.Local == "g" {
				turned = turned[:len(turned)-1]
			}
		}
	}
}

func svgAttribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func svgNumber(t *testing.T, e xml.StartElement, name string) float64 {
	t.Helper()
	return filetest.Must(strconv.ParseFloat(strings.TrimSuffix(svgAttribute(e, name), "pt"), 64))(t)
}

var svgSize = regexp.MustCompile(`font-size:([0-9.]+)px`)

// measured returns the text's width in the letters of Liberation Sans that come with the program.
func (text svgText) measured() float64 {
	size, _ := strconv.ParseFloat(svgSize.FindStringSubmatch(text.style)[1], 64)
	letters := font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size))
	if strings.Contains(text.style, "font-style:italic") {
		letters.Style = xfont.StyleItalic
	}
	face := font.DefaultCache.Lookup(letters, letters.Size)
	return face.Width(strings.Join(strings.Fields(text.content), " ")).Points()
}
