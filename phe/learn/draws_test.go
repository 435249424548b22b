package learn_test

import (
	"bytes"
	"math"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

// The first records that are fitted choose among the draws of the hash functions. Then the learner is one by this draw, bit for bit, and so
// is another that takes over its state: pinned or not, from a file of the time before the choice as well.
func TestHashDraws(t *testing.T) {
	c := config(phe.Posterior)
	c.Encoder = phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, EmbeddingDim: 2, NumBuckets: 5, NumHashes: 2, NumWeights: 2,
		Assembly: phe.WeightedSum, Hash: hash.CarterWegman, HashSeed: 20, HashDraws: 8, InitialLogStdDev: -3}
	all := itemBatch()
	for i := range all.Targets { // items that say different things
		all.Targets[i] = float32(i % 2)
	}
	chosen := filetest.Must(c.Encoder.Chosen(all.Known(numbersTo(7), 1, c.Encoder.Hash)))(t)
	named, former := c, c
	named.Encoder, former.Encoder.HashDraws = chosen, 0
	filetest.True(t, chosen.HashSeed != 20, "the first draw is the best, and shows no choice")
	learner := func(c learn.Config) nettest.Led {
		return nettest.New(t, sum(), c, learn.Options{Seeds: []int64{3, 4}}, all)
	}
	learned := func(l nettest.Led, fit bool) learn.Snapshot {
		if fit {
			filetest.Check(t, l.Fit(numbersTo(7), 2))
		}
		filetest.Check(t, l.Update(numbersTo(40), 2)) // whatever comes later chooses nothing
		return l.State(t)
	}
	want := learned(learner(named), true)
	model := learner(c)
	pinned := nettest.Led{Learner: filetest.Must(model.Fork([]int64{3, 4}))(t), All: all}
	filetest.Check(t, pinned.Pin(all))
	filetest.Want(t, learned(pinned, true), want, "the learner of a pinned batch")
	never := nettest.Led{Learner: filetest.Must(model.Fork([]int64{3, 4}))(t), All: all}
	got := learned(never, false)
	filetest.Want(t, got.HashSeed, 20, "the draw of a stream")
	filetest.Want(t, got, learned(learner(former), false), "the learner of a stream")
	filetest.Want(t, learned(model, true), want, "the learner")
	for _, writer := range []learn.Config{c, named, former} {
		l, other := learner(writer), learner(c)
		filetest.Check(t, l.Fit(numbersTo(7), 2))
		filetest.Must(other.ReadFrom(bytes.NewReader(written(t, l))))(t)
		filetest.Check(t, l.Update(numbersTo(40), 2))
		filetest.Check(t, other.Update(numbersTo(40), 2))
		filetest.Want(t, other.State(t), l.State(t), "a learner that goes on from a file")
		want := filetest.Must(l.Learner.Predict(all))(t).Values
		filetest.Want(t, filetest.Must(other.Learner.Predict(all))(t).Values, want, "its predictions")
		filetest.Want(t, other.EpochsTaken(), []int{2, 2}, "epochs taken")
		filetest.Check(t, other.Restore(other.State(t)))
		filetest.Want(t, other.EpochsTaken(), nil, "epochs taken, after Restore")
	}
	former.Encoder.HashSeed = 28 // none of 20 to 27
	file := written(t, learner(former))
	filetest.WantError(t, filetest.Failure(model.ReadFrom(bytes.NewReader(file))), "make the learner as the file's was made")
}

// The ELBO of beliefs that hardly vary is the log-likelihood of their means, less the divergence from N(0, 1). The records are more than a
// batch and not a multiple of one. A part of an own seed's run is the same as that seed alone.
func TestELBO(t *testing.T) {
	c := config(phe.Posterior)
	c.Encoder.InitialLogStdDev, c.LearningRate, c.KLWeight = -20, 0.02, 0.5
	l := newLearner(t, sum(), c, learn.Options{})
	filetest.Check(t, l.Fit(numbersTo(40), 3))
	before := l.State(t)
	got := filetest.Must(l.ELBO(l.All.Take(numbersTo(40))))(t)
	filetest.Want(t, l.State(t), before, "the state")
	for run, elbo := range got {
		b, want := filetest.Must(l.Beliefs(run))(t).E, 0.
		for i, mean := range b.Mean {
			want -= 0.5 * 0.5 * (b.Variance[i] - 1 - math.Log(b.Variance[i]) + mean*mean)
		}
		for i := range 40 {
			miss := b.Mean[2*i] + b.Mean[2*i+1] - 1
			want -= miss*miss + 0.5*math.Log(math.Pi)
		}
		filetest.Near(t, elbo, want, 1e-3, "ELBO of run %d", run)
	}
	l.Settle()
	own := nettest.New(t, sum(), c, learn.Options{Seeds: []int64{4}}, l.All)
	filetest.Check(t, own.Meet(l.All))
	filetest.Check(t, own.Restore(l.State(t).Of([]int{1}, 2)))
	for _, both := range []nettest.Led{l, own} {
		filetest.Check(t, both.Update(numbersTo(10), 2))
	}
	filetest.Want(t, own.State(t), l.State(t).Of([]int{1}, 2), "the second run, taken out")
}
