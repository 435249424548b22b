package toy

import (
	"slices"

	"gophe/phe/onepass"
)

// SharedNames names the beliefs of Shared, in the order of Held.
var SharedNames = []string{"E₀", "E₁", "E₂", "θ", "β"}

// Shared returns a learner of Supp. F's two items, which share a bucket: item 0 has buckets 0 and 1, item 1 has buckets 1 and 2. An
// item's embedding is the sum of one number from each bucket, and the logit is θ (E_a + E_b) + β. All five numbers are beliefs.
func Shared() *onepass.Model {
	c := onepass.Paper(1, 0, 1)
	c.Dim, c.Buckets, c.Hashes = 1, 3, 2
	c.Assembly, c.WeightRows = onepass.SignedSum, 0 // no cell sets a sign: a plain sum
	c.Prior = onepass.Prior{E: 1, Theta: 0.5, Block: 0.25}
	learner := must(onepass.New(c))
	beliefs := learner.Beliefs()
	copy(beliefs.Tables["E"].Mean, []float64{0.5, -0.2, 0.3})
	copy(beliefs.Tables["theta"].Mean, []float64{0.8})
	check(learner.SetBeliefs(beliefs))
	return learner
}

// SharedItem returns a row with one of the two items.
func SharedItem(item int32) *onepass.Row {
	return &onepass.Row{Cells: []onepass.Cell{{Share: 1, Buckets: []int32{item, item + 1}}}}
}

// Held returns the means and variances of a learner of Shared.
func Held(learner *onepass.Model) (mean, variance []float64) {
	b := learner.Beliefs()
	return slices.Concat(b.Tables["E"].Mean, b.Tables["theta"].Mean, b.Lists["block"]),
		slices.Concat(b.Tables["E"].Variance, b.Tables["theta"].Variance, b.Lists["block covariance"])
}

// OneItem returns a learner of one item with a logit of its own, N(0, variance) before any row. It keeps the share gamma of its
// precision before each row.
func OneItem(variance, gamma float64) *onepass.Model {
	c := onepass.Paper(1, 0, 1)
	c.Dim, c.Buckets, c.Hashes, c.Assembly, c.WeightRows = 1, 1, 1, onepass.Mean, 0
	c.Prior, c.Gamma = onepass.Prior{E: variance}, gamma // θ = 1 and the bias 0 are certain
	learner := must(onepass.New(c))
	beliefs := learner.Beliefs()
	beliefs.Tables["E"].Mean[0], beliefs.Tables["theta"].Mean[0] = 0, 1
	check(learner.SetBeliefs(beliefs))
	return learner
}

// TheItem returns a row with the item of OneItem.
func TheItem() *onepass.Row {
	return &onepass.Row{Cells: []onepass.Cell{{Share: 1, Buckets: []int32{0}}}}
}
