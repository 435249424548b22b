package ncf_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"gophe/phe"
	"gophe/phe/models/ncf"
)

// movieLensLike has a day's shape: few users, each with many ratings, of items whose popularity is a power law.
func movieLensLike(users, items, ratings int) ncf.Data {
	rng := rand.New(rand.NewPCG(1, 1))
	popular := rand.NewZipf(rng, 1.1, 20, uint64(items-1))
	d := ncf.Data{ItemLabels: make([]uint32, items)}
	for i := range users {
		d.Users = append(d.Users, strconv.Itoa(i+1))
	}
	for i := range items {
		d.Items = append(d.Items, strconv.Itoa(-i-1))
		d.ItemLabels[i] = 1<<rng.IntN(20) | 1<<(i%20)
	}
	for i := range ratings {
		d.User = append(d.User, int32(i*users/ratings))
		d.Item = append(d.Item, int32(popular.Uint64()))
		d.Ratings = append(d.Ratings, float32(1+rng.IntN(10))/10)
	}
	return d
}

// A day of 4,096 ratings is learned in 20 steps of 1,024, by tables of several sizes. The cost of a day must not depend on the
// size. The last model is the PyTorch program's in the comparison of speed: sums of K = 2 rows of 50, one sample, 64 units. It
// learns in 100 steps, so that the steps dominate the time.
func BenchmarkDay(b *testing.B) {
	size := func(n int) func(c *ncf.Config) {
		return func(c *ncf.Config) { c.Encoder.NumBuckets, c.Encoder.NumWeights = n, n }
	}
	for _, bench := range []struct {
		name   string
		change func(c *ncf.Config)
		epochs int
	}{
		{"B=10009", size(10009), 5},
		{"B=100003", size(100003), 5},
		{"B=1000003", size(1000003), 5},
		{"authors", func(c *ncf.Config) { c.Encoder.EmbeddingDim = 50 }, 5},
		{"pytorch", func(c *ncf.Config) {
			c.Encoder.EmbeddingDim, c.Encoder.NumHashes, c.Encoder.NumWeights, c.Encoder.Assembly = 50, 2, 0, phe.PlainSum
			c.TrainSamples, c.Hidden = 1, 64
		}, 25},
	} {
		c := ncf.Default()
		c.Labels = labelNames(20)
		bench.change(&c)
		d := movieLensLike(100, 20000, 4096)
		b.Run(bench.name, func(b *testing.B) {
			l := newLearner(b, c, d, len(d.Ratings))
			rows := rowsOf(0, int32(len(d.Ratings)))
			check(b, l.Update(rows, bench.epochs)) // compiles
			for b.Loop() {
				check(b, l.Update(rows, bench.epochs))
			}
			steps := bench.epochs * len(rows) / c.BatchSize
			b.ReportMetric(float64(steps*b.N)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}
