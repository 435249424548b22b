package picture

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distmv"

	"gophe/notebooks/toy"
)

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
func ring(turn int) toy.Conjugate {
	draw := rand.New(rand.NewPCG(4, 4))
	noise := make([]float64, ringRows)
	for i := range noise {
		noise[i] = ringNoise * draw.NormFloat64()
	}
	c := toy.Conjugate{NoiseStdDev: ringNoise}
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
	learn := toy.Conjugate.MeanField
	if full {
		learn = toy.Conjugate.Posterior
	}
	_, beliefs := ring(turn).Online(toy.Standard(3), 1, learn)
	return beliefs
}

// Ring returns mean and standard deviation of the belief about item 0 of a ring of three items, before the first observation and after
// each one. Every two items share a row of the table, and the items take turns of the given length. The belief keeps covariances if full is
// set. If it is not, each update ends at the best belief of independent rows (Eq. 3).
func Ring(turn int, full bool) (mean, stdDev []float64) {
	for _, q := range alongRing(turn, full) {
		m, s := toy.Output(q, ringItem(0))
		mean, stdDev = append(mean, m), append(stdDev, s)
	}
	return mean, stdDev
}
