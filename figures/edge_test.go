package figures

import (
	"slices"
	"strings"
	"testing"

	"gophe/experiments/fixture"
	"gophe/experiments/result"
	"gophe/phe/filetest"
)

// The caption mentions a band, a whisker or a line that goes on beyond an axis.
func TestBeyondEdge(t *testing.T) {
	at := func(marks marks, mean, stdDev float64) []*panel {
		c := curve{marks: marks, mean: []float64{50, mean}, stdDev: []float64{1, stdDev}}
		return []*panel{{yMin: 40, yMax: 60, curves: []curve{c}}}
	}
	for _, test := range []struct {
		name   string
		panels []*panel
		want   string
	}{
		{"inside", at(justLine, 50, 5), ""},
		{"a band", at(justLine, 50, 15), "Bands that reach an edge"},
		{"a whisker", at(lineAndPoints, 50, 15), "Triangle at an edge of a panel: the whisker"},
		{"a line takes its band along", at(justLine, 70, 5), ""},
	} {
		if got := strings.Join(cutBands(test.panels), " "); !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if got := beyondEdge(at(justLine, 70, 5)); len(got) != 1 || !strings.HasPrefix(got[0], "Lines and bands that reach") {
		t.Errorf("a line: %q", got)
	}
}

// A whisker of accuracy ends at 0 and 100.
func TestCutWhiskers(t *testing.T) {
	bars := func(mean, stdDev float64, seeds int) []*panel {
		return []*panel{{bars: []barGroup{{after: estimate{mean, stdDev, seeds}}}}}
	}
	if cutWhiskers(bars(90, 5, 3)) != nil || cutWhiskers(bars(90, 20, 1)) != nil || cutWhiskers(bars(90, 20, 3)) == nil || cutWhiskers(bars(10, 20, 3)) == nil {
		t.Error("a whisker beyond 0 or 100 is not said, or another is")
	}
}

// A line that soars out of its panel is interrupted, and a triangle marks the place.
func TestSoaring(t *testing.T) {
	c := curve{marks: lineAndDots, mean: []float64{2, 3, 1e6, 2e6}}
	if got := c.soars(0, 5); !slices.Equal(got, []int{1}) {
		t.Errorf("soars after points %v, want 1", got)
	}
	c.mean[2] = 20
	if got := c.soars(0, 5); len(got) != 0 {
		t.Errorf("a line that leaves slowly soars after %v", got)
	}
	f := productsFile(2)
	for r := range f.Methods[5].Runs {
		for i := range f.Methods[5].Runs[r].Tests {
			if f.Methods[5].Runs[r].Tests[i].After > 0 {
				f.Methods[5].Runs[r].Tests[i].AbsoluteError *= 1e9
			}
		}
	}
	fig := filetest.Must(Figure11([]*result.File{f}))(t)
	fixture.WantText(t, fig.Caption, "Triangle at the upper edge: from here the line goes on far above the panel.")
	drawn, err := panels(fig)[0].plot()
	if err != nil || drawn.Y.Max > 100 {
		t.Errorf("the axis goes up to %v; error %v", drawn.Y.Max, err)
	}
}

// A line that the largest span hides anyway does not widen the axis.
func TestHiddenLineDoesNotWiden(t *testing.T) {
	p := panel{isShare: true, maxSpan: 25, curves: []curve{{mean: []float64{99, 95}}, {mean: []float64{50, 52}}}}
	if low, high := p.yRange(); low < 90 || high > 101 {
		t.Errorf("from %v to %v", low, high)
	}
}
