package picture

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"gophe/experiments/result/fixture"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/play"
	"gophe/notebooks/toy"
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
		if _, ok := inBlocks[text]; ok != want[0] {
			t.Errorf("item after item: mark %q is %t", text, ok)
		}
		if _, ok := inTurns[text]; ok != want[1] {
			t.Errorf("in turn: mark %q is %t", text, ok)
		}
	}
	fixture.WantText(t, blocks.Caption, "Item 0 after 60 rows: −0.8800 ± 0.1113 (full covariance), −1.644 ± 0.1115 (diagonal), truth −1.")
	prior := drawtest.ByText(FullBesideDiagonal(at.With("row", 0)))
	if _, ok := prior["mean, 0: 0"]; !ok || len(prior) >= len(inBlocks) {
		t.Errorf("%d marks before the first row, %d after the last", len(prior), len(inBlocks))
	}
}

// All points of an ellipse have the radius as their distance, measured by the covariance.
func TestEllipse(t *testing.T) {
	q := mat.NewSymDense(2, []float64{0.5, -0.3, -0.3, 0.4})
	x, y := ellipse([]float64{1, -2}, q, 2)
	a, b, d := q.At(0, 0), q.At(0, 1), q.At(1, 1)
	for i := range x {
		u, v := x[i]-1, y[i]+2
		if distance := (d*u*u - 2*b*u*v + a*v*v) / (a*d - b*b); math.Abs(distance-4) > 1e-9 {
			t.Fatalf("point %d has the squared distance %g, want 4", i, distance)
		}
	}
}

// near checks a number.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.15g, want %.15g ± %g", what, got, want, tolerance)
	}
}

// The order of the observations does not change the exact posterior (Prop. 3.1). It changes what independent rows end at.
func TestRingOrder(t *testing.T) {
	blocks, turns := alongRing(ringEach, true)[ringRows], alongRing(1, true)[ringRows]
	all := ring(ringEach).Posterior(toy.Standard(3))
	for i := range 3 {
		for _, q := range []*distmv.Normal{blocks, turns} {
			near(t, "mean", q.Mean(nil)[i], all.Mean(nil)[i], 1e-10)
			near(t, "covariance", toy.Covariance(q).At(i, 0), toy.Covariance(all).At(i, 0), 1e-10)
		}
	}
	// far returns the distance of item 0's last belief from its target, in deviations.
	far := func(turn int, full bool) float64 {
		mean, stdDev := Ring(turn, full)
		return math.Abs(mean[ringRows]-ringTargets[0]) / stdDev[ringRows]
	}
	if z := far(ringEach, false); z < 4 {
		t.Errorf("item 0 is %.3f deviations off; independent rows forget it by at least four", z)
	}
	if z := far(1, false); z > 2 {
		t.Errorf("in turn, item 0 is %.3f deviations off", z)
	}
	if z := far(ringEach, true); z > 2 {
		t.Errorf("exactly, item 0 is %.3f deviations off", z)
	}
}

// Items use the rows that the comment says, each as often as the others, and an item's observations do not depend on the turns.
func TestRing(t *testing.T) {
	blocks, turns := ring(ringEach), ring(2)
	sums := map[float64]int{}
	for i, y := range blocks.Y {
		if want := ringItem(i / ringEach); blocks.X[i][0] != want[0] || blocks.X[i][2] != want[2] {
			t.Errorf("observation %d uses rows %v, want %v", i, blocks.X[i], want)
		}
		sums[y]++
	}
	for _, y := range turns.Y {
		sums[y]--
	}
	for y, n := range sums {
		if n != 0 {
			t.Errorf("target %g occurs %d times more in blocks", y, n)
		}
	}
	if x := ringItem(2); x[0] != 1 || x[1] != 0 || x[2] != 1 {
		t.Errorf("item 2 uses rows %v", x)
	}
}
