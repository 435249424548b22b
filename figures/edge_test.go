package figures

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gophe/experiments/result"
)

// What goes on beyond an axis is said: a band, a whisker at a point, a line.
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
	fig, err := Figure11([]*result.File{f})
	if err != nil {
		t.Fatal(err)
	}
	if want := "Triangle at the upper edge: from here the line goes on far above the panel."; !strings.Contains(fig.Caption, want) {
		t.Errorf("caption %q lacks %q", fig.Caption, want)
	}
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

// Five panels leave a place for the legend; four have it above.
func TestLegendFillsHole(t *testing.T) {
	files := append(groupFiles(1), productsFile(1))
	for n, hole := range map[int]bool{4: false, 5: true} {
		fig, err := Figure11(files[:n])
		if err != nil {
			t.Fatal(err)
		}
		g := fig.content.(*grid)
		if g.hasHole() != hole || (g.legendHeight() == 0) != hole {
			t.Errorf("%d panels: hole %v, legend above %v high", n, g.hasHole(), g.legendHeight())
		}
		if _, err := fig.svg(); err != nil {
			t.Error(err)
		}
	}
}

// Days stand where they are in time.
func TestFigure7Calendar(t *testing.T) {
	fig, err := Figure7([]*result.File{dailyFile(60, 2, "authors"), ratingsFile(60, 2, "paper")})
	if err != nil {
		t.Fatal(err)
	}
	retail, ratings := panels(fig)[0], panels(fig)[1]
	if want := []float64{0, 1, 2, 3, 5, 6, 7, 8, 9, 10}; !slices.Equal(retail.curves[0].x, want) {
		t.Errorf("days without Saturdays at %v, want %v", retail.curves[0].x, want)
	}
	if x := ratings.curves[0].x; x[1] != 3 || x[9] != 27 {
		t.Errorf("every third day at %v", x)
	}
}

func TestCalendarTicks(t *testing.T) {
	first := time.Date(2000, 1, 30, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		days int
		want string
	}{
		{3, "30 Jan|31|1 Feb|2"},
		{20, "30 Jan|1 Feb|3|5|7|9|11|13|15|17|19"},
		{28, "30 Jan|6 Feb|13|20|27"},
		{365, "30 Jan|30 Apr|30 Jul|29 Oct|28 Jan"},
	} {
		var labels []string
		for _, mark := range calendarTicks(first, first.AddDate(0, 0, test.days)) {
			labels = append(labels, mark.Label)
		}
		if got := strings.Join(labels, "|"); got != test.want {
			t.Errorf("%d days: %s, want %s", test.days, got, test.want)
		}
	}
}

// The votes, which have one size, are levels across the panel and do not widen its x axis.
func TestFrontierLevels(t *testing.T) {
	f := frontierFiles(2)[0]
	vote := f.Methods[0]
	vote.Name, vote.Parameters = "Majority", 2
	f.Methods = append(f.Methods, vote)
	fig, err := Frontier([]*result.File{f})
	if err != nil {
		t.Fatal(err)
	}
	p := panels(fig)[0]
	level := p.curves[len(p.curves)-1]
	low, high := p.xRange()
	if level.label != "Majority" || level.marks != justLine || !slices.Equal(level.x, []float64{low, high}) || low < math.Log10(20) {
		t.Errorf("%s from %v to %v, axis from %v to %v", level.label, level.x[0], level.x[1], low, high)
	}
	if want := "rules that count labels and hold few numbers (Majority on Adult 2)"; !strings.Contains(fig.Caption, want) {
		t.Errorf("caption %q lacks %q", fig.Caption, want)
	}
}
