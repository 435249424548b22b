package dkf_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gophe/phe"
	"gophe/phe/dkf"
	"gophe/phe/online"
	"gophe/phe/phetest"
)

// toyLength is short: XLA compiles an unrolled GRU in time that grows with it.
const toyLength = 3

// toyConfig is a filter of two columns and one number, all sizes distinct, without noise in the embeddings.
func toyConfig() dkf.Config {
	c := dkf.Default()
	c.Encoder.EmbeddingDim, c.Encoder.NumBuckets, c.Encoder.NumHashes, c.Encoder.NumWeights = 2, 17, 2, 13
	c.Encoder.Estimate = phe.Point
	c.Columns, c.Numbers, c.Incremental, c.Length = 2, 1, 1, toyLength
	c.Hidden, c.Latent, c.BatchSize = 5, 3, 16
	return c
}

// toyItems are the distinct items of the columns.
var toyItems = [2]int{5, 7}

// toyData has events of random items, prices that lie near each other, and times that sometimes jump or run backwards;
// windows follow each other without overlap. count gives an event's, from its window, place in it, and items.
func toyData(windows int, count func(window, place, item0, item1 int) float32) dkf.Data {
	rng := rand.New(rand.NewPCG(3, 5))
	d := dkf.Data{Maxima: []float32{4}}
	for column, n := range toyItems {
		for i := range n {
			d.Items = append(d.Items, fmt.Sprintf("column%d_value%d", column, i))
		}
	}
	minutes := int32(0)
	for event := range windows * toyLength {
		item0, item1 := rng.IntN(toyItems[0]), rng.IntN(toyItems[1])
		d.Index = append(d.Index, int32(item0), int32(toyItems[0]+item1))
		d.Numbers = append(d.Numbers, 2+0.1*float32(rng.IntN(4)))
		d.Counts = append(d.Counts, count(event/toyLength, event%toyLength, item0, item1))
		minutes += int32([]int{0, 90, 9000, 50000, -700}[rng.IntN(5)])
		d.Minutes = append(d.Minutes, minutes)
		d.Windows = append(d.Windows, int32(event))
	}
	return d
}

// randomCounts are small ones and packs.
func randomCounts() func(_, _, _, _ int) float32 {
	rng := rand.New(rand.NewPCG(7, 11))
	return func(_, _, _, _ int) float32 { return []float32{1, 2, 3, 12, 55}[rng.IntN(5)] }
}

func newModel(t testing.TB, c dkf.Config, d dkf.Data, runs, updateRows int) *online.Model {
	t.Helper()
	m, err := dkf.NewModel(phetest.Backend(t), c, d, runs, updateRows)
	check(t, err)
	return m
}

// newLearner is initialised.
func newLearner(t testing.TB, m *online.Model, seeds ...int64) *online.Learner {
	t.Helper()
	l, err := m.NewLearner(seeds)
	check(t, err)
	check(t, l.Initialise())
	return l
}

func predict(t testing.TB, l *online.Learner, rows []int32, step int) []float32 {
	t.Helper()
	p, err := l.Predict(rows, step)
	check(t, err)
	return p
}

func snapshot(t testing.TB, l *online.Learner) online.Snapshot {
	t.Helper()
	s, err := l.Snapshot()
	check(t, err)
	return s
}
