package lesson

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot/vg"

	"gophe/data/labelled"
	"gophe/figures/draw"
	"gophe/notebooks/cell"
	"gophe/phe/belief"
)

// Narrowing draws the belief about one number after some counts of observations. The first belief is the prior.
func Narrowing(counts []int, beliefs []belief.Table) *draw.Figure {
	const low, high = -2.5, 2.5
	c := draw.New("e", "Density").X(low, high)
	for i, q := range beliefs {
		density := distuv.Normal{Mu: q.Mean[0], Sigma: math.Sqrt(q.Variance[0])}
		look := []draw.Option{draw.Colour(i - 1)}
		if i == 0 {
			look = []draw.Option{draw.Faint(), draw.Dashed()}
		}
		name, top := fmt.Sprint("after ", counts[i]), density.Prob(density.Mu)
		c.Curve(name, density.Prob, low, high, append(look, draw.Unmarked())...)
		c.Dots(name, []float64{density.Mu}, []float64{top}, append(look, draw.Thin())...)
	}
	return c.Size(14*vg.Centimeter, 6*vg.Centimeter).Figure("Dashed: the prior. Dots: the means.")
}

// FullBesideDiagonal draws the beliefs about item 0 of a ring after some rows of data: exact ones, and ones with independent rows
// of E. Two panels show the two rows of the table that the item uses, the third panel their sum along the stream. The controls are
// "row" and "order", which is "item after item" or "in turn".
func FullBesideDiagonal(at cell.Position) *draw.Figure {
	turn := ringEach
	if at.Text("order") == "in turn" {
		turn = 1
	}
	n := at.Count("row")
	sum := draw.New("Rows of data learned", "E[0] + E[1]").Title("Item 0 along the stream").X(0, ringRows).Y(-3.5, 2)
	caption := fmt.Sprintf("Item 0 after %d rows:", n)
	for i, name := range []string{"full covariance", "diagonal"} {
		mean, width := Ring(turn, i == 0)
		reach := mapped(width[:n+1], func(s float64) float64 { return 2 * s })
		sum.Spread(name, mean[:n+1], reach, draw.Method([]string{"P-EE", "PHE"}[i]))
		caption += fmt.Sprintf(" %s ± %s (%s),", draw.Number(mean[n]), draw.Number(width[n]), name)
	}
	sum.Level("truth", ringTargets[0], 0, ringRows, draw.Faint(), draw.Dashed())
	for item := 0; turn > 1 && item < 3; item++ {
		sum.At(float64(item*turn), fmt.Sprint("item ", item))
	}
	left, right := plane("Full covariance", "P-EE", alongRing(turn, true)[n]), plane("Diagonal", "PHE", alongRing(turn, false)[n])
	caption += " truth −1. Ellipses: 1 and 2 σ. Bands: ±2 σ."
	return draw.Row(caption, left, right, sum.Size(7*vg.Centimeter, 5.6*vg.Centimeter))
}

// plane draws a belief about rows 0 and 1 of the table, and the line on which they add up to item 0's target.
func plane(title, method string, q *distmv.Normal) *draw.Chart {
	const low, high = -2.6, 2.0
	mean := q.Mean(nil)
	c := draw.New("E[0]", "E[1]").Title(title).X(low, high).Y(low, high).Size(5.2*vg.Centimeter, 5.6*vg.Centimeter)
	target := ringTargets[0]
	c.Line("sum = truth", []float64{low, high}, []float64{target - low, target - high},
		draw.Faint(), draw.Dashed(), draw.Unmarked())
	for radius := 1.0; radius <= 2; radius++ {
		x, y := ellipse(mean, Covariance(q), radius)
		c.Line("", x, y, draw.Method(method), draw.Unmarked())
	}
	return c.Dots("mean", mean[:1], mean[1:2], draw.Method(method), draw.Thin())
}

// ellipse returns the contour of a Gaussian's first two numbers at a distance of some deviations.
func ellipse(mean []float64, covariance *mat.SymDense, radius float64) (x, y []float64) {
	const points = 65
	a := math.Sqrt(covariance.At(0, 0)) // Cholesky's factor of two by two
	b := covariance.At(1, 0) / a
	d := math.Sqrt(covariance.At(1, 1) - b*b)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / (points - 1))
		x, y = append(x, mean[0]+radius*a*cos), append(y, mean[1]+radius*(b*cos+d*sin))
	}
	return x, y
}

// counting returns n numbers: first, first + 1 and so on.
func counting(first float64, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = first + float64(i)
	}
	return x
}

// Course is a belief about one number along a stream.
type Course struct {
	Name         string
	Mean, StdDev []float64
	Truth        float64 // NaN if the truth needs no line
}

// Add appends a moment.
func (c *Course) Add(mean, stdDev float64) {
	c.Mean, c.StdDev = append(c.Mean, mean), append(c.StdDev, stdDev)
}

// Courses draws beliefs about log-odds along a stream: means, bands of one standard deviation, and dashed the truth. Dotted lines
// mark the chunks at which something new begins.
func Courses(courses []Course, news ...labelled.Change) *draw.Figure {
	c := draw.New("Chunks learned", "Log-odds of a high income").Size(16*vg.Centimeter, 7*vg.Centimeter)
	for i, course := range courses {
		c.Spread(course.Name, course.Mean, course.StdDev, draw.Colour(i))
		c.Level("", course.Truth, 0, float64(len(course.Mean)-1), draw.Colour(i), draw.Dashed(), draw.Unmarked())
	}
	return withNews(c, news, 0).Figure("Bands: ±1 σ. Dashed: the share in all of Adult's rows.")
}

// withNews marks the chunks at which an item is new, some way behind the last chunk without it.
func withNews(c *draw.Chart, news []labelled.Change, behind float64) *draw.Chart {
	for _, change := range news {
		c.At(float64(change.Step)+behind, strings.TrimPrefix(change.What, "item "))
	}
	return c
}

// TableBeliefs draws the beliefs in all rows of a table, before and after. It marks the rows of one item.
func TableBeliefs(before, after belief.Table, marked []int32, item string) *draw.Figure {
	names := make([]string, before.Rows())
	for row := range names {
		names[row] = fmt.Sprint(row)
	}
	c := draw.New("Row of the table E", "Belief").NamesX(names...).Y(-2.5, 2.5).Size(16*vg.Centimeter, 6*vg.Centimeter)
	for _, row := range marked {
		edge := []float64{float64(row) - 0.5, float64(row) + 0.5}
		c.Band("rows of "+item, edge, []float64{-3, -3}, []float64{3, 3}, draw.Colour(1), draw.Unmarked())
	}
	for i, t := range []belief.Table{before, after} {
		look := []draw.Option{draw.Faint(), draw.Method("PHE")}[i]
		x := counting(0.3*float64(i)-0.15, t.Rows())
		for row := range x {
			reach := math.Sqrt(t.Variance[row])
			ends := []float64{t.Mean[row] - reach, t.Mean[row] + reach}
			c.Line("", []float64{x[row], x[row]}, ends, look, draw.Unmarked())
		}
		c.Dots([]string{"before", "after"}[i], x, t.Mean, look, draw.Thin())
	}
	return c.Figure("Dots: means. Lines: ±1 σ.")
}

// Taught draws the KL divergence of each chunk's belief from the one before, and the items that are new.
func Taught(nats []float64, news []labelled.Change) *draw.Figure {
	c := draw.New("Chunks learned", "KL from the belief before (nats)").Line("", counting(1, len(nats)), nats, draw.Method("PHE"))
	return withNews(c, news, 0.5).Size(17.5*vg.Centimeter, 6*vg.Centimeter).
		Figure("The nats that each chunk taught. At dotted lines an education is new.")
}

// Ends draws the last beliefs about several items below each other: dots for counts, and bars of ±2 σ for each way to learn.
// courses has a list for each way, in the order of the items.
func Ends(items []string, counted []float64, ways []string, courses [][]Course) *draw.Figure {
	c := draw.New("Log-odds of a high income", "").NamesY(items...).Size(15*vg.Centimeter, 10*vg.Centimeter)
	y := make([]float64, len(items))
	for i := range y {
		y[i] = -float64(i)
	}
	c.Dots("counted", counted, y, draw.Method("P-EE"))
	for i, way := range ways {
		mean, place := make([]float64, len(items)), make([]float64, len(items))
		for k, course := range courses[i] {
			last := len(course.Mean) - 1
			mean[k], place[k] = course.Mean[last], y[k]+0.25*(float64(len(ways)-1)/2-float64(i))
			reach := 2 * course.StdDev[last]
			c.Level("", place[k], mean[k]-reach, mean[k]+reach, draw.Colour(i), draw.Unmarked())
		}
		c.Dots(way, mean, place, draw.Colour(i), draw.Thin())
	}
	return c.Figure("Bars: ±2 σ.")
}

const (
	ringEach  = 20           // observations of each item of the ring
	ringNoise = 0.5          // standard deviation of their noise
	ringRows  = 3 * ringEach // observations of all items
)

// ringTargets are the mean targets of the ring's items.
var ringTargets = []float64{-1, 1, -1}

// ring returns observations of three items on a table of three rows. Item 0 uses rows 0 and 1, item 1 uses rows 1 and 2, and item 2
// uses rows 2 and 0, so every two items share a row. Their targets are −1, 1 and −1. The items take turns of the given length.
// Noise is added to the targets, the same for each observation of an item whatever the turns.
func ring(turn int) Conjugate {
	draw := rand.New(rand.NewPCG(4, 4))
	noise := make([]float64, ringRows)
	for i := range noise {
		noise[i] = ringNoise * draw.NormFloat64()
	}
	c := Conjugate{NoiseStdDev: ringNoise}
	for i := range noise {
		item, nth := i/turn%3, i/(3*turn)*turn+i%turn
		c.X = append(c.X, ringItem(item))
		c.Y = append(c.Y, ringTargets[item]+noise[item*ringEach+nth])
	}
	return c
}

// ringItem returns the number of times that an item of the ring uses each row.
func ringItem(item int) []float64 {
	x := make([]float64, 3)
	x[item], x[(item+1)%3] = 1, 1
	return x
}

// alongRing returns the beliefs about the rows of the ring's table, before the first observation and after each one. They keep
// covariances, or are the best beliefs of independent rows.
func alongRing(turn int, full bool) []*distmv.Normal {
	learn := Conjugate.MeanField
	if full {
		learn = Conjugate.Posterior
	}
	_, beliefs := ring(turn).Online(Standard(3), 1, learn)
	return beliefs
}

// Ring returns mean and standard deviation of the belief about item 0 of a ring of three items, before the first observation and after
// each one. Every two items share a row of the table, and the items take turns of the given length. The belief keeps covariances if full is
// set. If it is not, each update ends at the best belief of independent rows (Eq. 3).
func Ring(turn int, full bool) (mean, stdDev []float64) {
	for _, q := range alongRing(turn, full) {
		m, s := Output(q, ringItem(0))
		mean, stdDev = append(mean, m), append(stdDev, s)
	}
	return mean, stdDev
}
