package learn_test

import (
	"bytes"
	"math"
	"os"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

// A bag has the mean of its items' embeddings, so with certain beliefs the log rate of a record is the mean of its items' log rates, in any
// order, with an item twice, and beside longer bags. Another sum takes other shares. Online only the items of the incremental column learn.
func TestBags(t *testing.T) {
	columns := []string{"genre", "day"}
	rows := [][][]string{{{"a"}, {"mon"}}, {{"b"}, {"mon"}}, {{"c"}, {"mon"}}, {{"a", "b"}, {"mon"}}, {{"c", "a", "a"}, {"mon"}},
		{{"a", "c", "a"}, {"mon"}}}
	network := visits(4)
	network.Bag = 3
	c := learn.Config{Encoder: phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, EmbeddingDim: 4, NumBuckets: 101, NumHashes: 2,
		Assembly: phe.PlainSum, Hash: hash.CarterWegman, InitialLogStdDev: -20, HashDraws: 2},
		Scheme: phe.Local, TrainSamples: 1, TestSamples: 1, Loss: phe.Expected, KLWeight: 1, LearningRate: 0.1, BatchSize: 8,
		Scope: phe.IncrementalColumn}
	l := must(learn.New(network, c, learn.Options{Backend: nettest.Backend(t)}))
	defer l.Close()
	b := must(learn.NewBags(columns, rows, 3))
	predicted := func() []float64 { return belief.Converted[float64](must(l.Predict(b)).Values) }
	near := func(what string, p []float64, a, b, c float64) {
		t.Helper()
		for i, want := range []float64{a, b, c, (a + b) / 2, (2*a + c) / 3, (2*a + c) / 3} {
			filetest.Near(t, p[i], want, 1e-4, "%s: row %d", what, i) // sums of ten float32 of size about 1
		}
	}
	p := predicted()
	near("at first", p, p[0], p[1], p[2])
	filetest.True(t, math.Abs(p[0]-p[2]) >= 0.1, "items look alike: %v", p)
	b.Targets = []float32{1, 5, 9, 2, 3, 3}
	filetest.Check(t, l.Fit(b, 2))
	p = predicted()
	near("after Fit", p, p[0], p[1], p[2])
	before := must(l.Snapshot()).Parameters[0]
	filetest.Check(t, l.Update(b.Take([]int32{3}), 1))
	q, moved := predicted(), must(l.Snapshot()).Parameters[0]
	near("after Update", q, q[0], q[1], q[2])
	chosen := c.Encoder
	chosen.HashDraws, chosen.HashSeed = 0, must(l.Snapshot()).HashSeed
	rowsOf := must(phe.NewEncoder(chosen))
	used := must(rowsOf.Items([]string{"genre_a", "genre_b"})).Buckets
	for row := range 101 {
		changed := !slices.Equal(before[4*row:4*row+4], moved[4*row:4*row+4])
		filetest.Want(t, changed, slices.Contains(used, int32(row)), "row %d changed, where the bag's items use %v", row, used)
	}
	known := b.Known([]int32{0, 4}, 6, hash.CarterWegman)
	var weights []float64
	for _, item := range known {
		weights = append(weights, item.Weight)
	}
	filetest.Want(t, weights, []float64{3, 1, 2}, "weights of items of two records, in which padding counts for nothing")
	for _, wrong := range [][][]string{{{"a"}}, {{"a", "b", "c", "d"}, {"mon"}}, {{}, {"mon"}}} {
		_, err := learn.NewBags(columns, [][][]string{wrong}, 3)
		filetest.WantError(t, err, "row 0", "1 to 3 items")
	}
	filetest.WantError(t, l.Fit(must(learn.NewBatch(columns, [][]string{{"a", "mon"}})), 1), "")
	c.Scheme = phe.Moments
	moments := must(learn.New(network, c, learn.Options{Backend: nettest.Backend(t)}))
	defer moments.Close()
	filetest.WantError(t, filetest.Failure(moments.Predict(b)), "gives logits, not embeddings")
}

// A learner's file of af378595, where assemblies were an enumeration, is read and written again byte for byte.
func TestFileOfBefore(t *testing.T) {
	c := learn.Config{Encoder: phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, EmbeddingDim: 2, NumBuckets: 5, NumHashes: 2,
		NumWeights: 3,
		Assembly:   phe.WeightedSum, Hash: hash.CarterWegman, InitialLogStdDev: -3},
		Scheme: phe.Local, TrainSamples: 1, TestSamples: 1, Loss: phe.Expected, KLWeight: 1, LearningRate: 0.1, BatchSize: 8,
		Scope: phe.AllColumns}
	l := must(learn.New(visits(2), c, learn.Options{Backend: nettest.Backend(t)}))
	defer l.Close()
	want := must(os.ReadFile("testdata/before.learner"))
	must(l.ReadFrom(bytes.NewReader(want)))
	filetest.Want(t, string(written(t, nettest.Led{Learner: l})), string(want), "written")
}
