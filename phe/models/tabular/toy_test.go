package tabular_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/tabular"
)

func upTo(from, to int) []int32 { return nettest.Rows(from, to) }

const (
	toyColumns = 2
	toyRows    = 97
	toyUnseen  = 8 // rows that withUnseen adds
)

// toyNames are the names of the columns. An item's name begins with its column's.
var toyNames = []string{"column0", "column1"}

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
			d.Items = append(d.Items, fmt.Sprintf("%s_value%d", toyNames[c], v))
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

// withUnseen returns toy data with toyUnseen rows more, which bring two items of the incremental column that no other row has.
// Each of them has a class of its own.
func withUnseen(d tabular.Data, numbers, classes int) tabular.Data {
	first := int32(len(d.Items))
	for i := range 2 {
		d.Items = append(d.Items, fmt.Sprintf("%s_value%d", toyNames[1], toyValues[1]+i))
		d.ItemColumns = append(d.ItemColumns, 1)
	}
	for row := range int32(toyUnseen) {
		d.Index = append(d.Index, row/2, first+row%2) // the first items are values of column 0
		d.Labels = append(d.Labels, (int32(toyValues[1])+row%2)%int32(classes))
	}
	d.Numbers = append(d.Numbers, make([]float32, toyUnseen*numbers)...)
	return d
}

// method is one cell of the paper's 2 × 2 table.
type method struct {
	name     string
	rows     phe.RowChoice
	estimate phe.Estimate
}

var methods = []method{
	{"PHE", phe.Hashed, phe.Posterior}, {"Ada", phe.Hashed, phe.Point},
	{"P-EE", phe.Vocabulary, phe.Posterior}, {"EE", phe.Vocabulary, phe.Point},
}

// config of a method on toy data, all sizes distinct.
func (m method) config(numbers, classes int) tabular.Config {
	c := tabular.Paper()
	c.Encoder = phe.Config{Rows: m.rows, Estimate: m.estimate, EmbeddingDim: 3, InitialLogStdDev: -3}
	if m.rows == phe.Vocabulary {
		c.Encoder.Capacity = 19
	} else {
		c.Encoder.NumBuckets, c.Encoder.NumHashes, c.Encoder.NumWeights = 37, 2, 23
		c.Encoder.Assembly, c.Encoder.Hash = phe.WeightedSum, hash.CarterWegman
	}
	c.TrainSamples, c.TestSamples, c.BatchSize, c.LearningRate = 5, 7, 32, 0.05
	c.Columns, c.Numbers, c.Classes, c.Incremental = toyNames, numbers, classes, 1
	return c
}

func newModel(t testing.TB, c tabular.Config) *tabular.Model {
	t.Helper()
	return filetest.Must(tabular.New(c))(t)
}

func newBatch(t testing.TB, m *tabular.Model, d tabular.Data) *learn.Batch {
	t.Helper()
	return filetest.Must(m.Batch(d))(t)
}

func newLearner(t testing.TB, c tabular.Config, o learn.Options) *learn.Learner {
	t.Helper()
	return nettest.New(t, newModel(t, c).Network, c.Config, o, nil).Learner
}

// pinned returns a learner that keeps all data on the device. An update brings at most maxUpdated rows.
func pinned(t testing.TB, c tabular.Config, d tabular.Data, maxUpdated int, seeds ...int64) nettest.Led {
	t.Helper()
	m := newModel(t, c)
	o := learn.Options{Seeds: seeds, MaxUpdated: maxUpdated}
	return nettest.New(t, m.Network, c.Config, o, newBatch(t, m, d)).Pinned(t)
}
