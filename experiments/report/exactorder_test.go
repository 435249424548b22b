package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
)

// The order table says what exact Bayes gives.
func TestExactOrder(t *testing.T) {
	if gap := fmt.Sprintf("%.0e", filetest.Must(exactOrderGap(200, 100))(t)); gap != exactGap {
		t.Errorf("posteriors of other orders differ by %s, and the table says %s", gap, exactGap)
	}
}

// exactOrderGap returns the largest difference between exact posteriors that learn the same observations in different orders.
// Prop. 3.1 says that there is none. It compares every entry of mean and covariance. A test of [belief.LinearGaussian] compares
// with learning all at once.
func exactOrderGap(observations, permutations int) (float64, error) {
	const rows = 7
	rng := rand.New(rand.NewPCG(3, 1))
	xs, ys := make([][]float64, observations), make([]float64, observations)
	for i := range xs {
		xs[i] = make([]float64, rows)
		for range 3 {
			xs[i][rng.IntN(rows)]++
		}
		ys[i] = rng.NormFloat64()
	}
	posterior := func(order []int) ([]float64, error) {
		model, err := belief.NewLinearGaussian(rows, 1, 0.25)
		if err != nil {
			return nil, err
		}
		for _, i := range order {
			model.Update(xs[i], ys[i])
		}
		mean, covariance, err := model.Posterior()
		if err != nil {
			return nil, err
		}
		numbers := append([]float64{}, mean.RawVector().Data...)
		for i := range rows {
			for k := range rows {
				numbers = append(numbers, covariance.At(i, k))
			}
		}
		return numbers, nil
	}
	first, err := posterior(rng.Perm(observations))
	if err != nil {
		return 0, errors.WithMessage(err, "the exact posterior")
	}
	gap := 0.0
	for range permutations {
		other, err := posterior(rng.Perm(observations))
		if err != nil {
			return 0, errors.WithMessage(err, "the exact posterior")
		}
		for i := range first {
			gap = math.Max(gap, math.Abs(first[i]-other[i]))
		}
	}
	return gap, nil
}
