package phe_test

import (
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/internal/nettest"

	"gophe/phe/disk/filetest"
)

// Two runs stacked give the logits of two runs alone, under every scheme.
func TestStackedRunsEqualSingleRuns(t *testing.T) {
	const samples = 3
	first, second := newToy(phe.WeightedSum, 11), newToy(phe.WeightedSum, 12)
	keys := []uint32{5, 6}
	encoder := newEncoder(t, first.config)
	both := first // the second run's rows come after the first's
	both.items = 2 * first.items
	for _, row := range first.buckets {
		both.buckets = append(slices.Clip(both.buckets), row+7)
	}
	for _, row := range first.weights {
		both.weights = append(slices.Clip(both.weights), row+11)
	}
	stack := func(a, b []float32, dims ...int) any { return table(slices.Concat(a, b), dims...) }
	args := []any{keys, stack(first.eMean, second.eMean, 14, 5), stack(first.eLogStdDev, second.eLogStdDev, 14, 5),
		stack(first.wMean, second.wMean, 22, 3), stack(first.wLogStdDev, second.wLogStdDev, 22, 3),
		stack(first.head, second.head, 2, 2, 5), append(slices.Clone(first.base), second.base...)}
	for _, scheme := range []phe.Scheme{phe.Fresh, phe.Items, phe.Table, phe.Local, phe.Moments, phe.Quadrature} {
		together := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
			g, noise := a[0].Graph(), phe.Noise{Keys: a[0]}
			tables := phe.Tables{E: phe.FromLogStdDev(a[1], a[2]), W: phe.FromLogStdDev(a[3], a[4])}
			slots := both.slotsOf(g)
			var index [][]int32
			for run := range int32(2) {
				for _, row := range first.index2() {
					index = append(index, []int32{row[0] + run*5, row[1] + run*5})
				}
			}
			if scheme.NeedsLinearAssembly() {
				columns := Const(g, slices.Concat(first.columns, first.columns))
				return []*Node{encoder.Linear(tables, slots, columns, a[5], nil)(Const(g, index), a[6], scheme, samples, noise)}
			}
			e := encoder.Embed(tables, slots, Const(g, index), scheme, samples, noise)
			byRun := Reshape(e, samples, 2, 3, 2, 5)
			return []*Node{Add(Reshape(Einsum("snrcd,ncd->snr", byRun, a[5]), samples, 6), InsertAxes(a[6], 0))}
		}, args...)[0]
		for run, m := range []toy{first, second} {
			alone := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
				return []*Node{m.logits(t, a[1:], scheme, samples, phe.Noise{Keys: a[0]})}
			}, append([]any{keys[run : run+1]}, m.args()...)...)[0]
			for i, want := range alone {
				// The draws are equal; sums of 30 products may add in another order.
				filetest.Near(t, together[i/3*6+run*3+i%3], want, 1e-5, "%s: run %d, logit %d stacked, and alone", scheme, run, i)
			}
		}
	}
}

// trained lets the gradient through the chosen items only, and changes no value.
func TestLinearTrainedMask(t *testing.T) {
	m := newToy(phe.WeightedSum, 13)
	m.index = []int32{0, 2, 0, 2, 0, 2} // items 0 and 2 share no table row
	encoder := newEncoder(t, m.config)
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		g := a[0].Graph()
		var results []*Node
		for _, trained := range []*Node{nil, InsertAxes(Equal(Const(g, m.columns), Const(g, int32(1))), -1)} {
			linear := encoder.Linear(m.tablesOf(a), m.slotsOf(g), Const(g, m.columns), a[4], trained)
			logits := linear(a[2], a[3], phe.Quadrature, 1, phe.Noise{})
			results = append(results, logits)
			results = append(results, Gradient(ReduceAllSum(Square(logits)), a[0], a[1], a[5], a[6])...)
		}
		return results
	}, m.args()...)
	filetest.Want(t, got[0], got[5], "the logits without a mask, and with")
	sum := func(x []float32) (s float64) {
		for _, v := range x {
			s += math.Abs(float64(v))
		}
		return
	}
	for i, cut := range []int{3 * 5, 3 * 5, 1 * 3, 1 * 3} { // item 0 reads rows 0–2 of E and row 0 of W, item 2 what follows
		free, masked := got[1+i], got[6+i]
		filetest.True(t, sum(free[:cut]) != 0, "parameter %d: no gradient for the other column without a mask", i)
		filetest.Want(t, sum(masked[:cut]), 0, "parameter %d: masked gradient of the other column", i)
		filetest.True(t, sum(masked[cut:]) != 0, "parameter %d: no gradient for the trained column", i)
	}
}
