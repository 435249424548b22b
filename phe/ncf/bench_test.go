package ncf_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"gophe/phe"
	"gophe/phe/ncf"
	"gophe/phe/online"
	"gophe/phe/phetest"
)

// movieLensLike has a day's shape: few users, each with many ratings, of films whose popularity is a power law.
func movieLensLike(users, films, ratings int) ncf.Data {
	rng := rand.New(rand.NewPCG(1, 1))
	popular := rand.NewZipf(rng, 1.1, 20, uint64(films-1))
	d := ncf.Data{FilmGenres: make([]uint32, films)}
	for i := range users {
		d.Users = append(d.Users, strconv.Itoa(i+1))
	}
	for i := range films {
		d.Films = append(d.Films, strconv.Itoa(-i-1))
		d.FilmGenres[i] = 1<<rng.IntN(20) | 1<<(i%20)
	}
	for g := range 20 {
		d.Genres = append(d.Genres, fmt.Sprint("genre_", g))
	}
	for i := range ratings {
		d.User = append(d.User, int32(i*users/ratings))
		d.Film = append(d.Film, int32(popular.Uint64()))
		d.Ratings = append(d.Ratings, float32(1+rng.IntN(10))/10)
	}
	return d
}

func newLearner(t testing.TB, c ncf.Config, d ncf.Data, seeds ...int64) *online.Learner {
	t.Helper()
	m, err := ncf.NewModel(phetest.Backend(t), c, d, len(seeds), len(d.Ratings))
	check(t, err)
	l, err := m.NewLearner(seeds)
	check(t, err)
	check(t, l.Initialise())
	t.Cleanup(func() { l.Finalize(); m.Finalize() })
	return l
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func rowsTo(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// A day of 4,096 ratings is learned from in 20 steps of 1,024, by tables of several sizes: the cost of a day must not depend
// on them. The last model is the one of the PyTorch program that the speed is compared with: sums of K = 2 rows of 50, one
// sample, 64 units; it learns from 100 steps, so that steps are what is timed.
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
		bench.change(&c)
		d := movieLensLike(100, 20000, 4096)
		b.Run(bench.name, func(b *testing.B) {
			l := newLearner(b, c, d, 0)
			rows := rowsTo(len(d.Ratings))
			check(b, l.Update(rows, bench.epochs, 0)) // compiles
			day := 0
			for b.Loop() {
				day++
				check(b, l.Update(rows, bench.epochs, day))
			}
			steps := bench.epochs * len(rows) / c.BatchSize
			b.ReportMetric(float64(steps*b.N)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}
