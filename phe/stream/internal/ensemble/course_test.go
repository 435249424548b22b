package ensemble

import (
	"math"
	"testing"

	"gophe/phe/disk/filetest"
)

// A row counts as its weight relative to the geometric mean of the weights so far, each of which moves the logarithm of the mean from at
// most 7 away. By hand: u = 2, then 3, then 3 + 7/3, then 16/3 − 7/4.
func TestUsualWeight(t *testing.T) {
	c := &Course{}
	for i, test := range []struct{ w, u, counts float64 }{
		{2, 2, 1}, {4, 3, math.E}, {9, 5, 20}, {-30, 5 - 7./4, 1e-3}, {5 - 7./4, 5 - 7./4, 1}, {-744, 13./4 - 7./6, 1e-3},
	} {
		w := math.Exp(test.w)
		filetest.Near(t, c.counts(w, int64(i)), test.counts, 1e-12, "weight %g counts as rows", w)
		filetest.Near(t, c.LogWeight, test.u, 1e-12, "u after weight %g", w)
	}
}
