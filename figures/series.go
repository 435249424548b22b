package figures

import (
	"math"
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/stat"

	"gophe/experiments/result"
)

// series is one quantity of one method at each step: values[seed][step].
type series map[int64][]float64

// scores returns a method's accuracy in % and the number of rows it got right up to each step. A diverged run ends
// where it diverged. Before that every score must be a share, in [0, 1]: anything else is an error, NaN included.
func scores(m *result.Method) (accuracy, correct series, err error) {
	accuracy, correct = series{}, series{}
	for _, run := range m.Runs {
		if _, twice := accuracy[run.Seed]; twice {
			return nil, nil, errors.Errorf("seed %d occurs twice", run.Seed)
		}
		shares := run.Accuracy
		if len(shares) != len(run.Rows) {
			return nil, nil, errors.Errorf("seed %d: %d scores but %d row counts", run.Seed, len(shares), len(run.Rows))
		}
		if run.Status == result.Diverged && run.DivergedAt < len(shares) {
			shares = shares[:max(run.DivergedAt, 0)]
		}
		percent, right, total := make([]float64, len(shares)), make([]float64, len(shares)), 0.0
		for step, share := range shares {
			if math.IsNaN(share) || share < 0 || share > 1 {
				return nil, nil, errors.Errorf("seed %d, step %d: accuracy %v is not in [0, 1]", run.Seed, step, share)
			}
			total += share * float64(run.Rows[step])
			percent[step], right[step] = 100*share, total
		}
		accuracy[run.Seed], correct[run.Seed] = percent, right
	}
	return accuracy, correct, nil
}

// minus returns s − other seed by seed and step by step, as far as both go.
func (s series) minus(other series) series {
	difference := series{}
	for seed, values := range s {
		subtract := other[seed]
		n := min(len(values), len(subtract))
		difference[seed] = make([]float64, n)
		for step := range n {
			difference[seed][step] = values[step] - subtract[step]
		}
	}
	return difference
}

// steps is the length of the longest run.
func (s series) steps() int {
	n := 0
	for _, values := range s {
		n = max(n, len(values))
	}
	return n
}

// summary smooths each seed and returns, for each step, mean and standard deviation (n−1) over the seeds that
// reached it. The standard deviation ends where fewer than two seeds are left.
func (s series) summary(sigma float64) (mean, stdDev []float64, err error) {
	seeds := make([]int64, 0, len(s))
	for seed := range s {
		seeds = append(seeds, seed)
	}
	slices.Sort(seeds) // the order of a sum decides its last bit, and figures must be equal byte for byte
	smooth := make([][]float64, len(seeds))
	for i, seed := range seeds {
		if smooth[i], err = GaussianFilter(s[seed], sigma); err != nil {
			return nil, nil, err
		}
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
	return mean, stdDev, nil
}
