package lesson

import (
	"math"
	"testing"

	"gophe/figures/draw/drawtest"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
)

// Each assembly has its line of samples, whose heights are shares of samples over the width of a cell.
func TestAssemblies(t *testing.T) {
	config := phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, EmbeddingDim: 1, NumBuckets: 31, NumHashes: 3, NumWeights: 11,
		Hash: hash.CarterWegman, InitialLogStdDev: math.Log(0.3)}
	by := drawtest.BySeries(Assemblies(config, "education_Bachelors"))
	for _, assembly := range []phe.Assembly{phe.WeightedSum, phe.PlainSum, phe.Average, phe.Maximum, phe.Minimum} {
		filetest.True(t, len(by[assembly.String()]) >= 20, "%s has %d points", assembly, len(by[assembly.String()]))
	}
	x, heights := histogram([]float64{0.051, 0.052, 0.95, 7}, 0, 1)
	filetest.Near(t, x[0], 0.05, 1e-12, "cell")
	filetest.Near(t, heights[0], 5, 1e-12, "height")
	filetest.Near(t, heights[9], 2.5, 1e-12, "height")
}
