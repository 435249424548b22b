package learn_test

import (
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

func TestAdam(t *testing.T) {
	const rate = 0.01
	start := [][]float32{{1, -2, 0.5}, {0, 0.25, 3}}
	gradients := [][][]float32{ // a step each; the last column is hit once, the middle one is tiny, against ε
		{{3, 1e-7, 0}, {100, -1, 0}},
		{{-1, -2e-7, 0}, {0.01, -1, 0}},
		{{2, 1e-7, 5}, {-7, -1, 0}},
		{{0, 3e-8, 0}, {11, -1, 0}},
		{{1, 1e-7, 0}, {13, -1, 0}},
	}
	args := []any{start}
	for _, g := range gradients {
		args = append(args, g)
	}
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		parameters, moments := []*Node{a[0]}, []*Node{ZerosLike(a[0]), ZerosLike(a[0])}
		for i, g := range a[1:] {
			linear := func(p []*Node) *Node { return ReduceAllSum(Mul(p[0], g)) } // its gradient is g
			parameters, moments = learn.Adam(rate).Step(Const(g.Graph(), int32(i)), parameters, moments, linear)
		}
		return parameters
	}, args...)[0]
	want, step := [][]float64{{1, -2, 0.5, 0, 0.25, 3}}, nettest.Adam(rate)
	for _, g := range gradients {
		step(want, nettest.Converted[float64]([][]float32{slices.Concat(g...)}))
	}
	// float32 rounds 1 − 0.999ᵗ to about 1e-5 of itself, so each of five moves of 0.01 is good to 1e-7.
	nettest.Same(t, "parameters", nettest.Converted[float64]([][]float32{got}), want, 1e-6)
	filetest.Want(t, got[5], 3, "an entry without gradient")
}

// An epoch learns from every minibatch: row i's likelihood moves row i of the table and no other.
func TestEpochLearnsEveryMinibatch(t *testing.T) {
	l := newLearner(t, sum(), config(phe.Point), learn.Options{}) // batches of 16 rows
	before := l.State(t)
	rows := numbersTo(41)[1:] // two batches and a half
	filetest.Check(t, l.Fit(rows, 1))
	after := l.State(t)
	for row := range 2 * capacity {
		was, is := before.Parameters[0][2*row:2*row+2], after.Parameters[0][2*row:2*row+2]
		run, row := row/capacity, row%capacity
		filetest.Want(t, !slices.Equal(was, is), slices.Contains(rows, int32(row)), "run %d, row %d moved", run, row)
	}
}
