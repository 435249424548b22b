package figures

import (
	"math"
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
	if len(got) != 7 {
		t.Errorf("marks %v", got)
	}
	first, second, last := got["PHE, step 0: 20 ± 1"], got["PHE, step 1: 40 ± 0.2500"], got["PHE, step 3: 80"]
	if apart := second.X - first.X; apart <= 0 || math.Abs(last.X-first.X-3*apart) > 3e-4 {
		t.Errorf("steps 0, 1 and 3 are at %v, %v and %v", first.X, second.X, last.X)
	}
	if above := first.Y - second.Y; above <= 0 || math.Abs(first.Y-last.Y-3*above) > 3e-4 {
		t.Errorf("values 20, 40 and 80 are at %v, %v and %v", first.Y, second.Y, last.Y)
	}
	if m := got["Ada, 1.500: 40"]; m.Y != second.Y || math.Abs(m.X-(first.X+1.5*(second.X-first.X))) > 3e-4 {
		t.Errorf("x = 1.5 is at %v", m)
	}
	for _, text := range []string{"Rule: 60", "Rule, 10 numbers: 60"} {
		if got[text].Text == "" {
			t.Errorf("no mark %q in %v", text, got)
		}
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
		if ends < 2 {
			t.Errorf("%s has %d of its ends", c.Label, ends)
		}
	}
}

// Bars have a mark at their end, in the order of the legend.
func TestBarMarks(t *testing.T) {
	got := drawtest.ByText(filetest.Must(Figure1([]*result.File{twoGroups()}))(t))
	before, frozen := got["Group 1, before its update: 60 ± 14.14"], got["Group 1, frozen after group 1: 85 ± 7.071"]
	after := got["Group 1, after its update: 80 ± 0"]
	if len(got) != 6 || !(before.X < frozen.X && frozen.X < after.X && frozen.Y < after.Y && after.Y < before.Y) {
		t.Errorf("marks %v", got)
	}
	got = drawtest.ByText(filetest.Must(Figure9([]*result.File{twoGroups()}))(t))
	if a, b := got["Group 2, test rows: 40"], got["Group 2, training rows: 2000"]; len(got) != 4 || a.X >= b.X || a.Y <= b.Y {
		t.Errorf("marks of Figure 9: %v", got)
	}
}

// A point of a calendar says its date.
func TestDayMarks(t *testing.T) {
	p := &draw.Chart{Curves: []draw.Curve{{Label: "PHE", Mean: []float64{1, 2}}}}
	readSource(dailyFile(2, 1, "authors"), nil, new(draw.Palette)).nameSteps(p)
	got := drawtest.ByText(draw.Tiled([]*draw.Chart{p}, 1).Figure(6*vg.Centimeter, 0, ""))
	if _, ok := got["PHE, 2 Feb 2011: 2"]; !ok {
		t.Errorf("marks %v", got)
	}
}
