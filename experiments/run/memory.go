package run

import (
	"fmt"

	"github.com/pkg/errors"

	"gophe/experiments/spec"
	"gophe/experiments/usage"
	"gophe/phe"
	"gophe/phe/backend"
)

// need is the least memory that a model takes while it trains, in bytes, listed by purpose. Other needs of a program
// (temporary arrays, the compiler, the data) are left out, so that no run that could fit is refused.
type need struct {
	tables  float64 // of parameters, both of Adam's moments and the gradient
	batch   float64 // the table rows of a batch's items, and their gradients; and the numbers of its rows
	samples float64 // a number a sample and row, in training or prediction
}

const float32Bytes = 4

// needOf estimates a model of a number of seeds side by side. tokens is the number of items of an example, and stepRows the
// most rows of a step.
func needOf(c spec.Config, seeds, tokens, stepRows int) need {
	side, batch := float64(seeds), float64(c.BatchSize)
	if c.Stream.Columns > 0 { // one pass has only tables
		return need{tables: side * float64(c.Stream.Memory)}
	}
	rows := batch * float64(tokens) * float64(c.Encoder.RowsPerItem()) * float64(c.Encoder.EmbeddingDim)
	if c.Encoder.Estimate == phe.Posterior {
		rows *= 2 // means and deviations
	}
	if c.Scheme == phe.Fresh && c.Encoder.Estimate == phe.Posterior {
		rows *= float64(c.TrainSamples)
	}
	predicted := float64(c.TestSamples) * float64(min(stepRows, mostPredicted))
	return need{
		tables:  4 * side * float32Bytes * numParameters(c.Encoder),
		batch:   side * float32Bytes * (2*rows + batch),
		samples: side * float32Bytes * max(batch*float64(c.TrainSamples), predicted),
	}
}

// mostPredicted is the most rows that one call of a prediction takes.
const mostPredicted = 512

// numParameters is phe.Config.NumParameters in float64, which does not overflow.
func numParameters(c phe.Config) float64 {
	n := float64(c.TableRows())*float64(c.EmbeddingDim) + float64(c.NumWeights)*float64(c.NumHashes)
	if c.Estimate == phe.Posterior {
		n *= 2
	}
	return n
}

func (n need) total() float64 { return n.tables + n.batch + n.samples }

// remedy names what to make smaller: the fields behind the largest part.
func (n need) remedy() string {
	switch max(n.tables, n.batch, n.samples) {
	case n.tables:
		return "num_buckets, embedding_dim or the number of seeds"
	case n.batch:
		return "batch_size, embedding_dim or the number of seeds"
	}
	return "train_samples, test_samples, batch_size or the number of seeds"
}

// fits refuses, before anything is computed, a run whose models cannot fit into the memory that is free. A GPU's memory is
// another matter, which its driver speaks for.
func (r *session) fits(families []*family) error {
	if r.options.BackendName == backend.XLACUDA {
		return nil
	}
	free := usage.Free()
	for _, f := range families {
		for _, c := range append(f.configs, f.config) {
			together := 1
			if seeds := r.together(f); len(seeds) > 0 {
				together = len(seeds[0])
			}
			n := needOf(c, together, f.task.Tokens(), r.plan.LargestStep())
			if n.total() > free {
				return errors.Errorf("spec %s, method %s: it needs at least %s of memory, and %s is free here; make %s smaller",
					r.spec.Name, f.name, bytesText(n.total()), bytesText(free), n.remedy())
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
