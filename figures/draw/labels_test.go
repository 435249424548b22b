package draw

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

func TestSpread(t *testing.T) {
	for _, test := range []struct {
		name          string
		heights, want []vg.Length
	}{
		{"apart already", []vg.Length{90, 10, 50}, []vg.Length{90, 10, 50}},
		{"two at one place", []vg.Length{50, 50}, []vg.Length{45, 55}},
		{"a push that pushes on", []vg.Length{50, 50, 56, 80}, []vg.Length{42, 52, 62, 80}},
		{"at the floor", []vg.Length{0, 1, 40}, []vg.Length{0, 10, 40}},
		{"at the ceiling", []vg.Length{100, 30, 99}, []vg.Length{100, 30, 90}},
	} {
		if got := spread(test.heights, 10, 0, 100); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// The fifth of six places, and not the fourth of four, leaves room for the legend. Without a legend the fifth chart takes both places.
func TestLegendFillsHole(t *testing.T) {
	for n, hole := range map[int]bool{4: false, 5: true} {
		var charts []*Chart
		for range n {
			charts = append(charts, &Chart{Curves: []Curve{{Label: "PHE", Mean: []float64{1, 2}}}})
		}
		g := Tiled(charts, 0)
		marks := g.Figure(100, 0, "").Marks(maxMarks)
		if right := marks[len(marks)-1].X; right != marks[3].X {
			t.Errorf("%d charts: the last ends at %v, the second at %v of the width", n, right, marks[3].X)
		}
		g.UseLegend()
		if g.hasHole() != hole || (g.legendHeight() == 0) != hole {
			t.Errorf("%d charts: hole %v, legend above %v high", n, g.hasHole(), g.legendHeight())
		}
	}
}
