package figures

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// truncate is the radius of the Gaussian filter in standard deviations, as in scipy.
const truncate = 4.0

// gaussianFilter returns x smoothed by a Gaussian with a standard deviation of sigma steps. Beyond its ends x continues as its
// mirror image, with the end values repeated (… x1 x0 | x0 x1 …). A constant stays constant, and the total is kept. The result
// equals scipy.ndimage.gaussian_filter1d with mode "reflect" and truncate 4, the filter of Fig. 3 and Fig. 6. The paper does
// not give its sigma, which must be finite and not negative. With sigma 0 the result is a copy of x.
func gaussianFilter(x []float64, sigma float64) []float64 {
	if sigma == 0 {
		return slices.Clone(x)
	}
	weights := gaussianWeights(sigma)
	smooth := make([]float64, len(x))
	for i := range x {
		smooth[i] = weights[0] * x[i]
		for k := 1; k < len(weights); k++ {
			smooth[i] += weights[k] * (x[mirror(i-k, len(x))] + x[mirror(i+k, len(x))])
		}
	}
	return smooth
}

// gaussianWeights returns the filter's right half: the weight at distance 0, 1, …, radius. Both halves sum to 1.
func gaussianWeights(sigma float64) []float64 {
	radius := int(truncate*sigma + 0.5)
	weights := make([]float64, radius+1)
	total := 0.0
	for k := range weights {
		z := float64(k) / sigma
		weights[k] = math.Exp(-z * z / 2)
		total += 2 * weights[k]
	}
	floats.Scale(1/(total-weights[0]), weights)
	return weights
}

// mirror maps any index into [0, n) by reflection at the outer edges of the end samples. The pattern repeats every 2n, so a
// filter may be wider than the sequence.
func mirror(i, n int) int {
	i = ((i % (2 * n)) + 2*n) % (2 * n)
	if i >= n {
		i = 2*n - 1 - i
	}
	return i
}
