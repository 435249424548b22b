package picture

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"gophe/figures/draw/drawtest"
	"gophe/notebooks/play"
	"gophe/notebooks/toy"
	"gophe/phe/disk/filetest"
)

// In both orders the exact posterior ends at −0.8800 ± 0.1113. The diagonal one forgets item 0 if the items come one after another.
func TestFullBesideDiagonal(t *testing.T) {
	at := play.NewPosition(play.Player("row", 0, ringRows, ringRows), play.Choice("order", "item after item", "in turn"))
	blocks, turns := FullBesideDiagonal(at), FullBesideDiagonal(at.With("order", "in turn"))
	inBlocks, inTurns := drawtest.ByText(blocks), drawtest.ByText(turns)
	for text, want := range map[string][2]bool{
		"full covariance, 60: −0.8800": {true, true}, "diagonal, 60: −1.644": {true, false}, "diagonal, 60: −0.9770": {false, true},
		"full covariance, 0: 0": {true, true}, "diagonal, 20: −0.9245": {true, false},
	} {
		_, ok := inBlocks[text]
		filetest.Want(t, ok, want[0], "item after item: mark %q", text)
		_, ok = inTurns[text]
		filetest.Want(t, ok, want[1], "in turn: mark %q", text)
	}
	filetest.WantWords(t, blocks.Caption,
		"Item 0 after 60 rows: −0.8800 ± 0.1113 (full covariance), −1.644 ± 0.1115 (diagonal), truth −1.")
	prior := drawtest.ByText(FullBesideDiagonal(at.With("row", 0)))
	has(t, prior, "mean, 0: 0")
	filetest.True(t, len(prior) < len(inBlocks), "%d marks before the first row, %d after the last", len(prior), len(inBlocks))
}

// All points of an ellipse have the radius as their distance, measured by the covariance.
func TestEllipse(t *testing.T) {
	q := mat.NewSymDense(2, []float64{0.5, -0.3, -0.3, 0.4})
	x, y := ellipse([]float64{1, -2}, q, 2)
	a, b, d := q.At(0, 0), q.At(0, 1), q.At(1, 1)
	for i := range x {
		u, v := x[i]-1, y[i]+2
		filetest.Near(t, (d*u*u-2*b*u*v+a*v*v)/(a*d-b*b), 4, 1e-9, "the squared distance of point %d", i)
	}
}

// The order of the observations does not change the exact posterior (Prop. 3.1). It changes what independent rows end at.
func TestRingOrder(t *testing.T) {
	blocks, turns := alongRing(ringEach, true)[ringRows], alongRing(1, true)[ringRows]
	all := ring(ringEach).Posterior(toy.Standard(3))
	for i := range 3 {
		for _, q := range []*distmv.Normal{blocks, turns} {
			filetest.Near(t, q.Mean(nil)[i], all.Mean(nil)[i], 1e-10, "mean")
			filetest.Near(t, toy.Covariance(q).At(i, 0), toy.Covariance(all).At(i, 0), 1e-10, "covariance")
		}
	}
	// far returns the distance of item 0's last belief from its target, in deviations.
	far := func(turn int, full bool) float64 {
		mean, stdDev := Ring(turn, full)
		return math.Abs(mean[ringRows]-ringTargets[0]) / stdDev[ringRows]
	}
	z := far(ringEach, false)
	filetest.True(t, z >= 4, "item 0 is %.3f deviations off; independent rows forget it by at least four", z)
	filetest.Near(t, far(1, false), 0, 2, "deviations by which item 0 is off in turn")
	filetest.Near(t, far(ringEach, true), 0, 2, "deviations by which item 0 is off exactly")
}

// Items use the rows that the comment says, each as often as the others, and an item's observations do not depend on the turns.
func TestRing(t *testing.T) {
	blocks, turns := ring(ringEach), ring(2)
	sums := map[float64]int{}
	for i, y := range blocks.Y {
		want := ringItem(i / ringEach)
		filetest.Want(t, []float64{blocks.X[i][0], blocks.X[i][2]}, []float64{want[0], want[2]}, "the rows of observation %d", i)
		sums[y]++
	}
	for _, y := range turns.Y {
		sums[y]--
	}
	for y, n := range sums {
		filetest.Want(t, n, 0, "target %g: how much more often it occurs in blocks", y)
	}
	filetest.Want(t, ringItem(2), []float64{1, 0, 1}, "the rows of item 2")
}
