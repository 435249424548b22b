package learn_test

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
)

// Algorithm 1 of Kingma and Ba in float64, with PyTorch's ε outside the corrected root.
func referenceAdam(theta float64, gradients []float64, rate float64) float64 {
	var m, v float64
	for i, g := range gradients {
		m = 0.9*m + 0.1*g
		v = 0.999*v + 0.001*g*g
		mHat := m / (1 - math.Pow(0.9, float64(i+1)))
		vHat := v / (1 - math.Pow(0.999, float64(i+1)))
		theta -= rate * mHat / (math.Sqrt(vHat) + 1e-8)
	}
	return theta
}

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
	got := nettest.Call(t, learntest.Backend(t), func(a []*Node) []*Node {
		parameters, moments := []*Node{a[0]}, []*Node{ZerosLike(a[0]), ZerosLike(a[0])}
		for i, g := range a[1:] {
			linear := learn.Objective{Loss: func(p []*Node) *Node { return ReduceAllSum(Mul(p[0], g)) }} // its gradient is g
			parameters, moments = learn.Adam(rate).Step(Const(g.Graph(), int32(i)), parameters, moments, linear)
		}
		return parameters
	}, args...)[0]
	for r := range 2 {
		for c := range 3 {
			var series []float64
			for _, g := range gradients {
				series = append(series, float64(g[r][c]))
			}
			want := referenceAdam(float64(start[r][c]), series, rate)
			// float32 rounds 1 − 0.999ᵗ to about 1e-5 of itself, so each of five moves of 0.01 is good to 1e-7.
			if !(math.Abs(float64(got[r*3+c])-want) <= 1e-6) {
				t.Errorf("entry %d, %d is %.8f, want %.8f", r, c, got[r*3+c], want)
			}
		}
	}
	if got[5] != 3 {
		t.Errorf("an entry without gradient moved from 3 to %g", got[5])
	}
}
