package draw

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/phe/disk/filetest"
)

// A line with dots that soars out of its chart is interrupted.
func TestSoars(t *testing.T) {
	c, line := New("", "").Y(0, 5), Curve{Kind: LineAndDots, Mean: []float64{2, 3, 1e6, 2e6}}
	filetest.Want(t, c.soars(line), []int{1}, "the points after which it soars")
	line.Mean[2] = 20
	filetest.Want(t, len(c.soars(line)), 0, "the points after which a line soars that leaves slowly")
}

// A line is interrupted at breaks and at points that are not finite.
func TestPieces(t *testing.T) {
	points := make(plotter.XYs, 10)
	points[4].Y = math.NaN()
	points[9].X = math.Inf(1)
	filetest.Want(t, pieces(points, []int{0, 2, 5, 7}), [][2]int{{0, 2}, {2, 4}, {5, 7}, {7, 9}}, "the pieces")
}

// A chart of any names and numbers is an SVG that a parser opens, or an error. Places are numbers.
func TestRandomCharts(t *testing.T) {
	t.Parallel()
	odd := []float64{0, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 5e-324, 1e16, 1e16 + 2, 1, -1}
	names := []string{"", "PHE", "a\x00\x1b[31m\x7f", "two\nlines", "\ufffe\xff", `<&"'>`, strings.Repeat("a long name ", 9)}
	drawn := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 8))
		value := func() float64 {
			return []float64{odd[r.IntN(len(odd))], math.Float64frombits(r.Uint64()), r.NormFloat64()}[r.IntN(3)]
		}
		list := func() (values []float64) {
			for range 5 {
				values = append(values, value())
			}
			return values
		}
		name := func() string { return names[r.IntN(len(names))] + strconv.Itoa(r.IntN(99)) }
		chart := func() *Chart {
			c := New(name(), name()).Title(name()).At(value(), name())
			c.XAxis.log, c.YAxis.log = r.IntN(4) == 1, r.IntN(4) == 1
			for range []int{1, 1, 1, 10}[r.IntN(4)] {
				c.Line(name(), list(), list()).Dots(name(), list(), list()).Band(name(), nil, list(), list()).Spread(name(), list(), list())
			}
			if r.IntN(4) == 1 {
				c.X(value(), value()).NamesY(name(), name())
			}
			return c
		}
		fig := Row(name(), chart(), chart())
		if seed%2 == 1 {
			fig = Tiled([]*Chart{chart(), chart(), chart()}, 0).Figure(5*vg.Centimeter, 0, name())
		}
		svg, err := fig.SVG()
		if err == nil {
			drawn++
		}
		decoder := xml.NewDecoder(bytes.NewReader(svg))
		for token, err := decoder.Token(); err != io.EOF; token, err = decoder.Token() {
			filetest.Check(t, err)
			if e, is := token.(xml.StartElement); is {
				filetest.WantNone(t, fmt.Sprint(e.Attr), "NaN", "Inf")
			}
		}
	}
	filetest.True(t, drawn >= 190, "%d of 200 charts are drawn", drawn)
}

// Labels that would overlap lose each second one. A caption says what has no place. Many names are in a legend.
func TestRoom(t *testing.T) {
	all := []plot.Tick{{Label: "a"}, {Value: 1}, {Value: 2, Label: "b"}, {Value: 4, Label: "c"}, {Value: 6, Label: "d"}, {Value: 9,
		Label: "e"}}
	left := apart(all, func(v float64) vg.Length { return vg.Length(-v) }, func(string) vg.Length { return 3 })
	filetest.Want(t, fmt.Sprint(left), "[{0 a} {1 } {2 } {4 c} {6 } {9 e}]", "labels of width 3, with 1 between them")
	y := []float64{1, 0, -1, math.NaN(), 1e300, math.Inf(1)}
	log, linear := New("", "").LogY().Line("", nil, y), New("", "").LogX().Line("", []float64{0, 1, 1, 1, 1, 1}, y)
	filetest.WantWords(t, log.Figure("A.").Caption, "A. Points not drawn: 3, at 0 or below")
	filetest.WantWords(t, linear.Figure("").Caption, "Points not drawn: 3, ")
	filetest.Want(t, New("", "").Line("", nil, y[:4]).Figure("A.").Caption, "A.", "the caption of NaN and small numbers")
	low, high := Axis{}.withRoom(plot.Axis{Min: 1e17, Max: 1e17}, 0)
	filetest.True(t, low < 1e17 && 1e17 < high, "an axis around 1e17 reaches from %v to %v", low, high)
	filetest.True(t, len(ticks(1e16, 1e16+2)) <= 20, "an axis without numbers between its ends has ever more ticks")
	g := Tiled([]*Chart{New("", "")}, 0)
	for i := range 17 {
		g.Rows[0][0].Line(strconv.Itoa(i), nil, y[:2])
	}
	filetest.Want(t, g.Figure(100, 0, "").Height-g.legendHeight() > 100, true, "the legend is above the chart")
	filetest.Want(t, len(g.Legend), 17, "names in the legend")
	name := short("number " + strings.Repeat("m", 99) + "\n17")
	fits := textStyle(labelSize, black).Width(name) <= 165 && strings.Contains(name, "m…m") && strings.HasSuffix(name, "m 17")
	filetest.True(t, fits, "a long name is %q", name)
	title := strings.Repeat("a title of 300 points ", 4)
	for room, want := range map[vg.Length]bool{420: true, 240: false} {
		filetest.Want(t, New(title, "").axes(vg.Point{X: room}).X.Label.Text == title, want, "the title is whole, with room of %v", room)
	}
	for charts, want := range map[int]bool{1: false, 2: true} { // of 310 and 250 points a chart
		g := Tiled(slices.Repeat([]*Chart{New("", "").Line("a name of 90 points", nil, y[:2])}, charts), 0)
		width := g.Rows[0][0].labelWidth()
		g.Figure(100, 0, "")
		filetest.True(t, width > 84 && width < 100 && (len(g.Legend) > 0) == want,
			"%d charts: labels of %v, legend %v", charts, width, g.Legend)
	}
}

// The longest bar is of training or of test rows, and two short items share a line.
func TestLists(t *testing.T) {
	list := List{Groups: []result.Test{{Items: []string{"a", "b"}, Train: 20, Rows: 10}, {Train: 2000, Rows: 40}}}
	filetest.Want(t, list.most(), 2000, "rows of the longest bar")
	filetest.Want(t, itemLines(list.Groups[0].Items), []string{"a, b"}, "items")
}

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
		filetest.Want(t, spread(test.heights, 10, 0, 100), test.want, "%s", test.name)
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
		filetest.Want(t, marks[len(marks)-1].X, marks[3].X, "%d charts: where the last ends, beside the second", n)
		g.UseLegend()
		filetest.Want(t, g.hasHole(), hole, "%d charts: a hole", n)
		filetest.Want(t, g.legendHeight() == 0, hole, "%d charts: no legend above", n)
	}
}

// A method looks the same in every figure. The committed figures draw these names together, which are not the paper's.
func TestLooksAreTheSameInEveryFigure(t *testing.T) {
	for _, together := range [][]string{
		{"PHE", "PHE 15 steps", "P-EE", "Majority", "ItemMajority"},
		{"PHE", "PHE replay", "P-EE replay", "Majority", "ItemMajority"},
		{"PHE", "PHE B=109", "Ada", "Ada B=109", "Median of nine", "Counting rule"},
		{"One pass Paper", "One pass Paper d=5", "One pass Stream", "AdPredictor", "FTRL", "Adagrad", "PHE", "Ada", "PHE d=5",
			"without the items", "phe stream"},
	} {
		var figure Palette
		for i, name := range together {
			var alone Palette
			got := figure.Style(name, false)
			filetest.Want(t, got, alone.Style(name, false), "the style of %s beside %q", name, together[:i])
			for _, method := range []string{"PHE", "Ada", "One pass"} { // a variant is seen to be one
				own := alone.Style(method, false).Color
				isVariant := strings.HasPrefix(name+" ", method+" ") && name != "One pass Stream"
				filetest.Want(t, own == got.Color, isVariant, "%s has the colour of %s", name, method)
			}
			for _, other := range together[:i] {
				its := figure.Style(other, false)
				filetest.True(t, its.Color != got.Color || !reflect.DeepEqual(its.Dashes, got.Dashes), "%s and %s look alike", name, other)
			}
		}
	}
}

// No axis shows an accuracy above 100 % or an error below 0, even for a band. A line that the largest span hides does not widen it.
func TestYRange(t *testing.T) {
	for _, test := range []struct {
		limits                Limits
		curves                []Curve
		low, atMost           float64 // the least low end, and the largest
		highAtLeast, highMost float64
	}{
		{Limits{Share: true, MaxSpan: 60}, []Curve{{Mean: []float64{80, 99}, StdDev: []float64{30, 5}}}, 40, 80, 100, 101},
		{Limits{BestBelow: true}, []Curve{{Mean: []float64{1, 20}, StdDev: []float64{3, 3}}}, 0, 0, 20, 30},
		{Limits{Share: true, MaxSpan: 25}, []Curve{{Mean: []float64{99, 95}}, {Mean: []float64{50, 52}}}, 90, 95, 99, 101},
	} {
		c := Chart{Range: test.limits, Curves: test.curves}
		low, high := c.YRange()
		filetest.True(t, test.low <= low && low <= test.atMost, "%+v: from %v", test.limits, low)
		filetest.True(t, test.highAtLeast <= high && high <= test.highMost, "%+v: to %v", test.limits, high)
	}
}

// The caption mentions a band, a whisker or a line that goes on beyond an axis. A whisker of accuracy ends at 0 and 100.
func TestBeyondEdge(t *testing.T) {
	at := func(of Kind, mean, stdDev float64) []*Chart {
		c := Curve{Kind: of, Mean: []float64{50, mean}, StdDev: []float64{1, stdDev}}
		return []*Chart{{YAxis: Axis{Low: 40, High: 60}, Curves: []Curve{c}}}
	}
	bar := func(mean, stdDev float64, seeds int) []*Chart {
		return []*Chart{{Groups: []BarGroup{{After: Estimate{mean, stdDev, seeds}}}}}
	}
	for _, test := range []struct{ name, got, want string }{
		{"inside", CutBands(at(justLine, 50, 5)), ""},
		{"a band", CutBands(at(justLine, 50, 15)), "Bands that reach an edge of their panel go on beyond it."},
		{"a whisker", CutBands(at(LineAndPoints, 50, 15)), "Triangle at an edge of a panel: the whisker goes on beyond it."},
		{"a line takes its band along", CutBands(at(justLine, 70, 5)), ""},
		{"a line", BeyondEdge(at(justLine, 70, 5)), "Lines and bands that reach an edge of their panel go on beyond it."},
		{"a bar", CutBands(bar(90, 5, 3)), ""},
		{"a bar of one seed", CutBands(bar(90, 20, 1)), ""},
		{"a bar that is high", CutBands(bar(90, 20, 3)), "Whiskers are cut off at 0 and 100 %."},
		{"a bar that is low", CutBands(bar(10, 20, 3)), "Whiskers are cut off at 0 and 100 %."},
	} {
		filetest.Want(t, test.got, test.want, "%s", test.name)
	}
}
