package figures

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"gophe/experiments/result"
)

// series is one quantity of one method at each step: values[seed][step].
type series map[int64][]float64

// scores returns the scores of a method at each step, shares in %. A diverged run ends where it diverged. Every earlier score
// must be valid for the metric; NaN is an error.
func (m *method) scores() series {
	out := series{}
	for _, run := range m.Runs {
		values := run.Series(m.metric.name)
		if len(values) != len(run.Rows) {
			m.source.fail("%s: seed %d: %d scores but %d row counts", m.label, run.Seed, len(values), len(run.Rows))
		}
		if run.Status == result.Diverged && run.DivergedAt < len(values) {
			values = values[:max(run.DivergedAt, 0)]
		}
		out[run.Seed] = make([]float64, len(values))
		for step, value := range values {
			out[run.Seed][step] = m.drawn(value, fmt.Sprintf("seed %d, step %d", run.Seed, step))
		}
	}
	if out.steps() == 0 && len(m.ended(result.Diverged)) == 0 {
		m.source.fail("%s has no scores; finish its spec with `phe run --resume`", m.label)
	}
	return out
}

// correct returns the number of correct rows up to each step that has a score. The scores are accuracies.
func (m *method) correct() series {
	out, scores := series{}, m.scores()
	for _, run := range m.Runs {
		steps := len(scores[run.Seed])
		right := floats.MulTo(make([]float64, steps), run.Accuracy[:steps], run.Weights()[:steps])
		out[run.Seed] = floats.CumSum(right, right)
	}
	return out
}

// soFar returns the mean over the steps so far, equally weighted.
func (s series) soFar() series {
	out := series{}
	for seed, values := range s {
		out[seed] = floats.CumSum(make([]float64, len(values)), values)
		for step := range values {
			out[seed][step] /= float64(step + 1)
		}
	}
	return out
}

// first returns the first steps of the series.
func (s series) first(steps int) series {
	out := series{}
	for seed, values := range s {
		out[seed] = values[:min(steps, len(values))]
	}
	return out
}

// minus returns s − other for each seed and step that both have.
func (s series) minus(other series) series {
	difference := series{}
	for seed, values := range s {
		n := min(len(values), len(other[seed]))
		difference[seed] = floats.SubTo(make([]float64, n), values[:n], other[seed][:n])
	}
	return difference
}

// steps returns the length of the longest run.
func (s series) steps() int {
	n := 0
	for _, values := range s {
		n = max(n, len(values))
	}
	return n
}

// summary smooths each seed by sigma steps. It returns mean and standard deviation (n−1) at each step, over the seeds that reached it. The
// standard deviation ends where fewer than two seeds are left.
func (s series) summary(sigma float64) (mean, stdDev []float64) {
	seeds := slices.Sorted(maps.Keys(s)) // the order of a sum changes its last bit, and figures must stay equal byte for byte
	smooth := make([][]float64, len(seeds))
	for i, seed := range seeds {
		smooth[i] = gaussianFilter(s[seed], sigma)
	}
	for step := range s.steps() {
		var reached []float64
		for _, values := range smooth {
			if step < len(values) {
				reached = append(reached, values[step])
			}
		}
		mean = append(mean, stat.Mean(reached, nil))
		if len(reached) > 1 {
			stdDev = append(stdDev, stat.StdDev(reached, nil))
		}
	}
	return mean, stdDev
}

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
