package dkf_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"gophe/phe"
	"gophe/phe/count"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/dkf"
)

// toyLength is short: XLA compiles an unrolled GRU in time that grows with it.
const toyLength = 3

// toyConfig is a filter of two columns and one number, all sizes distinct, without noise in the embeddings.
func toyConfig() dkf.Config {
	c := dkf.Paper()
	c.Encoder.EmbeddingDim, c.Encoder.NumBuckets, c.Encoder.NumHashes, c.Encoder.NumWeights = 2, 17, 2, 13
	c.Encoder.Estimate = phe.Point
	c.Columns, c.Numbers, c.Incremental, c.Length = []string{"column0", "column1"}, 1, 1, toyLength
	c.Maxima, c.Tick, c.Cells = []float32{4}, time.Minute, toyCells()
	c.Hidden, c.Latent, c.BatchSize = 5, 3, 16
	return c
}

// toyCells are 95 cells: 1 … 50 singly, some packs above 50 singly, and the ranges between and above them.
func toyCells() count.Cells {
	var lower []int
	for y := range 51 {
		lower = append(lower, y+1)
	}
	for _, y := range []int{60, 64, 70, 72, 75, 80, 90, 96, 100, 108, 120, 128, 144, 160, 192, 200, 216, 240, 288, 384, 480, 600} {
		lower = append(lower, y, y+1)
	}
	c, err := count.NewCells(lower...)
	if err != nil {
		panic(err)
	}
	return c
}

// toyItems are the distinct items of the columns.
var toyItems = [2]int{5, 7}

// toyData has events of random items, prices that lie near each other, and times that sometimes jump or run backwards;
// windows follow each other without overlap. count gives an event's, from its window, place in it, and items.
func toyData(windows int, count func(window, place, item0, item1 int) float32) dkf.Data {
	rng := rand.New(rand.NewPCG(3, 5))
	d := dkf.Data{}
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
		d.Times = append(d.Times, minutes)
		d.Windows = append(d.Windows, int32(event))
	}
	return d
}

// randomCounts are small ones and packs.
func randomCounts() func(_, _, _, _ int) float32 {
	rng := rand.New(rand.NewPCG(7, 11))
	return func(_, _, _, _ int) float32 { return []float32{1, 2, 3, 12, 55}[rng.IntN(5)] }
}

func newModel(t testing.TB, c dkf.Config) *dkf.Model {
	t.Helper()
	return filetest.Must(dkf.New(c))(t)
}

// newLearner returns a learner that has seen no data. It has pinned d, and the last argument limits the windows of an update.
func newLearner(t testing.TB, c dkf.Config, d dkf.Data, most int, seeds ...int64) nettest.Led {
	t.Helper()
	m := newModel(t, c)
	return pinned(t, m.Network, m, d, learn.Options{Seeds: seeds, MaxUpdated: most})
}

// pinned returns a learner of a network that has pinned d.
func pinned(t testing.TB, n learn.Network, m *dkf.Model, d dkf.Data, o learn.Options) nettest.Led {
	t.Helper()
	return nettest.New(t, n, m.Config.Config, o, filetest.Must(m.Batch(d))(t)).Pinned(t)
}

func upTo(n int) []int32 { return nettest.Rows(0, n) }
