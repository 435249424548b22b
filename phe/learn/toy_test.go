package learn_test

import (
	"fmt"
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/learn/likelihood"
)

// sum is a network without weights: the mean of a record is the sum of its item's embedding.
// −log p of its likelihood is (y−x)², and a constant.
func sum() learn.Network {
	return learn.Network{Columns: 1, Outputs: sumOutputs, Likelihood: likelihood.Gaussian(math.Sqrt(0.5)), Identity: "sum"}
}

func sumOutputs(p learn.Pass) learn.Outputs {
	x := ReduceSum(Squeeze(p.Embed(Reshape(p.Index, p.Runs*p.Records, 1)), 2), -1)
	return learn.Outputs{Parameters: InsertAxes(x, -1), Targets: Reshape(p.Targets, -1)}
}

// judged is sum with other outputs.
func judged(outputs func(p learn.Pass) learn.Outputs) learn.Network {
	n := sum()
	n.Outputs = outputs
	return n
}

const items, capacity = 100, 103

// itemBatch has a record of each item; record i's target is 1. Its item has row i of the table.
func itemBatch() *learn.Batch {
	b := &learn.Batch{Records: items, Columns: make([]int32, items)}
	for i := range int32(items) {
		b.Items, b.Index, b.Targets = append(b.Items, fmt.Sprint("item ", i)), append(b.Index, i), append(b.Targets, 1)
	}
	return b
}

// config of items with rows of their own.
func config(estimate phe.Estimate) learn.Config {
	encoder := phe.Config{Rows: phe.Vocabulary, Estimate: estimate, EmbeddingDim: 2, Capacity: capacity, InitialLogStdDev: -3}
	return learn.Config{Encoder: encoder, Scheme: phe.Fresh, TrainSamples: 1, TestSamples: 1, Loss: phe.Expected, KLWeight: 1,
		LearningRate: 0.1, BatchSize: 16, Scope: phe.AllColumns}
}

// newLearner has seeds 3 and 4, and is led along itemBatch, whose items it has met.
func newLearner(t *testing.T, n learn.Network, c learn.Config, o learn.Options) nettest.Led {
	t.Helper()
	l := newUnmet(t, n, c, o)
	filetest.Check(t, l.Meet(itemBatch()))
	return l
}

// newUnmet is newLearner before it has met any items. It takes the seeds of the options, if there are any.
func newUnmet(t *testing.T, n learn.Network, c learn.Config, o learn.Options) nettest.Led {
	t.Helper()
	if o.Seeds == nil {
		o.Seeds = []int64{3, 4}
	}
	return nettest.New(t, n, c, o, itemBatch())
}

func numbersTo(n int) []int32 { return nettest.Rows(0, n) }
