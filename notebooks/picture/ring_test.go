package picture

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distmv"

	"gophe/notebooks/toy"
)

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
