package phe_test

import (
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"gophe/phe"
	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn/backend"
)

// draw gives the normals of keys at a step, for one use.
func draw(t *testing.T, keys []uint32, step, use uint32, samples, rows int, rest ...int) []float32 {
	t.Helper()
	return nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		return []*Node{phe.Noise{Keys: a[0]}.At(a[1]).Normal(use, samples, rows, rest...)}
	}, keys, step)[0]
}

func TestNormalIsNormal(t *testing.T) {
	x := belief.Converted[float64](draw(t, []uint32{phe.NoiseKey(0, "test")}, 3, 1, 1009, 7, 11, 13))
	n := float64(len(x)) // 1,010,009
	slices.Sort(x)
	filetest.True(t, x[0] >= -6 && x[len(x)-1] <= 6, "extremes are %g and %g", x[0], x[len(x)-1]) // 24 bits reach 5.42
	// Five standard errors of each moment; the key fixes the numbers, so no run differs.
	mean, variance := stat.MeanVariance(x, nil)
	for _, c := range []struct {
		name            string
		got, want, sErr float64
	}{
		{"mean", mean, 0, 1 / math.Sqrt(n)},
		{"variance", variance, 1, math.Sqrt(2 / n)},
		{"skewness", stat.Skew(x, nil), 0, math.Sqrt(6 / n)},
		{"excess kurtosis", stat.ExKurtosis(x, nil), 0, math.Sqrt(24 / n)},
	} {
		filetest.Near(t, c.got, c.want, 5*c.sErr, "%s", c.name)
	}
	distance := 0.0
	for i, v := range x {
		f := distuv.UnitNormal.CDF(v)
		distance = max(distance, f-float64(i)/n, float64(i+1)/n-f)
	}
	filetest.Near(t, distance, 0, 1.95/math.Sqrt(n), "Kolmogorov–Smirnov distance") // his 0.1 %% point
}

// referenceNoise is the generator in plain Go: the counter, Wellons' lowbias32 and gonum's quantile.
func referenceNoise(key, step, use uint32, at int) (uniform, normal float64) {
	mix := func(x uint32) uint32 {
		x ^= x >> 16
		x *= 0x7feb352d
		x ^= x >> 15
		x *= 0x846ca68b
		return x ^ x>>16
	}
	key = mix(key + mix(step+0x9e3779b9))
	key = mix(key ^ (use*0x85ebca6b + 1))
	bits := mix(mix(uint32(at)^key) + key)
	uniform = float64(2*int32(bits>>8)+1)/(1<<24) - 1
	return uniform, distuv.UnitNormal.Quantile((uniform + 1) / 2)
}

func TestNoiseAgainstPlainGo(t *testing.T) {
	const samples, rows, rest = 3, 10, 7 // two runs of 5 rows
	keys := []uint32{phe.NoiseKey(5, "one"), 0xffffffff}
	for _, step := range []uint32{0, 1, 0xfffffff0} {
		got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
			n := phe.Noise{Keys: a[0]}.At(a[1])
			return []*Node{n.Uniform(2, samples, rows, rest), n.Normal(101, samples, rows, rest)}
		}, keys, step)
		for i := range got[0] {
			s, r, at := i/(rows*rest), i/(rest*rows/2)%2, i%(rest*rows/2)
			u, _ := referenceNoise(keys[r], step, 2, s*rest*rows/2+at)
			_, z := referenceNoise(keys[r], step, 101, s*rest*rows/2+at)
			filetest.Want(t, float64(got[0][i]), u, "step %d: uniform %d", step, i)
			// The tolerance is the quantile's single precision.
			filetest.Near(t, float64(got[1][i]), z, 2e-6*max(1, math.Abs(z)), "step %d: normal %d", step, i)
		}
	}
}

// Golden: measured here when the generator was written. They may change only with a note in the results' manifest.
func TestNoiseGolden(t *testing.T) {
	filetest.Want(t, phe.NoiseKey(0, "golden"), goldenKey, "NoiseKey(0, golden)")
	for i, v := range draw(t, []uint32{goldenKey}, 0, 1, 1, 5) {
		filetest.Near(t, v, goldenNormals[i], 2e-6, "normal %d", i)
	}
}

const goldenKey = 0x90987ca

var goldenNormals = [5]float32{0.781862974, 1.16951346, 1.40335488, 1.26342714, 0.695588946}

// A run draws the same bits whichever runs share the program.
func TestNoiseAloneOrBeside(t *testing.T) {
	keys := []uint32{11, 22, 33}
	const samples, rows, rest = 5, 7, 3
	together := draw(t, keys, 4, 2, samples, 3*rows, rest)
	for r, key := range keys {
		alone := draw(t, []uint32{key}, 4, 2, samples, rows, rest)
		for s := range samples {
			from := (s*3 + r) * rows * rest
			filetest.Want(t, together[from:from+rows*rest], alone[s*rows*rest:(s+1)*rows*rest], "draws of run %d in company", r)
		}
	}
}

// Different uses, steps, seeds, purposes and neighbouring keys share nothing: correlation within five standard errors.
func TestNoiseUncorrelated(t *testing.T) {
	const n = 100003
	key := phe.NoiseKey(0, "a")
	base := belief.Converted[float64](draw(t, []uint32{key}, 0, 1, 1, n))
	for name, other := range map[string][]float32{
		"use":              draw(t, []uint32{key}, 0, 2, 1, n),
		"step":             draw(t, []uint32{key}, 1, 1, 1, n),
		"seed":             draw(t, []uint32{phe.NoiseKey(1, "a")}, 0, 1, 1, n),
		"purpose":          draw(t, []uint32{phe.NoiseKey(0, "b")}, 0, 1, 1, n),
		"neighbouring key": draw(t, []uint32{key + 1}, 0, 1, 1, n),
	} {
		x := belief.Converted[float64](other)
		for lag := range 3 {
			filetest.Near(t, stat.Correlation(base[lag:], x[:n-lag], nil), 0, 5/math.Sqrt(n), "correlation with another %s at lag %d",
				name, lag)
		}
		slices.Sort(x)
		sorted := slices.Sorted(slices.Values(base))
		filetest.True(t, !slices.Equal(sorted, x), "another %s draws a permutation of the same numbers", name)
	}
	for lag := 1; lag < 5; lag++ {
		filetest.Near(t, stat.Correlation(base[lag:], base[:n-lag], nil), 0, 5/math.Sqrt(n), "autocorrelation at lag %d", lag)
	}
}

// The integers are equal bit for bit, the normals to the rounding of a logarithm.
func TestNoiseEqualOnBackends(t *testing.T) {
	if _, err := backend.Plugin(backend.XLACPU); err != nil {
		t.Skip(err)
	}
	var got [2][][]float32
	for i, name := range []string{backend.Go, backend.XLACPU} {
		b := filetest.Must(backend.Open(name))(t)
		got[i] = nettest.Call(t, b, func(a []*Node) []*Node {
			n := phe.Noise{Keys: a[0]}
			return []*Node{n.Uniform(1, 101, 6, 7), n.Normal(1, 101, 6, 7)}
		}, []uint32{1, 2})
	}
	filetest.Want(t, got[0][0], got[1][0], "uniforms, whose integer hash must be exact")
	for i, v := range got[0][1] {
		// One logarithm apart: some last places of float32.
		filetest.Near(t, v, got[1][1][i], 2e-6*max(1, math.Abs(float64(v))), "normal %d on Go, and on XLA", i)
	}
}

// The quantile is the one place where a wrong coefficient would hide in every result.
func TestNormalQuantile(t *testing.T) {
	const last = 1 - 1.0/(1<<24) // the largest that 24 bits give
	x := []float32{-last, last, -0.999999, 0.9999, 1.0 / (1 << 24), -0.5, 0.975*2 - 1, 0.99, 0.9966, 0.9967}
	for i := -499; i < 500; i += 2 {
		x = append(x, float32(i)/500)
	}
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node { return []*Node{MulScalar(phe.InverseErf(a[0]), math.Sqrt2)} },
		x)[0]
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
