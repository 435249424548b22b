package figures

import (
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/figures/draw"
	"gophe/figures/draw/drawtest"
	"gophe/phe/disk/filetest"
)

// A mark lies where the curve is drawn, and points beyond the axes have none.
func TestCurveMarks(t *testing.T) {
	p := draw.New("", "").Y(0, 100)
	p.Curves = []draw.Curve{
		{Label: "PHE", Mean: []float64{20, 40, 120, 80}, StdDev: []float64{1, 0.25}},
		{Label: "Ada", X: []float64{0, 1.5}, Mean: []float64{20, 40}},
		{Label: "Rule", X: []float64{0, 3}, Names: []string{"", "10 numbers"}, Mean: []float64{60, 60}},
	}
	got := drawtest.ByText(draw.Tiled([]*draw.Chart{p}, 1).Figure(6*vg.Centimeter, 0, "a caption"))
	filetest.Want(t, len(got), 7, "marks")
	first, second, last := got["PHE, step 0: 20 ± 1"], got["PHE, step 1: 40 ± 0.2500"], got["PHE, step 3: 80"]
	filetest.True(t, first.X < second.X && first.Y > second.Y, "steps 0 and 1 are at %v and %v", first, second)
	filetest.Near(t, last.X-first.X, 3*(second.X-first.X), 3e-4, "the place of step 3")
	filetest.Near(t, first.Y-last.Y, 3*(first.Y-second.Y), 3e-4, "the place of the value 80")
	filetest.Want(t, got["Ada, 1.500: 40"].Y, second.Y, "the height of 40")
	filetest.Near(t, got["Ada, 1.500: 40"].X, first.X+1.5*(second.X-first.X), 3e-4, "the place of x = 1.5")
	for _, text := range []string{"Rule: 60", "Rule, 10 numbers: 60"} {
		filetest.True(t, got[text].Text != "", "no mark %q in %v", text, got)
	}
}

// Long curves share the marks, and each keeps its ends.
func TestManyMarks(t *testing.T) {
	fig := filetest.Must(Figure3(synthetic(317, 5), 5))(t)
	got := drawtest.ByText(fig)
	for _, c := range panels(fig)[0].Curves {
		ends := 0
		for text := range got {
			if strings.HasPrefix(text, c.Label+", step 0: ") || strings.HasPrefix(text, c.Label+", step 316: ") {
				ends++
			}
		}
		filetest.True(t, ends >= 2, "%s has %d of its ends", c.Label, ends)
	}
}

// Bars have a mark at their end, in the order of the legend.
func TestBarMarks(t *testing.T) {
	got := drawtest.ByText(filetest.Must(Figure1([]*result.File{twoGroups()}))(t))
	before, frozen := got["Group 1, before its update: 60 ± 14.14"], got["Group 1, frozen after group 1: 85 ± 7.071"]
	after := got["Group 1, after its update: 80 ± 0"]
	filetest.Want(t, len(got), 6, "marks")
	filetest.True(t, before.X < frozen.X && frozen.X < after.X, "from left to right: %v, %v, %v", before, frozen, after)
	filetest.True(t, frozen.Y < after.Y && after.Y < before.Y, "from above: %v, %v, %v", frozen, after, before)
	got = drawtest.ByText(filetest.Must(Figure9([]*result.File{twoGroups()}))(t))
	a, b := got["Group 2, test rows: 40"], got["Group 2, training rows: 2000"]
	filetest.Want(t, len(got), 4, "marks of Figure 9")
	filetest.True(t, a.X < b.X && a.Y > b.Y, "marks of Figure 9 at %v and %v", a, b)
}

// A point of a calendar says its date.
func TestDayMarks(t *testing.T) {
	p := &draw.Chart{Curves: []draw.Curve{{Label: "PHE", Mean: []float64{1, 2}}}}
	readSource(dailyFile(2, 1, "authors"), nil, new(draw.Palette)).nameSteps(p)
	got := drawtest.ByText(draw.Tiled([]*draw.Chart{p}, 1).Figure(6*vg.Centimeter, 0, ""))
	filetest.True(t, got["PHE, 2 Feb 2011: 2"].Text != "", "marks %v", got)
}
