package tabular_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gophe/phe"
	"gophe/phe/hash"
	"gophe/phe/online"
	"gophe/phe/phetest"
	"gophe/phe/tabular"
)

const (
	toyColumns = 2
	toyRows    = 97
)

var toyValues = [toyColumns]int{5, 11} // distinct items of each column; the second is incremental

// toyData has labels that the items decide, up to a coin: class = (value 0 + value 1) mod classes, where value 1 counts
// most. All items occur.
func toyData(numbers, classes int) tabular.Data {
	rng := rand.New(rand.NewPCG(41, 43))
	var d tabular.Data
	first := [toyColumns]int32{}
	for c, n := range toyValues {
		first[c] = int32(len(d.Items))
		for v := range n {
			d.Items = append(d.Items, fmt.Sprintf("column%d_value%d", c, v))
			d.ItemColumns = append(d.ItemColumns, int32(c))
		}
	}
	for row := range toyRows {
		value1 := row % toyValues[1]
		d.Index = append(d.Index, first[0]+int32(rng.IntN(toyValues[0])), first[1]+int32(value1))
		for range numbers {
			d.Numbers = append(d.Numbers, rng.Float32())
		}
		d.Labels = append(d.Labels, int32(value1%classes))
	}
	return d
}

// method is one cell of the paper's 2 × 2 table.
type method struct {
	name     string
	rows     phe.RowChoice
	estimate phe.Estimate
}

var methods = []method{
	{"PHE", phe.Hash, phe.Posterior}, {"Ada", phe.Hash, phe.Point},
	{"P-EE", phe.Vocabulary, phe.Posterior}, {"EE", phe.Vocabulary, phe.Point},
}

// config of a method on toy data, all sizes distinct.
func (m method) config(numbers, classes int) tabular.Config {
	c := tabular.Default()
	c.Encoder = phe.Config{Rows: m.rows, Estimate: m.estimate, EmbeddingDim: 3, InitialLogStdDev: -3}
	if m.rows == phe.Vocabulary {
		c.Encoder.Capacity = 19
	} else {
		c.Encoder.NumBuckets, c.Encoder.NumHashes, c.Encoder.NumWeights = 37, 2, 23
		c.Encoder.Assembly, c.Encoder.Hash = phe.WeightedSum, hash.CarterWegman
	}
	c.TrainSamples, c.TestSamples, c.BatchSize, c.LearningRate = 5, 7, 32, 0.05
	c.Columns, c.Numbers, c.Classes, c.Incremental = toyColumns, numbers, classes, 1
	return c
}

func newModel(t testing.TB, c tabular.Config, d tabular.Data, runs, rows int) *online.Model {
	t.Helper()
	m, err := tabular.NewModel(phetest.Backend(t), c, d, runs, rows)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return m
}

func newLearner(t testing.TB, m *online.Model, seeds ...int64) *online.Learner {
	t.Helper()
	l, err := m.NewLearner(seeds)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return l
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v", err)
	}
}

// upTo lists the rows from … to−1.
func upTo(from, to int32) (rows []int32) {
	for r := from; r < to; r++ {
		rows = append(rows, r)
	}
	return
}
