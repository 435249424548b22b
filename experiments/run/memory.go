package run

import (
	"fmt"

	"github.com/pkg/errors"

	"gophe/experiments/spec"
	"gophe/phe"
	"gophe/phe/learn/backend"
	"gophe/phe/usage"
)

const float32Bytes = 4

// minMemory returns the least memory that a model takes while it trains, in bytes, for a number of seeds side by side. tokens is the
// number of items of an example, and stepRows the largest number of rows in a step. It leaves out temporary arrays, the compiler and
// the data, so that no run that could fit is refused.
func minMemory(c spec.Config, seeds, tokens, stepRows int) float64 {
	side, batch := float64(seeds*max(1, c.Restarts)), float64(c.BatchSize)
	if c.Stream.Columns > 0 { // one pass has only tables
		return side * float64(c.Stream.Memory)
	}
	rows := batch * float64(tokens) * float64(c.Encoder.RowsPerItem()) * float64(c.Encoder.EmbeddingDim) // of the tables, for a batch
	if c.Encoder.Estimate == phe.Posterior {
		rows *= 2 // means and deviations
	}
	if c.Scheme == phe.Fresh && c.Encoder.Estimate == phe.Posterior {
		rows *= float64(c.TrainSamples)
	}
	tables := 4 * float64(c.Encoder.NumParameters()) // parameters, both of Adam's moments and the gradient
	batches := 2*rows + batch                        // rows with their gradients, and the numbers of the rows
	samples := max(batch*float64(c.TrainSamples), float64(c.TestSamples)*float64(min(stepRows, maxPredicted)))
	return side * float32Bytes * (tables + batches + samples)
}

// maxPredicted is the most rows that one call of a prediction takes.
const maxPredicted = 512

// fits refuses, before anything is computed, a run whose models cannot fit into the free memory. It knows nothing of a GPU's memory.
func (r *run) fits(models []*model) error {
	if r.options.BackendName == backend.XLACUDA {
		return nil
	}
	free := usage.Free()
	for _, m := range models {
		together := 1
		if seeds := r.together(m); len(seeds) > 0 {
			together = len(seeds[0])
		}
		for _, own := range m.methods {
			if n := minMemory(own.config, together, m.task.About().Tokens, r.plan.LargestStep()); n > free {
				return errors.Errorf("spec %s, method %s: it needs at least %s of memory, and %s is free here; "+
					"make the tables (num_buckets, embedding_dim), batch_size, the samples or the number of seeds smaller",
					r.spec.Name, m.name, bytesText(n), bytesText(free))
			}
		}
	}
	return nil
}

func bytesText(n float64) string {
	if n >= 1e9 {
		return fmt.Sprintf("%.3g GB", n/1e9)
	}
	return fmt.Sprintf("%.3g MB", n/1e6)
}
