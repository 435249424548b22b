package draw

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"gophe/phe/disk/filetest"
)

func TestNumber(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0", 3: "3", 48842: "48,842", 84.2567: "84.26", 0.31416: "0.3142", -2.5: "−2.500", 1234.56: "1235", 999.96: "1000",
		1995: "1995", 12345.6: "12,346", 1.5e7 + 0.5: "1.500 × 10⁷", 2e-5: "2.000 × 10⁻⁵", math.Inf(-1): "−∞",
	} {
		filetest.Want(t, Number(value), want, "%v as text", value)
	}
	filetest.Want(t, Number(math.NaN()), "–", "NaN as text")
	filetest.Want(t, Number(-5e-324), "−4.941 × 10⁻³²⁴", "the smallest number as text")
}

// dotted has a mark in each corner of its canvas, and many between.
type dotted int

func (n dotted) draw(c draw.Canvas) []Mark {
	marks := []Mark{{X: float64(c.Min.X), Y: float64(c.Max.Y), Text: "upper left"}}
	for range n {
		marks = append(marks, Mark{X: float64(c.Max.X), Y: float64(c.Min.Y), Text: "lower right"})
	}
	return marks
}

// Marks are shares of the whole figure, from its upper left, whatever margin and caption it has.
func TestMarks(t *testing.T) {
	fig := newFigure(dotted(1), 200, 100, "one line")
	marks := fig.Marks(maxMarks)
	left, top := float64(margin)/200, float64(margin)/float64(fig.Height)
	bottom := 1 - float64(margin+captionLine)/float64(fig.Height)
	for i, want := range []Mark{{left, top, "upper left"}, {1 - left, bottom, "lower right"}} {
		filetest.Near(t, marks[i].X, want.X, 1e-4, "mark %d from the left", i)
		filetest.Near(t, marks[i].Y, want.Y, 1e-4, "mark %d from above", i)
		filetest.Want(t, marks[i].Text, want.Text, "the text of mark %d", i)
	}
	many := newFigure(dotted(5000), 200, 100, "").Marks(maxMarks)
	filetest.Want(t, len(many), maxMarks, "marks")
	filetest.Want(t, many[0].Text, "upper left", "the first mark")
}

// Long series lose marks at equal distances; a series of one mark keeps it.
func TestThin(t *testing.T) {
	marks := []Mark{{Text: "alone, 1: 2"}}
	for i := range 300 {
		for _, series := range []string{"long", "other"} {
			marks = append(marks, Mark{X: float64(i), Text: fmt.Sprintf("%s, %d: 0", series, i)})
		}
	}
	left := thinMarks(marks, 101)
	filetest.Want(t, len(left), 101, "marks that are left")
	filetest.Want(t, left[0].Text, "alone, 1: 2", "the first of them")
	for i, m := range left[1:] {
		filetest.Want(t, m.X, float64(i/2*299/49), "the place of mark %d", i)
	}
	filetest.Want(t, len(thinMarks(marks[:10], 101)), 10, "marks of ten that are left")
}

// A curve with many points has marks at equal distances, with its ends.
func TestSpaced(t *testing.T) {
	filetest.Want(t, spaced(10, 4), []int{0, 3, 6, 9}, "four of ten")
	for n, want := range map[int]int{0: 0, 1: 1, 2: 2, 5: 4} {
		filetest.Want(t, len(spaced(n, 4)), want, "four of %d", n)
	}
}

// The paths were converted by hand: a step ends where the place that it replaces is, after rounding. Curves and texts stay.
func TestShorten(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{` d="M10.5,20L11.254,19.756L11.254,30.1ZM0,0.004L-0.5,100"`, ` d="M10.5 20l.75-.24 0 10.34ZM0 0l-.5 100"`},
		{` d="M1,2L3,4A5,5 0 0 1 6,7"`, ` d="M1,2L3,4A5,5 0 0 1 6,7"`},
		{`>M1,2L3,4<`, `>M1,2L3,4<`},
		// Corners that are nearer than 0.1 points to the rest are left out; a way back on the same line is not.
		{` d="M0,0L1,0.08L2,0L3,0.1L4,0"`, ` d="M0 0l3 .1 1-.1"`},
		{` d="M0,0L5,0L2,0L0,3Z"`, ` d="M0 0l5 0-3 0-2 3Z"`},
	} {
		filetest.Want(t, string(shorten([]byte(c.path))), c.want, "%s in short", c.path)
	}
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		marks []plot.Tick
		want  string // the labels
	}{
		{ticks(62.8, 87.9), "65 70 75 80 85"},
		{ticks(0, 316), "0 50 100 150 200 250 300"},
		{ticks(-0.42, 0.81), "−0.4 −0.2 0.0 0.2 0.4 0.6 0.8"},
		{ticks(0, 1), "0.0 0.2 0.4 0.6 0.8 1.0"},
		{WholeTicks(1, 4), "1 2 3 4"},
		{WholeTicks(0.9, 5.1), "1 2 3 4 5"},
		{WholeTicks(1, 40), "1 5 9 13 17 21 25 29 33 37"},
		{PowerTicks(math.Log10(8), math.Log10(12000)), "10 100 1,000 10,000"},
		{PowerTicks(-324, 308), "10⁻³²⁰ 10⁻²⁵⁶ 10⁻¹⁹² 10⁻¹²⁸ 10⁻⁶⁴ 1 10⁶⁴ 10¹²⁸ 10¹⁹² 10²⁵⁶"},
		{PowerTicks(math.Log10(150), math.Log10(6000)), "200 500 1,000 2,000 5,000"},
	} {
		var labels []string
		for _, mark := range test.marks {
			if !mark.IsMinor() {
				labels = append(labels, mark.Label)
			}
		}
		filetest.Want(t, strings.Join(labels, " "), test.want, "the labels")
	}
}
