package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"gophe/experiments/rivals/linear"
	"gophe/phe/disk/filetest"
)

// The order table gives the largest difference between exact posteriors that learn the same observations in different orders. Prop. 3.1
// says that there is none. Every entry of mean and covariance is compared. A test of [linear.Gaussian] compares with learning all
// at once.
func TestExactOrder(t *testing.T) {
	const rows, observations, permutations = 7, 200, 100
	rng := rand.New(rand.NewPCG(3, 1))
	xs, ys := make([][]float64, observations), make([]float64, observations)
	for i := range xs {
		xs[i] = make([]float64, rows)
		for range 3 {
			xs[i][rng.IntN(rows)]++
		}
		ys[i] = rng.NormFloat64()
	}
	posterior := func(order []int) []float64 {
		model := filetest.Must(linear.NewGaussian(rows, 1, 0.25))(t)
		for _, i := range order {
			model.Update(xs[i], ys[i])
		}
		mean, covariance, err := model.Posterior()
		filetest.Check(t, err)
		numbers := append([]float64{}, mean.RawVector().Data...)
		for i := range rows {
			for k := range rows {
				numbers = append(numbers, covariance.At(i, k))
			}
		}
		return numbers
	}
	first, gap := posterior(rng.Perm(observations)), 0.0
	for range permutations {
		gap = max(gap, floats.Distance(first, posterior(rng.Perm(observations)), math.Inf(1)))
	}
	if got := fmt.Sprintf("%.0e", gap); got != exactGap {
		t.Errorf("posteriors of other orders differ by %s, and the table says %s", got, exactGap)
	}
}
