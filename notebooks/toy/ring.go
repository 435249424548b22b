package toy

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distmv"
)

// ringTargets are the targets of the ring's items.
var ringTargets = []float64{-1, 1, -1}

// Ring returns observations of three items on a table of three rows. Item 0 uses rows 0 and 1, item 1 uses rows 1 and 2, and item 2
// uses rows 2 and 0, so every two items share a row. Their targets are −1, 1 and −1. The items take turns of the given length.
// Noise of the given deviation is added to the targets, the same for each observation of an item whatever the turns.
func Ring(each, turn int, noiseStdDev float64) Conjugate {
	draw := rand.New(rand.NewPCG(4, 4))
	noise := make([]float64, len(ringTargets)*each)
	for i := range noise {
		noise[i] = noiseStdDev * draw.NormFloat64()
	}
	c := Conjugate{NoiseStdDev: noiseStdDev}
	for i := range noise {
		item, nth := i/turn%3, i/(3*turn)*turn+i%turn
		c.X = append(c.X, RingItem(item))
		c.Y = append(c.Y, ringTargets[item]+noise[item*each+nth])
	}
	return c
}

// RingItem returns the number of times that an item of the ring uses each row.
func RingItem(item int) []float64 {
	x := make([]float64, 3)
	x[item], x[(item+1)%3] = 1, 1
	return x
}

// RingTarget returns the mean target of an item of the ring.
func RingTarget(item int) float64 { return ringTargets[item] }

// Along returns the beliefs before the first observation and after each one. All of them keep covariances if full is set. If it is
// not, each update ends at the best belief of independent rows (Eq. 3), which is the next update's prior.
func (c Conjugate) Along(prior *distmv.Normal, full bool) []*distmv.Normal {
	beliefs := []*distmv.Normal{prior}
	for i := range c.Y {
		last, one := beliefs[i], c.Take(i, i+1)
		if full {
			beliefs = append(beliefs, one.Posterior(last))
		} else {
			beliefs = append(beliefs, one.MeanField(last))
		}
	}
	return beliefs
}

// Output returns mean and standard deviation of x·E under a belief.
func Output(q *distmv.Normal, x []float64) (mean, stdDev float64) {
	m, covariance := Conjugate{X: [][]float64{x}}.outputs(q)
	return m[0], math.Sqrt(covariance.At(0, 0))
}
