package phe_test

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat/distuv"

	"gophe/phe"
	"gophe/phe/internal/nettest"

	"gophe/phe/disk/filetest"
)

// The quantile is the one place where a wrong coefficient would hide in every result.
func TestNormalQuantile(t *testing.T) {
	const last = 1 - 1.0/(1<<24) // the largest that 24 bits give
	x := []float32{-last, last, -0.999999, 0.9999, 1.0 / (1 << 24), -0.5, 0.975*2 - 1, 0.99, 0.9966, 0.9967}
	for i := -499; i < 500; i += 2 {
		x = append(x, float32(i)/500)
	}
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node { return []*Node{MulScalar(phe.InverseErf(a[0]), math.Sqrt2)} }, x)[0]
	for i, v := range x {
		want := distuv.UnitNormal.Quantile((float64(v) + 1) / 2)
		// Giles states 3.5e-7 relative in single precision; the log and the product (1−x)(1+x) round too.
		filetest.Near(t, float64(got[i]), want, 2e-6*math.Abs(want)+1e-13, "quantile of %.9g", v)
	}
	filetest.Near(t, got[6], 1.959964, 1e-5, "the 97.5 %% point")
}

// The quadrature integrates polynomials up to degree 39 under N(0, 1): (2n−1)!! for even powers.
func TestHermiteMoments(t *testing.T) {
	nodes, weights := phe.Hermite()
	for power, want := range map[int]float64{0: 1, 1: 0, 2: 1, 3: 0, 4: 3, 6: 15, 8: 105} {
		got := 0.0
		for i, w := range weights {
			got += w * math.Pow(float64(nodes[i]), float64(power))
		}
		filetest.Near(t, got, want, 1e-6*max(1, want), "moment %d", power) // the nodes are float32
	}
}
