package lesson

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"gophe/notebooks/cell"
	"gophe/phe/onepass"
)

// Shared returns a learner of Supp. F's two items, which share a bucket, and a row of data with each: item 0 has buckets 0 and 1, item 1
// has buckets 1 and 2. An item's embedding is the sum of one number from each bucket, and the logit is θ (E_a + E_b) + β. All five
// numbers are beliefs.
func Shared() (learner *onepass.Model, items [2]*onepass.Row) {
	c := onepass.Paper(1, 0, 1)
	c.Dim, c.Buckets, c.Hashes = 1, 3, 2
	c.Assembly, c.WeightRows = onepass.SignedSum, 0 // no cell sets a sign: a plain sum
	c.Prior = onepass.Prior{E: 1, Theta: 0.5, Block: 0.25}
	for item := range items {
		items[item] = row(int32(item), int32(item)+1)
	}
	return learnerOf(c, []float64{0.5, -0.2, 0.3}, 0.8, 0), items
}

// learnerOf returns a learner whose beliefs about E, a weight θ and the bias begin at some means. The rows of E that have none begin at 0.
func learnerOf(c onepass.Config, e []float64, theta, bias float64) *onepass.Model {
	learner := cell.Must(onepass.New(c))
	beliefs := learner.Beliefs()
	clear(beliefs.Tables["E"].Mean)
	copy(beliefs.Tables["E"].Mean, e)
	beliefs.Tables["theta"].Mean[0], beliefs.Lists["block"][0] = theta, bias
	cell.Check(learner.SetBeliefs(beliefs))
	return learner
}

// row returns a row of data with one item, which has some buckets.
func row(buckets ...int32) *onepass.Row {
	r := &onepass.Row{}
	r.Add(onepass.Cell{Share: 1}, buckets...)
	return r
}

// Held returns the beliefs of a learner of Shared: their names, means and variances.
func Held(learner *onepass.Model) (names []string, mean, variance []float64) {
	b := learner.Beliefs()
	return []string{"E₀", "E₁", "E₂", "θ", "β"}, slices.Concat(b.Tables["E"].Mean, b.Tables["theta"].Mean, b.Lists["block"]),
		slices.Concat(b.Tables["E"].Variance, b.Tables["theta"].Variance, b.Lists["block covariance"])
}

// Turned returns the forecasts of class 1 for an item that changes its meaning: it is of class 1 in nine of ten rows before, and in one of
// ten from then on. There is one forecast before each of 301 rows after the change. The item has a logit of its own, N(0, 4) before any
// row, which keeps the share gamma of its precision before each row.
func Turned(rowsBefore int, gamma float64) (forecasts []float64) {
	learner, item := Logit{Variance: 4}.learner(gamma, onepass.MacKay), row(0)
	for i := range rowsBefore + 301 {
		if i >= rowsBefore {
			forecasts = append(forecasts, learner.Predict(item).Mean)
		}
		isRare, label := i%10 == 9, 1.0
		if isRare == (i < rowsBefore) {
			label = 0
		}
		learner.Predict(item)
		learner.Update(label, 1)
	}
	return forecasts
}

// learner returns a learner of one item with a logit of its own, of which the belief is l. It keeps the share gamma of its precision
// before each row.
func (l Logit) learner(gamma float64, pull onepass.Approximation) *onepass.Model {
	c := onepass.Paper(1, 0, 1)
	c.Dim, c.Buckets, c.Hashes, c.Assembly, c.WeightRows = 1, 1, 1, onepass.Mean, 0
	c.Prior, c.Gamma, c.Approximation = onepass.Prior{E: l.Variance}, gamma, pull // θ = 1 and the bias 0 are certain
	return learnerOf(c, []float64{l.Mean}, 1, 0)
}

// Logit is a Gaussian belief about one logit.
type Logit struct{ Mean, Variance float64 }

// Sigma returns the standard deviation.
func (l Logit) Sigma() float64 { return math.Sqrt(l.Variance) }

// Density returns the belief's density.
func (l Logit) Density(eta float64) float64 {
	return distuv.Normal{Mu: l.Mean, Sigma: l.Sigma()}.Prob(eta)
}

// Learn returns the belief after a row with a label, 0 or 1, by package onepass: N(μ + qa, q − q²m).
func (l Logit) Learn(pull onepass.Approximation, label float64) Logit {
	learner, item := l.learner(1, pull), row(0)
	learner.Predict(item)
	learner.Update(label, 1)
	f := learner.Predict(item)
	return Logit{f.Logit, f.Spread * f.Spread}
}

// Exact returns the density of Bayes' posterior after a label, 0 or 1, and the Gaussian with its mean and variance. The posterior
// itself is no Gaussian: p(η | y) = N(η; μ, q) σ(η)^y (1 − σ(η))^(1−y) / p(y).
func (l Logit) Exact(label float64) (density func(eta float64) float64, moments Logit) {
	joint := func(eta float64) float64 { return l.Density(eta) / (1 + math.Exp(-(2*label-1)*eta)) }
	evidence := l.integrate(joint)
	density = func(eta float64) float64 { return joint(eta) / evidence }
	mean := l.integrate(func(eta float64) float64 { return density(eta) * eta })
	variance := l.integrate(func(eta float64) float64 { return density(eta) * ((eta - mean) * (eta - mean)) })
	return density, Logit{mean, variance}
}

// integrate returns the integral of f. The sum of equal steps is exact to rounding, if f is smooth and vanishes twelve standard deviations
// to each side of the belief.
func (l Logit) integrate(f func(eta float64) float64) (sum float64) {
	const ends, steps = 12, 4000
	step := 2 * ends * l.Sigma() / steps
	for i := range steps + 1 {
		sum += step * f(l.Mean-ends*l.Sigma()+float64(i)*step)
	}
	return sum
}
