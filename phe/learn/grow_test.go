package learn_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
)

// hashed is a configuration whose items collide.
func hashed(estimate phe.Estimate) learn.Config {
	c := config(estimate)
	c.Encoder = phe.Config{Rows: phe.Hashed, Estimate: estimate, EmbeddingDim: 2, NumBuckets: 7, NumHashes: 2, NumWeights: 5,
		Assembly: phe.WeightedSum, Hash: hash.CarterWegman, InitialLogStdDev: -3}
	return c
}

// Growing forgets nothing: without noise, every item is predicted as before, bit for bit, known or not, pinned or not; as is a
// snapshot, and a file, of the grown learner. Items that shared rows part: a table of many more rows learns what one of few cannot.
func TestGrow(t *testing.T) {
	all := numbersTo(items)
	for name, c := range map[string]learn.Config{"hash": hashed(phe.Point), "vocabulary": config(phe.Point)} {
		for _, pinned := range []bool{false, true} {
			l := newLearner(t, sum(), c, learn.Options{})
			if pinned {
				filetest.Must(l.Pin(l.All))(t)
			}
			check(t, l.Fit(numbersTo(30), 2))
			rows := l.TableRows()
			before := filetest.Must(l.Predict(all, 0))(t)
			check(t, l.Grow())
			check(t, l.Grow())
			if got := l.TableRows(); got != 4*rows {
				t.Errorf("%s: %d rows grew twice to %d", name, rows, got)
			}
			after := filetest.Must(l.Predict(all, 0))(t)
			if !slices.Equal(before, after) {
				t.Errorf("%s, pinned %t: growing changed a prediction", name, pinned)
			}
			check(t, l.Fit(numbersTo(30), 1)) // Adam's memory grew too
			l.Settle()
			check(t, l.Update(all, 3))
			var file bytes.Buffer
			filetest.Must(l.WriteTo(&file))(t)
			restored, read := newLearner(t, sum(), c, learn.Options{}), newLearner(t, sum(), c, learn.Options{})
			check(t, restored.Restore(snapshot(t, l)))
			filetest.Must(read.ReadFrom(&file))(t)
			want := filetest.Must(l.Predict(all, 0))(t)
			for _, other := range []learntest.Led{restored, read} {
				if got, err := other.Predict(all, 0); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s, pinned %t: a copy of a grown learner predicts otherwise (%v)", name, pinned, err)
				}
			}
		}
	}
}

// Seven rows cannot hold a hundred items' own numbers, and nine hundred can.
func TestGrownTablesHoldMore(t *testing.T) {
	l := newLearner(t, sum(), hashed(phe.Point), learn.Options{})
	for i := range l.All.Targets {
		l.All.Targets[i] = float32(i%3) - 1
	}
	loss := func() (mean float64) {
		p := filetest.Must(l.Predict(numbersTo(items), 0))(t)
		for i, y := range l.All.Targets {
			mean += math.Pow(float64(p[i]-y), 2) / items
		}
		return
	}
	check(t, l.Fit(numbersTo(items), 60))
	small := loss()
	for range 7 {
		check(t, l.Grow())
	}
	check(t, l.Fit(numbersTo(items), 60))
	if large := loss(); !(large < 0.3*small) {
		t.Errorf("the squared error is %.3f with 7 rows, and %.3f with 896", small, large)
	}
}

// Updates and predictions of unpinned batches compile nothing when tables grow.
func TestGrowingCompilesNothing(t *testing.T) {
	l := newLearner(t, sum(), hashed(phe.Posterior), learn.Options{})
	day := []int32{1, 2, 3}
	check(t, l.Update(day, 2))
	filetest.Must(l.Predict(day, 0))(t)
	compiled := l.CompileTime()
	for range 3 {
		check(t, l.Grow())
		check(t, l.Update(day, 2))
		filetest.Must(l.Predict(day, 0))(t)
	}
	if more := l.CompileTime() - compiled; more != 0 {
		t.Errorf("growing compiled for %s", more)
	}
}

// Authors' hashes change with the number of buckets. The error says which hash grows, and changes nothing.
func TestAuthorsTablesCannotGrow(t *testing.T) {
	c := hashed(phe.Point)
	c.Encoder.Hash = hash.Authors
	l := newLearner(t, sum(), c, learn.Options{})
	rows := l.TableRows()
	filetest.WantError(t, l.Grow(), `use "carter-wegman"`)
	if l.TableRows() != rows || l.Counts().Doublings != 0 {
		t.Errorf("a refused growth leaves %d rows, had %d", l.TableRows(), rows)
	}
}

// The rows that a vocabulary gets when it grows are fresh draws, as the first ones were: means of the configured deviation, apart
// for each run and each growth, every log σ at its start, and nothing in Adam's memory. Rows that items have stay as they are.
func TestGrownVocabulary(t *testing.T) {
	c := config(phe.Posterior)
	c.Encoder.EmbeddingDim, c.Encoder.InitialMeanStdDev = 10, 0.25
	l := newLearner(t, sum(), c, learn.Options{})
	check(t, l.Fit(numbersTo(items), 1))
	small := snapshot(t, l)
	check(t, l.Grow())
	check(t, l.Grow())
	grown := snapshot(t, l)
	const n = 10 * capacity // numbers of a run before it grows
	var fresh [][]float64   // of each run and growth
	for i, list := range slices.Concat(small.Parameters, small.Moments) {
		for run := range 2 {
			own := slices.Concat(grown.Parameters, grown.Moments)[i][4*n*run : 4*n*(run+1)]
			if !slices.Equal(own[:n], list[n*run:n*(run+1)]) {
				t.Errorf("list %d, run %d: growing changed the rows that were there", i, run)
			}
			switch {
			case i == 0:
				fresh = append(fresh, float64s(own[n:2*n]), float64s(own[2*n:3*n]), float64s(own[3*n:]))
			case i == 1 && slices.ContainsFunc(own[n:], func(v float32) bool { return v != float32(c.Encoder.InitialLogStdDev) }):
				t.Errorf("run %d: a fresh row's log σ is not %g", run, c.Encoder.InitialLogStdDev)
			case i > 1 && slices.ContainsFunc(own[n:], func(v float32) bool { return v != 0 }):
				t.Errorf("run %d: Adam remembers something of a fresh row", run)
			}
		}
	}
	for i, x := range fresh { // the standard error of n draws' deviation is σ/√(2n); the seeds are fixed
		if sd := stat.StdDev(x, nil) / c.Encoder.InitialMeanStdDev; !(math.Abs(sd-1) <= 4/math.Sqrt(2*n)) {
			t.Errorf("draws %d deviate by %.3f of what is configured", i, sd)
		}
		for k, y := range fresh[:i] {
			if r := stat.Correlation(x, y, nil); !(math.Abs(r) <= 4/math.Sqrt(n)) {
				t.Errorf("draws %d and %d correlate by %.3f", k, i, r)
			}
		}
	}
}

func float64s(x []float32) []float64 {
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = float64(v)
	}
	return wide
}

// Fit keeps its batch from epoch to epoch, and drops it when the tables grow. Epochs before and after growing must equal the epochs
// of a learner that was restored in between.
func TestFitGoesOnAfterGrowing(t *testing.T) {
	for name, c := range map[string]learn.Config{"hash": hashed(phe.Point), "vocabulary": config(phe.Point)} {
		l := newLearner(t, sum(), c, learn.Options{})
		check(t, l.Fit(numbersTo(50), 1))
		check(t, l.Grow())
		other := newLearner(t, sum(), c, learn.Options{})
		check(t, other.Restore(snapshot(t, l)))
		for _, learner := range []learntest.Led{l, other} {
			check(t, learner.Fit(numbersTo(50), 2))
		}
		if !equalStates(snapshot(t, l), snapshot(t, other)) {
			t.Errorf("%s: the initial phase goes on otherwise after growing", name)
		}
	}
}
