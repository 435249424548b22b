package ncf_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/ncf"
)

// A day's padding depends on its ratings and not on the days before. Each day equals the update of whole tables with the same
// padding. Batches have 128 records, so a padding to 64 gives small batches, and one to 512 a short last batch. Room grows in powers
// of two, a large day is predicted in blocks, and few ratings have more items than ratings. Noise has the shape of the padding, so
// the largest days have none.
func TestRooms(t *testing.T) {
	noisy, large := methods[0].config(), methods[1].config()
	noisy.Encoder.NumBuckets, noisy.Encoder.NumWeights, noisy.BatchSize = 5003, 2503, 128
	large.Encoder.NumBuckets, large.Encoder.NumWeights, large.BatchSize = 10009, 10007, 1024
	noisy.Labels, large.Labels = labelNames(20), labelNames(20)
	var few []int32 // of a room of their own, but for their items
	for i := range int32(64) {
		few = append(few, 70*i)
	}
	d := manyRatings(2000, 3000, 5000)
	sparse := newLearner(t, noisy, d, 400, 8, 5)
	for i, day := range []struct {
		config ncf.Config
		rows   []int32
		room   int
	}{
		{noisy, rowsOf(0, 3), 64}, {noisy, rowsOf(3, 68), 128}, {noisy, rowsOf(10, 310), 512}, {noisy, rowsOf(4, 5), 64},
		{noisy, slices.Repeat([]int32{6, 311}, 33), 128}, {large, rowsOf(0, 5000), 5000}, {large, few, 5000},
	} {
		if nettest.Brief(t) && i > 1 {
			break // every rival takes seconds to compile
		}
		if i == 5 {
			sparse = newLearner(t, large, d, 5000, 8, 5)
		}
		t.Run(fmt.Sprintf("%d rows", len(day.rows)), func(t *testing.T) {
			rivals{sparse, newLearner(t, day.config, d, day.room, 8, 5).Pinned(t)}.predictAndUpdate(t, day.rows, i)
		})
	}
}

// rivals are a learner that takes excerpts and one with a pinned batch, which takes whole tables and data.
type rivals struct{ sparse, dense nettest.Led }

// predictAndUpdate compares the forecasts of a day, and the beliefs after it. The tolerance of an update is for float32 sums of some
// hundred terms, which Adam divides by the size of small gradients.
func (r rivals) predictAndUpdate(t *testing.T, day []int32, number int) {
	t.Helper()
	filetest.Check(t, r.dense.Restore(r.sparse.State(t)))
	got, want := r.sparse.Predict(t, day, number), r.dense.Predict(t, day, number)
	nettest.Same(t, "predictions", [][]float32{got}, [][]float32{want}, 1e-6)
	filetest.Check(t, r.sparse.Update(day, 3))
	filetest.Check(t, r.dense.Update(day, 3))
	what := fmt.Sprintf("parameters after update %d, of %d ratings", number, len(day))
	nettest.Same(t, what, r.sparse.State(t).Parameters, r.dense.State(t).Parameters, 2e-5)
}

// manyRatings has a day's shape: few users, each with many ratings, of items whose popularity is a power law.
func manyRatings(users, items, ratings int) ncf.Data {
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

// watched returns the recommender's network. It notes the shapes of all that its programs read, each time that one is built.
func watched(m *ncf.Model, programs *[][]string) learn.Network {
	n := m.Network
	outputs := n.Outputs
	n.Outputs = func(p learn.Pass) learn.Outputs {
		var shapes []string
		g := p.Index.Graph()
		for i := range g.NumParameters() {
			shapes = append(shapes, g.GetParameterByHandle(graph.ParameterHandle(i)).Shape().String())
		}
		*programs = append(*programs, shapes)
		return outputs(p)
	}
	return n
}

// What an update and a prediction cost depends on their ratings and not on the tables: with ten thousand rows and with a million,
// their programs read arrays of the same shapes, they are built as often, and the host allocates as much.
func TestCostDoesNotDependOnTables(t *testing.T) {
	d := toyData()
	var programs [2][][]string
	var allocated [2]uint64
	sizes := []int{10009, 1000003}
	for i, size := range sizes {
		c := methods[0].config()
		c.Encoder.NumBuckets, c.Encoder.NumWeights = size, size
		m := filetest.Must(ncf.New(c))(t)
		l := filetest.Must(learn.New(watched(m, &programs[i]), c.Config, learn.Options{Backend: nettest.Backend(t)}))(t)
		defer l.Close()
		led := nettest.Led{Learner: l, All: filetest.Must(m.Batch(d))(t)}
		filetest.Check(t, l.Restore(blank(c, size))) // at less cost than a draw
		live := func(day []int32) {
			led.Predict(t, day, 0)
			filetest.Check(t, led.Update(day, 2))
		}
		live(rowsOf(0, 40)) // compiles
		allocated[i] = filetest.Allocated(func() {
			live(rowsOf(30, 80))
			live(rowsOf(5, 45))
		})
		n := len(programs[i])
		filetest.True(t, 0 < n && n <= 4, "the programs of %d rows were built %d times for days of one size", size, n)
	}
	filetest.Want(t, programs[0], programs[1], "programs of tables of %d rows, and of %d", sizes[0], sizes[1])
	t.Logf("the host allocates %d and %d bytes for two days", allocated[0], allocated[1])
	// A copy of the smallest table, of means of W, takes eight million bytes.
	filetest.True(t, allocated[1] <= allocated[0]+1<<20,
		"with tables of %d rows the host allocates %d bytes for two days, and with %d rows %d", sizes[0], allocated[0], sizes[1],
		allocated[1])
}

// blank is a state of tables of zeros, so that every σ is 1, and of θ in its order.
func blank(c ncf.Config, size int) (s learn.Snapshot) {
	dim, hashes := c.Encoder.EmbeddingDim, c.Encoder.NumHashes
	for _, n := range []int{size * dim, size * dim, size * hashes, size * hashes, 2 * dim * c.Hidden, dim * c.Hidden, c.Hidden,
		c.Hidden, 1, len(c.Labels) * c.Hidden} {
		s.Parameters = append(s.Parameters, make([]float32, n))
	}
	return
}
