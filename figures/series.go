package figures

import (
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/stat"

	"gophe/experiments/result"
)

// series is one quantity of one method at each step: values[seed][step].
type series map[int64][]float64

// scores returns a method's scores at each step, shares in %. A diverged run ends where it diverged. Before that every
// score must be one that the metric can have: anything else is an error, NaN included.
func scores(m *result.Method, of metric) (series, error) {
	out := series{}
	for _, run := range m.Runs {
		if _, twice := out[run.Seed]; twice {
			return nil, errors.Errorf("seed %d occurs twice", run.Seed)
		}
		values := run.Series(of.name)
		if len(values) != len(run.Rows) {
			return nil, errors.Errorf("seed %d: %d scores but %d row counts", run.Seed, len(values), len(run.Rows))
		}
		if run.Status == result.Diverged && run.DivergedAt < len(values) {
			values = values[:max(run.DivergedAt, 0)]
		}
		out[run.Seed] = make([]float64, len(values))
		for step, value := range values {
			var err error
			if out[run.Seed][step], err = of.drawn(value); err != nil {
				return nil, errors.WithMessagef(err, "seed %d, step %d", run.Seed, step)
			}
		}
	}
	return out, nil
}

// rowsRight is the number of rows that a method got right up to each step, as far as its scores go.
func (m *method) rowsRight() series {
	out := series{}
	for _, run := range m.Runs {
		right, total := make([]float64, len(m.scores[run.Seed])), 0.0
		for step := range right {
			total += run.Accuracy[step] * float64(run.Rows[step])
			right[step] = total
		}
		out[run.Seed] = right
	}
	return out
}

// whole is the series itself.
func (s series) whole() series { return s }

// soFar is the mean over the steps up to each, all weighing the same.
func (s series) soFar() series {
	out := series{}
	for seed, values := range s {
		means, total := make([]float64, len(values)), 0.0
		for step, value := range values {
			total += value
			means[step] = total / float64(step+1)
		}
		out[seed] = means
	}
	return out
}

// first is what there is of the first so many steps.
func (s series) first(steps int) series {
	out := series{}
	for seed, values := range s {
		out[seed] = values[:min(steps, len(values))]
	}
	return out
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
