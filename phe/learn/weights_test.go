package learn_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gophe/phe"
	"gophe/phe/learn"

	"gophe/phe/disk/filetest"
)

// weighted has two arrays of θ of one shape, and another limit each.
func weighted() learn.Network {
	n := sum()
	for _, limit := range limits {
		n.Weights = append(n.Weights, learn.Weight{Name: "weights", Dims: []int{29, 31}, Limit: limit})
	}
	return n
}

var limits = []float64{0.5, 0.25}

// θ begins uniform on ±Limit, from draws of its own for each array and run.
func TestWeights(t *testing.T) {
	c := config(phe.Point)
	c.Encoder.EmbeddingDim = 31
	s := newLearner(t, weighted(), c, learn.Options{}).State(t)
	const n = 29 * 31
	var drawn [][]float64 // of each array and run, in units of the limit
	for i, limit := range limits {
		for run := range 2 {
			var x []float64
			for _, v := range s.Parameters[1+i][run*n : (run+1)*n] {
				x = append(x, float64(v)/limit)
			}
			// The deviation of n uniform draws on ±1 is 1/√3, with a standard error of 1/√(15n); the seeds are fixed.
			filetest.True(t, slices.Min(x) >= -1 && slices.Max(x) <= 1, "array %d, run %d: from %.3f to %.3f", i, run, slices.Min(x), slices.Max(x))
			filetest.Near(t, stat.StdDev(x, nil), 1/math.Sqrt(3), 4/math.Sqrt(15*n), "array %d, run %d: the deviation", i, run)
			drawn = append(drawn, x)
		}
	}
	for i, a := range drawn {
		for k, b := range drawn[:i] {
			filetest.Near(t, stat.Correlation(a, b, nil), 0, 4/math.Sqrt(n), "correlation of draws %d and %d", k, i)
		}
	}
}
