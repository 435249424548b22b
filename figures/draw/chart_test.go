package draw_test

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"

	"gophe/figures/draw"
	"gophe/figures/draw/drawtest"
	"gophe/phe/disk/filetest"
)

// Points lie where their values say: a larger x to the right, a larger y above, powers of ten at equal distances.
func TestMarks(t *testing.T) {
	got := drawtest.ByText(draw.New("B", "share").LogX().Line("theory", []float64{1, 10, 100}, []float64{3, 2, math.NaN()}).
		Dots("measured", []float64{1, 10, 100}, []float64{3, 2, 1}).Figure("a caption"))
	filetest.Want(t, len(got), 5, "marks, without one of the point at NaN")
	first, second, third := got["measured, 1: 3"], got["measured, 10: 2"], got["measured, 100: 1"]
	filetest.True(t, second.X > first.X, "1 is at %v and 10 at %v", first.X, second.X)
	filetest.Near(t, third.X-second.X, second.X-first.X, 2e-4, "the distance of 100 from 10, and of 10 from 1")
	filetest.True(t, first.Y < second.Y && second.Y < third.Y, "values 3, 2 and 1 are at heights %v, %v, %v", first.Y, second.Y, third.Y)
	theory := got["theory, 1: 3"]
	filetest.Want(t, [2]float64{first.X, first.Y}, [2]float64{theory.X, theory.Y}, "the same point of another series")
}

// An outline has no marks.
func TestUnmarked(t *testing.T) {
	got := drawtest.ByText(draw.New("", "").Line("outline", nil, []float64{1, 2}, draw.Unmarked()).
		Dots("middle", nil, []float64{1.5}).Figure(""))
	filetest.Want(t, len(got), 1, "marks")
	filetest.True(t, got["middle, 0: 1.500"].Text != "", "marks are %v", got)
}

// Names stand for positions, and cells tell row and column.
func TestNames(t *testing.T) {
	named := drawtest.ByText(draw.New("", "").NamesX("PHE", "Ada").Dots("", nil, []float64{1, 2}).Figure(""))
	a, b := named["PHE: 1"], named["Ada: 2"]
	filetest.True(t, a.Text != "" && a.X < b.X, "dots at %v and %v", a, b)
	cells := drawtest.ByText(draw.New("", "").NamesY("up", "down").Heat([][]float64{{1, 0.5}, {0, 0.25}}).Figure(""))
	a, b = cells["1: up, 0.5000"], cells["0: down, 0"]
	filetest.True(t, a.Y < b.Y && a.X > b.X, "cells at %v and %v", a, b)
}

// The picture holds all kinds of series. Drawn twice, it has the same bytes.
func TestPicture(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4}
	left := draw.New("Step", "Score").Title("Lines").Line("PHE", nil, []float64{1, 3, 2, 5, 4}, draw.Method("PHE")).
		Band("PHE", x, []float64{0, 2, 1, 4, 3}, []float64{2, 4, 3, 6, 5}, draw.Method("PHE")).
		Dots("dots", x, []float64{0, 1, 1, 2, 2}, draw.Thin()).
		Curve("sine", math.Sin, 0, 4, draw.Faint()).At(2, "new group")
	right := draw.New("Column", "").Heat([][]float64{{1, 0.5, 0}, {0.5, 1, 0.2}}).NamesY("first", "second").
		Size(8*vg.Centimeter, 7*vg.Centimeter)
	fig := draw.Row("Two charts beside each other, with a caption.", left, right)
	first, again := filetest.Must(fig.PNG(110))(t), filetest.Must(fig.PNG(110))(t)
	filetest.True(t, bytes.Equal(first, again), "drawn twice, the picture differs")
}

// Empty charts and single points have axes.
func TestDegenerate(t *testing.T) {
	for name, c := range map[string]*draw.Chart{
		"empty": draw.New("x", "y"), "a point": draw.New("x", "y").Dots("", []float64{3}, []float64{3}),
		"nothing but NaN": draw.New("x", "y").Line("a", nil, []float64{math.NaN(), math.Inf(1)}),
	} {
		_, err := c.Figure("").PNG(50)
		filetest.Want(t, err, nil, "the error of %s", name)
	}
}

func TestLengths(t *testing.T) {
	defer func() { filetest.True(t, recover() != nil, "two values for three positions are drawn") }()
	draw.New("", "").Line("", []float64{1, 2, 3}, []float64{1, 2})
}

// An interval lies at the height of its point, and reaches from low to high.
func TestIntervals(t *testing.T) {
	got := drawtest.ByText(draw.New("", "").
		Intervals("belief", []float64{1, 2}, []float64{3, 3}, []float64{4, 5}, 0, draw.Colour(0)).Figure(""))
	point, low, high := got["belief, 3: 0"], got["1: 0"], got["4: 0"]
	filetest.Want(t, []float64{low.Y, high.Y}, []float64{point.Y, point.Y}, "the heights of low and high")
	filetest.True(t, low.X < point.X && point.X < high.X, "an interval from %v to %v around %v", low, high, point)
	other := got["belief, 3: −1"]
	filetest.True(t, other.X == point.X && other.Y > point.Y, "the second point is at %v, the first at %v", other, point)
}
