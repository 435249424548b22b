package learn_test

import (
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
)

// telltale pulls every coordinate of an item in the direction of one normal of the step's noise, for any size of batch. The first
// step of a fresh Adam then shows the signs of the normals.
func telltale() learn.Network {
	n := judged(func(p learn.Pass) learn.Outputs {
		x := Reshape(p.Embed(Reshape(p.Index, p.Runs*p.Records, 1)), p.Runs, p.Records, telltaleDim)
		direction := Reshape(p.Noise.Normal(20, 1, p.Runs, telltaleDim), p.Runs, 1, telltaleDim)
		sum := ReduceSum(Mul(x, BroadcastToDims(direction, p.Runs, p.Records, telltaleDim)), -1)
		return learn.Outputs{Parameters: Reshape(sum, 1, -1, 1), Targets: Reshape(p.Targets, -1)}
	})
	n.Likelihood.LogProb = func(outputs, _ *Node) *Node { return Squeeze(outputs, -1) }
	return n
}

const telltaleDim = 40

// telling is a learner of the telltale; direction tells the noise of an update by its first run.
func telling(t *testing.T) (direction func(counts learn.Counts, records int) string, counts func() learn.Counts) {
	c := config(phe.Point)
	c.Encoder.EmbeddingDim, c.BatchSize = telltaleDim, 1024
	l := newLearner(t, telltale(), c, learn.Options{})
	filetest.Check(t, l.Update([]int32{0}, 1)) // gives items their rows
	start := l.State(t)
	return func(counts learn.Counts, records int) string {
		t.Helper()
		start.Counts = counts
		filetest.Check(t, l.Restore(start))
		filetest.Check(t, l.Update(slices.Repeat([]int32{7}, records), 1))
		s, signs := l.State(t), ""
		for d := range telltaleDim {
			if at := 7*telltaleDim + d; s.Parameters[0][at] > start.Parameters[0][at] {
				signs += "+"
			} else {
				signs += "-"
			}
		}
		return signs
	}, func() learn.Counts { return l.Counts() }
}

// No two steps of a stream's updates share noise, for any sizes of the days, and also after 2³² steps. An update that is repeated
// is the same.
func TestUpdatesShareNoNoise(t *testing.T) {
	direction, counts := telling(t)
	seen := map[string]int{}
	now := learn.Counts{}
	for update := range 8 {
		if update == 4 {
			now.UpdateSteps, now.Updates = 1<<32-1, 1<<32
		}
		records := []int{1, 70}[update%2]
		signs := direction(now, records)
		filetest.Want(t, direction(now, records), signs, "the noise of update %d, taken again", update)
		before, ok := seen[signs]
		filetest.True(t, !ok, "update %d draws the noise of update %d", update, before)
		seen[signs] = update
		now = counts()
	}
}

// Predict draws other noise after each update, also for rows that the update did not touch. Two equal calls give equal answers.
func TestPredictDrawsAnew(t *testing.T) {
	l := newLearner(t, sum(), config(phe.Posterior), learn.Options{})
	predicted := func() []float32 { return filetest.Must(l.Learner.Predict(l.All.Take([]int32{5})))(t).Values }
	first := predicted()
	filetest.Want(t, predicted(), first, "a prediction, asked twice")
	filetest.Check(t, l.Update([]int32{7}, 1))
	filetest.True(t, !slices.Equal(first, predicted()),
		"a prediction after an update of another item draws the same noise")
}

// No two predictions of a stream share noise, nor two of their blocks, also after 2²⁰ updates.
func TestPredictionsShareNoNoise(t *testing.T) {
	c := config(phe.Posterior)
	l := newLearner(t, sum(), c, learn.Options{})
	const block = 2048
	seen := map[float32]string{}
	see := func(v float32, what string) {
		before, ok := seen[v]
		filetest.True(t, !ok, "%s draws the noise of %s", what, before)
		seen[v] = what
	}
	p := l.Predict(t, slices.Repeat([]int32{5}, block+1), 0)
	see(p[0], "block 0 of draw 0")
	see(p[block], "block 1 of draw 0")
	for _, draw := range []int{1, 1 << 20, 1<<20 + 1, 1 << 32, 1 << 40} {
		p := l.Predict(t, []int32{5}, draw)
		see(p[0], "a later draw")
	}
}

// weighted has two arrays of θ of one shape, and another limit each.
func weighted() learn.Network {
	n := sum()
	for _, limit := range limits {
		n.Weights = append(n.Weights, learn.Weight{Name: "weights", Dims: []int{29, 31}, Limit: limit})
	}
	return n
}

var limits = []float64{0.5, 0.25}

// θ begins uniform on ±Limit, from draws of its own for each array and run.
func TestWeights(t *testing.T) {
	c := config(phe.Point)
	c.Encoder.EmbeddingDim = 31
	s := newLearner(t, weighted(), c, learn.Options{}).State(t)
	const n = 29 * 31
	var drawn [][]float64 // of each array and run, in units of the limit
	for i, limit := range limits {
		for run := range 2 {
			var x []float64
			for _, v := range s.Parameters[1+i][run*n : (run+1)*n] {
				x = append(x, float64(v)/limit)
			}
			// The deviation of n uniform draws on ±1 is 1/√3, with a standard error of 1/√(15n); the seeds are fixed.
			filetest.True(t, slices.Min(x) >= -1 && slices.Max(x) <= 1, "array %d, run %d: from %.3f to %.3f", i, run, slices.Min(x),
				slices.Max(x))
			filetest.Near(t, stat.StdDev(x, nil), 1/math.Sqrt(3), 4/math.Sqrt(15*n), "array %d, run %d: the deviation", i, run)
			drawn = append(drawn, x)
		}
	}
	for i, a := range drawn {
		for k, b := range drawn[:i] {
			filetest.Near(t, stat.Correlation(a, b, nil), 0, 4/math.Sqrt(n), "correlation of draws %d and %d", k, i)
		}
	}
}
