package toy

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"gophe/notebooks/show"
	"gophe/phe/onepass"
)

// Logit is a Gaussian belief about one logit.
type Logit struct{ Mean, Variance float64 }

// Sigma returns the standard deviation.
func (l Logit) Sigma() float64 { return math.Sqrt(l.Variance) }

// Density returns the belief's density.
func (l Logit) Density(eta float64) float64 {
	return distuv.Normal{Mu: l.Mean, Sigma: l.Sigma()}.Prob(eta)
}

// Learn returns the belief after a row with a label, 0 or 1, by package onepass: N(μ + qa, q − q²m). A model of only a bias has
// the bias as its logit.
func (l Logit) Learn(pull onepass.Approximation, label float64) Logit {
	c := onepass.Paper(0, 1, 1) // no column, one number
	c.Approximation, c.Prior.Block = pull, l.Variance
	learner := show.Must(onepass.New(c))
	beliefs := learner.Beliefs()
	beliefs.Lists["block"][1] = l.Mean // after the weight of the number
	show.Check(learner.SetBeliefs(beliefs))
	row := onepass.Row{Numbers: []float64{0}}
	learner.Predict(&row)
	learner.Update(label, 1)
	f := learner.Predict(&row)
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
