package picture

import (
	"math"
	"testing"

	"gophe/figures/draw/drawtest"
	"gophe/notebooks/play"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
)

// educations are the first ten educations of Adult.
var educations = []string{"education_Bachelors", "education_HS-grad", "education_11th", "education_Masters", "education_9th",
	"education_Some-college", "education_Assoc-acdm", "education_7th-8th", "education_Doctorate", "education_Assoc-voc"}

// The typed item's rows light up: the same rows as in phe's ExampleEncoder_Items. A larger table has fewer collisions.
func TestLookup(t *testing.T) {
	draw, at := Lookup(educations), play.NewPosition(play.Text("item", "education_Wizardry"),
		play.Slider("B", 2, 64, 1, 7), play.Slider("K", 1, 4, 1, 3))
	small := draw(at)
	marks := drawtest.ByText(small)
	filetest.Want(t, len(marks), 3+26, "marks; two dots of an item in one row have the same text")
	has(t, marks, "hash 1, 2: h₁ of the item", "hash 2, 4: h₂ of the item", "hash 3, 2: h₃ of the item",
		"2: education_Bachelors", "0: education_Bachelors")
	filetest.WantWords(t, small.Caption, "The item has rows [2 4 2] of E. Known items with some of them: 6 of 10. With all of them: 0.",
		"1/B = 0.1429. In all K: 1/Bᴷ = 0.002915")
	large := draw(at.With("B", 61).With("K", 1))
	filetest.Want(t, len(drawtest.ByText(large)), 11, "marks of the large table")
	filetest.WantWords(t, large.Caption, "In all K: 1/Bᴷ = 0.01639", "rows [38] of E. Known items with some of them: 1 of 10.")
	known := draw(at.With("item", "education_Masters"))
	filetest.WantWords(t, known.Caption, "With all of them: 1.")
}

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
