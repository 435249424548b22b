package toy_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distmv"

	"gophe/notebooks/toy"
)

// The order of the observations does not change the exact posterior (Prop. 3.1). It changes what independent rows end at.
func TestRingOrder(t *testing.T) {
	const each, noise = 20, 0.5
	ends := func(full bool) (blocks, turns *distmv.Normal) {
		blocks, turns = last(toy.Ring(each, each, noise), full), last(toy.Ring(each, 1, noise), full)
		return blocks, turns
	}
	blocks, turns := ends(true)
	all := toy.Ring(each, each, noise).Posterior(toy.Standard(3))
	for i := range 3 {
		for _, q := range []*distmv.Normal{blocks, turns} {
			if math.Abs(q.Mean(nil)[i]-all.Mean(nil)[i]) > 1e-10 || math.Abs(toy.Covariance(q).At(i, 0)-toy.Covariance(all).At(i, 0)) > 1e-10 {
				t.Errorf("row %d: mean %.12g, all at once %.12g", i, q.Mean(nil)[i], all.Mean(nil)[i])
			}
		}
	}
	independent, inTurn := ends(false)
	m, s := toy.Output(independent, toy.RingItem(0))
	if z := (m - toy.RingTarget(0)) / s; math.Abs(z) < 4 {
		t.Errorf("item 0 is %.3f ± %.3f; independent rows forget it by at least four deviations", m, s)
	}
	if m, s = toy.Output(inTurn, toy.RingItem(0)); math.Abs(m-toy.RingTarget(0)) > 2*s {
		t.Errorf("in turn, item 0 is %.3f ± %.3f", m, s)
	}
	if m, s = toy.Output(blocks, toy.RingItem(0)); math.Abs(m-toy.RingTarget(0)) > 2*s {
		t.Errorf("exactly, item 0 is %.3f ± %.3f", m, s)
	}
}

func last(c toy.Conjugate, full bool) *distmv.Normal {
	beliefs := c.Along(toy.Standard(3), full)
	return beliefs[len(beliefs)-1]
}

// Items use the rows that the comment says, each as often as the others, and an item's observations do not depend on the turns.
func TestRing(t *testing.T) {
	blocks, turns := toy.Ring(4, 4, 0.5), toy.Ring(4, 2, 0.5)
	sums := map[float64]int{}
	for i, y := range blocks.Y {
		if want := toy.RingItem(i / 4); blocks.X[i][0] != want[0] || blocks.X[i][2] != want[2] {
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
	if x := toy.RingItem(2); x[0] != 1 || x[1] != 0 || x[2] != 1 {
		t.Errorf("item 2 uses rows %v", x)
	}
}
