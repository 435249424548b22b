package phe_test

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/internal/nettest"

	"gophe/phe/disk/filetest"
)

func TestReduce(t *testing.T) {
	x := [][]float32{{-1, -200, 0}, {-3, -210, 0}, {-0.5, -190, -400}} // [samples, batch]
	weights := []float64{0.5, 0.2, 0.3}
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		return []*Node{
			phe.Expected.Reduce(a[0], nil), phe.Expected.Reduce(a[0], weights),
			phe.LogAverage.Reduce(a[0], nil), phe.LogAverage.Reduce(a[0], weights),
			phe.LogAverage.Reduce(Slice(a[0], AxisRange(0, 1)), nil),
		}
	}, x)
	for b := range 3 {
		var want [4]float64
		top := math.Inf(-1)
		for s := range x {
			top = max(top, float64(x[s][b]))
		}
		for s := range x {
			v := float64(x[s][b])
			want[0] += v / 3
			want[1] += v * weights[s]
			want[2] += math.Exp(v-top) / 3
			want[3] += math.Exp(v-top) * weights[s]
		}
		want[2], want[3] = top+math.Log(want[2]), top+math.Log(want[3])
		for i, name := range []string{"expected", "expected, weighted", "log-average", "log-average, weighted"} {
			nettest.Near(t, name, got[i][b], want[i], math.Abs(want[i]))
		}
		filetest.Want(t, got[4][b], x[0][b], "one sample")
	}
}

// The log of an average is no less than the average of logs (Jensen), and its gradient shares out by likelihood.
func TestLogMeanExpGradient(t *testing.T) {
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		return Gradient(ReduceAllSum(phe.LogAverage.Reduce(a[0], nil)), a[0])
	}, [][]float32{{-1, -300}, {-2, -100}})[0]
	share := 1 / (1 + math.Exp(-1))
	for i, want := range []float64{share, 0, 1 - share, 1} {
		nettest.Near(t, "gradient", got[i], want, 1)
	}
}

// By hand: run 0 has mean (−1−2)/2 over its unmasked rows, run 1 (−3−5)/2; −11·(−1.5−4) + 0.5·7.
func TestNegativeELBO(t *testing.T) {
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		return []*Node{phe.NegativeELBO(a[0], a[1], a[2], a[3], 0.5)}
	}, [][]float32{{-1, -2, -1000}, {-3, -5, 1000}}, [][]float32{{1, 1, 0}, {1, 1, 0}}, float32(11), float32(7))[0]
	nettest.Near(t, "negative ELBO", got[0], 64, 64)
}
