package learn_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

// hashed is a configuration whose items collide.
func hashed(estimate phe.Estimate) learn.Config {
	c := config(estimate)
	c.Encoder = phe.Config{Rows: phe.Hashed, Estimate: estimate, EmbeddingDim: 2, NumBuckets: 7, NumHashes: 2, NumWeights: 5,
		Assembly: phe.WeightedSum, Hash: hash.CarterWegman, InitialLogStdDev: -3}
	return c
}

// Growing forgets nothing: every item is predicted as before, bit for bit, pinned or not; as is a snapshot, and a file, of the grown
// learner.
func TestGrow(t *testing.T) {
	all := numbersTo(items)
	for name, c := range map[string]learn.Config{"Ada": hashed(phe.Point), "PHE": hashed(phe.Posterior)} {
		for _, pinned := range []bool{false, true} {
			l := newLearner(t, sum(), c, learn.Options{})
			if pinned {
				filetest.Check(t, l.Pin(l.All))
			}
			filetest.Check(t, l.Fit(numbersTo(30), 2))
			rows := len(l.State(t).Parameters[0])
			before := l.Predict(t, all, 0)
			filetest.Check(t, l.Grow())
			filetest.Check(t, l.Grow())
			filetest.Want(t, len(l.State(t).Parameters[0]), 4*rows, "%s: numbers in table E that grew twice", name)
			after := l.Predict(t, all, 0)
			filetest.Want(t, after, before, "%s, pinned %t: a prediction after growing", name, pinned)
			filetest.Check(t, l.Fit(numbersTo(30), 1)) // Adam's memory grew too
			l.Settle()
			filetest.Check(t, l.Update(all, 3))
			restored, read := newLearner(t, sum(), c, learn.Options{}), newLearner(t, sum(), c, learn.Options{})
			filetest.Check(t, restored.Restore(l.State(t)))
			filetest.Must(read.ReadFrom(bytes.NewReader(written(t, l))))(t)
			want := l.Predict(t, all, 0)
			for _, other := range []nettest.Led{restored, read} {
				filetest.Want(t, other.Predict(t, all, 0), want, "%s, pinned %t: a copy of a grown learner predicts", name, pinned)
			}
		}
	}
}

// Tables that grow in the initial phase hold everything twice for each run, with Adam's moments. θ stays.
func TestGrowingDoubles(t *testing.T) {
	l := newLearner(t, weighted(), hashed(phe.Posterior), learn.Options{})
	filetest.Check(t, l.Fit(numbersTo(30), 1))
	small := l.State(t)
	filetest.Check(t, l.Grow())
	grown := l.State(t)
	twice := slices.Concat(grown.Parameters, grown.Moments)
	for i, list := range slices.Concat(small.Parameters, small.Moments) {
		want, run := list, len(list)/2
		if i%len(small.Parameters) < 4 { // E and W
			want = slices.Concat(list[:run], list[:run], list[run:], list[run:])
		}
		filetest.Want(t, twice[i], want, "list %d, which holds every row twice", i)
	}
}

// An update on items that share no rows teaches a grown learner the same as a learner that has not grown.
func TestGrownUpdatesAlike(t *testing.T) {
	c, day := hashed(phe.Posterior), numbersTo(5)
	c.Encoder.NumBuckets, c.Encoder.NumWeights = 50021, 25013
	small, grown := newLearner(t, sum(), c, learn.Options{}), newLearner(t, sum(), c, learn.Options{})
	rows := filetest.Must(filetest.Must(phe.NewEncoder(c.Encoder))(t).Items(small.All.Items[:5]))(t)
	for _, of := range [][]int32{rows.Buckets, rows.Weights} {
		different := slices.Compact(slices.Sorted(slices.Values(of)))
		filetest.Want(t, len(different), len(of), "different rows of the items; if they share rows, choose other sizes")
	}
	filetest.Check(t, grown.Grow())
	for range 2 {
		filetest.Check(t, small.Update(day, 3))
		filetest.Check(t, grown.Update(day, 3))
	}
	filetest.Want(t, small.Predict(t, day, 0), grown.Predict(t, day, 0), "predictions of items that share no rows, and by a grown learner")
}

// Seven rows cannot hold a hundred items' own numbers, and nine hundred can.
func TestGrownTablesHoldMore(t *testing.T) {
	l := newLearner(t, sum(), hashed(phe.Point), learn.Options{})
	for i := range l.All.Targets {
		l.All.Targets[i] = float32(i%3) - 1
	}
	loss := func() (mean float64) {
		p := l.Predict(t, numbersTo(items), 0)
		for i, y := range l.All.Targets {
			mean += math.Pow(float64(p[i]-y), 2) / items
		}
		return
	}
	filetest.Check(t, l.Fit(numbersTo(items), 60))
	small := loss()
	for range 7 {
		filetest.Check(t, l.Grow())
	}
	filetest.Check(t, l.Fit(numbersTo(items), 60))
	large := loss()
	filetest.True(t, large < 0.3*small, "the squared error is %.3f with 7 rows, and %.3f with 896", small, large)
}

// Updates and predictions of unpinned batches compile nothing when tables grow, where the host moves the rows.
func TestGrowingCompilesNothing(t *testing.T) {
	if !nettest.Backend(t).HasSharedBuffers() {
		t.Skip("on a GPU two small programs move the rows of new tables")
	}
	l := newLearner(t, sum(), hashed(phe.Posterior), learn.Options{})
	day := []int32{1, 2, 3}
	filetest.Check(t, l.Update(day, 2))
	l.Predict(t, day, 0)
	compiled := l.CompileTime()
	for range 3 {
		filetest.Check(t, l.Grow())
		filetest.Check(t, l.Update(day, 2))
		l.Predict(t, day, 0)
	}
	filetest.Want(t, l.CompileTime(), compiled, "time of compilation after growing")
}

// Authors' hashes change with the number of buckets, and a vocabulary has no hash. The error says what can grow, and changes nothing.
func TestWhatCannotGrow(t *testing.T) {
	authors := hashed(phe.Point)
	authors.Encoder.Hash = hash.Authors
	for right, c := range map[string]learn.Config{`use "carter-wegman"`: authors, `use rows "hash"`: config(phe.Point)} {
		l := newLearner(t, sum(), c, learn.Options{})
		rows := len(l.State(t).Parameters[0])
		filetest.WantError(t, l.Grow(), right)
		filetest.Want(t, len(l.State(t).Parameters[0]), rows, "numbers in table E after a refused growth")
		filetest.Want(t, l.Counts().Doublings, 0, "doublings")
	}
}
