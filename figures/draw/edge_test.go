package draw

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// The caption mentions a band, a whisker or a line that goes on beyond an axis.
func TestBeyondEdge(t *testing.T) {
	at := func(of Kind, mean, stdDev float64) []*Chart {
		c := Curve{Kind: of, Mean: []float64{50, mean}, StdDev: []float64{1, stdDev}}
		return []*Chart{{YAxis: Axis{Low: 40, High: 60}, Curves: []Curve{c}}}
	}
	for _, test := range []struct {
		name   string
		panels []*Chart
		want   string
	}{
		{"inside", at(justLine, 50, 5), ""},
		{"a band", at(justLine, 50, 15), "Bands that reach an edge"},
		{"a whisker", at(LineAndPoints, 50, 15), "Triangle at an edge of a panel: the whisker"},
		{"a line takes its band along", at(justLine, 70, 5), ""},
	} {
		if got := CutBands(test.panels); !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if got := BeyondEdge(at(justLine, 70, 5)); !strings.HasPrefix(got, "Lines and bands that reach") {
		t.Errorf("a line: %q", got)
	}
}

// A whisker of accuracy ends at 0 and 100.
func TestCutBands(t *testing.T) {
	bars := func(mean, stdDev float64, seeds int) []*Chart {
		return []*Chart{{Groups: []BarGroup{{After: Estimate{mean, stdDev, seeds}}}}}
	}
	if CutBands(bars(90, 5, 3)) != "" || CutBands(bars(90, 20, 1)) != "" || CutBands(bars(90, 20, 3)) == "" || CutBands(bars(10, 20, 3)) == "" {
		t.Error("a whisker beyond 0 or 100 is not said, or another is")
	}
}

// A line with dots that soars out of its chart is interrupted.
func TestSoars(t *testing.T) {
	c, line := New("", "").Y(0, 5), Curve{Kind: LineAndDots, Mean: []float64{2, 3, 1e6, 2e6}}
	if got := c.soars(line); !slices.Equal(got, []int{1}) {
		t.Errorf("soars after points %v, want 1", got)
	}
	line.Mean[2] = 20
	if got := c.soars(line); len(got) != 0 {
		t.Errorf("a line that leaves slowly soars after %v", got)
	}
}

// A line that the largest span hides anyway does not widen the axis.
func TestHiddenLineDoesNotWiden(t *testing.T) {
	p := Chart{Range: Limits{Share: true, MaxSpan: 25}, Curves: []Curve{{Mean: []float64{99, 95}}, {Mean: []float64{50, 52}}}}
	if low, high := p.YRange(); low < 90 || high > 101 {
		t.Errorf("from %v to %v", low, high)
	}
}

// A line is interrupted at breaks and at points that are not finite.
func TestPieces(t *testing.T) {
	points := make(plotter.XYs, 10)
	points[4].Y = math.NaN()
	points[9].X = math.Inf(1)
	if got := pieces(points, []int{0, 2, 5, 7}); !slices.Equal(got, [][2]int{{0, 2}, {2, 4}, {5, 7}, {7, 9}}) {
		t.Errorf("drawn in pieces %v", got)
	}
}
