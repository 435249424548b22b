package draw

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// Mark is the text for one point of a picture. A page shows it when the pointer is near. A content returns positions in
// points of the canvas, from the lower left. Figure.Marks returns them as shares of width and height, from the upper left.
type Mark struct {
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	Text string  `json:"text"`
}

// maxMarks is the largest number of marks of a figure. Notebooks keep them with the picture.
const maxMarks = 400

// Marks returns the marks of a figure in drawing order, at most 400. It leaves out marks of the longest series, at equal distances, until
// at most the given number is left, or one of each series.
func (fig *Figure) Marks(most int) []Mark {
	page := draw.NewCanvas(new(recorder.Canvas), fig.Width, fig.Height)
	all := thinMarks(fig.draw(page), most)
	var marks []Mark
	for _, i := range spaced(len(all), maxMarks) { // a matrix has more: each of its cells is a series
		m := all[i]
		marks = append(marks, Mark{share(m.X, fig.Width), share(float64(fig.Height)-m.Y, fig.Height), m.Text})
	}
	return marks
}

// thinMarks leaves out marks of the longest series, at equal distances, until at most that many are left, or one of each series. Short
// series keep all of theirs.
func thinMarks(marks []Mark, most int) (left []Mark) {
	sizes := map[string]int{}
	for _, m := range marks {
		sizes[seriesOf(m)]++
	}
	limit := 1
	for kept(sizes, limit+1) <= most && limit < len(marks) {
		limit++
	}
	stay, place := map[string][]int{}, map[string]int{}
	for name, n := range sizes {
		stay[name] = spaced(n, limit)
	}
	for _, m := range marks {
		name := seriesOf(m)
		if list := stay[name]; len(list) > 0 && list[0] == place[name] {
			left, stay[name] = append(left, m), list[1:]
		}
		place[name]++
	}
	return left
}

// seriesOf returns the name of a mark's series: the text before the first comma.
func seriesOf(m Mark) string {
	name, _, _ := strings.Cut(m.Text, ", ")
	return name
}

// kept returns the number of marks if no series has more than limit.
func kept(sizes map[string]int, limit int) (total int) {
	for _, n := range sizes {
		total += min(n, limit)
	}
	return total
}

// share returns a position's share of a length, to four decimals: a tenth of a pixel.
func share(at float64, length vg.Length) float64 {
	return math.Round(1e4*at/float64(length)) / 1e4
}

// Number writes a value with four significant digits and a true minus sign. All notebooks use it. Whole numbers keep all digits. Numbers of
// five digits and more have commas between thousands; shorter ones, such as years, have none. Values beyond a million and below a
// ten-thousandth have powers of ten.
func Number(value float64) string {
	const digits = 4
	size := math.Abs(value)
	switch {
	case math.IsNaN(value):
		return "–"
	case math.IsInf(value, 0):
		return map[bool]string{true: "∞", false: "−∞"}[value > 0]
	case value == math.Trunc(value) && size < 1e15:
		return withoutComma(Decimals(value, 0), size)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'e', digits-1, 64), 64)
	size = math.Abs(rounded) // so that 999.96 is 1000, not 1000.0
	if size >= 1e6 || size < 1e-4 {
		first, power, _ := strings.Cut(strconv.FormatFloat(value, 'e', digits-1, 64), "e")
		n, _ := strconv.Atoi(power)
		return strings.Replace(first, "-", "−", 1) + " × 10" + raised.Replace(strconv.Itoa(n))
	}
	decimals := max(0, digits-1-int(math.Floor(math.Log10(size))))
	return withoutComma(Decimals(value, decimals), size)
}

// withoutComma takes the comma out of a number of four digits.
func withoutComma(text string, size float64) string {
	if size < 1e4 {
		return strings.ReplaceAll(text, ",", "")
	}
	return text
}

// raised writes the digits of an exponent.
var raised = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
	"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// marks returns the marks of bars and of the points of curves. Points beyond the axes have none.
func (c *Chart) marks(drawn *plot.Plot, data draw.Canvas) (marks []Mark) {
	toX, toY := drawn.Transforms(&data)
	add := func(x, y float64, says ...string) {
		if drawn.X.Min <= x && x <= drawn.X.Max && drawn.Y.Min <= y && y <= drawn.Y.Max {
			says = slices.DeleteFunc(says, func(s string) bool { return s == "" })
			last := len(says) - 1
			marks = append(marks, Mark{X: float64(toX(x)), Y: float64(toY(y)), Text: strings.Join(says[:last], ", ") + ": " + says[last]})
		}
	}
	for i, group := range c.Groups {
		aside := (barGap + barWidth) / 2
		for k, e := range []Estimate{group.Before, group.Frozen, group.After} {
			if e.Seeds > 0 {
				add(float64(i)+[]float64{-aside, 0, aside}[k], e.Mean, group.Name, []string{beforeName, frozenName, afterName}[k], e.text())
			}
		}
	}
	for _, s := range c.Curves {
		if s.unmarked || s.Kind == band && s.Label == "" {
			continue
		}
		for i, y := range s.Mean {
			x, value := s.at(i), c.YAxis.text(y)
			switch {
			case i < len(s.StdDev):
				value += " ± " + Number(s.StdDev[i])
			case s.Kind == cells:
				value += ", " + Number(s.other[i])
			case s.Kind == band:
				y, value = (y+s.other[i])/2, Number(y)+" to "+Number(s.other[i])
			}
			add(c.XAxis.scaled(x), c.YAxis.scaled(y), s.Label, c.nameOf(s, i, x), value)
		}
	}
	return marks
}

// nameOf returns the place of point i on the x axis, in words.
func (c *Chart) nameOf(s Curve, i int, x float64) string {
	switch {
	case i < len(s.Names):
		return s.Names[i]
	case s.X == nil:
		return fmt.Sprintf("step %d", i)
	}
	return c.XAxis.text(x)
}

// spaced returns the indices of at most most of n points at equal distances, with the first and the last.
func spaced(n, most int) []int {
	most = min(n, most)
	indices := make([]int, most)
	for i := range indices {
		indices[i] = i * (n - 1) / max(most-1, 1)
	}
	return indices
}
