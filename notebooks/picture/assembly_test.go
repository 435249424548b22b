package picture

import (
	"math"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/hash"
)

// oneNumber returns a configuration with beliefs as wide as 0.3 and an embedding of one number.
func oneNumber(g phe.Assembly, hashes int) phe.Config {
	c := phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, EmbeddingDim: 1, NumBuckets: 31, NumHashes: hashes, Assembly: g,
		Hash: hash.CarterWegman, InitialLogStdDev: math.Log(0.3)}
	if g == phe.WeightedSum {
		c.NumWeights = 11
	}
	return c
}

// The library's samples follow the densities. The largest distance between the two distribution functions of n samples exceeds
// 2/√n once in 1,500 trials (Kolmogorov).
func TestDensities(t *testing.T) {
	const samples = 10_000
	for _, g := range assemblies {
		for _, hashes := range []int{1, 3} {
			found, drawn := embed(oneNumber(g, hashes), "education_Bachelors", samples)
			if len(found.E) != hashes || len(drawn) != samples {
				t.Fatalf("%s: %d rows and %d samples", g, len(found.E), len(drawn))
			}
			slices.Sort(drawn)
			density, below, far, at := found.density(g), 0.0, 0.0, 0
			const step = 0.002
			for x := -8.0; x < 8; x += step {
				below += density(x+step/2) * step
				for at < samples && drawn[at] <= x+step {
					at++
				}
				far = max(far, math.Abs(below-float64(at)/samples))
			}
			if !(far < 2/math.Sqrt(samples)) {
				t.Errorf("%s of %d rows: the distribution functions are %.4f apart", g, hashes, far)
			}
			if math.Abs(below-1) > 1e-3 {
				t.Errorf("%s of %d rows: the density integrates to %.5f", g, hashes, below)
			}
		}
	}
}
