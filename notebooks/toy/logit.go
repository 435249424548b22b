package toy

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

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
	learner := must(onepass.New(c))
	beliefs := learner.Beliefs()
	beliefs.Lists["block"][1] = l.Mean // after the weight of the number
	check(learner.SetBeliefs(beliefs))
	row := onepass.Row{Numbers: []float64{0}}
	learner.Learn(&row, label)
	f := learner.Predict(&row)
	return Logit{f.Logit, f.Spread * f.Spread}
}

// Posterior is the exact belief about a logit after a row with a label. It is no Gaussian.
type Posterior struct {
	Prior    Logit
	Label    float64
	evidence float64 // probability of the label under the prior
}

// Exact returns Bayes' posterior after a label, 0 or 1.
func (l Logit) Exact(label float64) Posterior {
	p := Posterior{l, label, 1}
	p.evidence = p.integrate(func(float64) float64 { return 1 })
	return p
}

// Density returns p(η | y) = N(η; μ, q) σ(η)^y (1 − σ(η))^(1−y) / p(y).
func (p Posterior) Density(eta float64) float64 {
	sign := 2*p.Label - 1
	return p.Prior.Density(eta) / (1 + math.Exp(-sign*eta)) / p.evidence
}

// Moments returns the Gaussian with the posterior's mean and variance.
func (p Posterior) Moments() Logit {
	mean := p.integrate(func(eta float64) float64 { return eta })
	return Logit{mean, p.integrate(func(eta float64) float64 { return (eta - mean) * (eta - mean) })}
}

// integrate returns the posterior's mean of f. The sum of equal steps is exact to rounding, because the integrand is smooth and
// vanishes at both ends.
func (p Posterior) integrate(f func(eta float64) float64) (sum float64) {
	const ends, steps = 12, 4000 // standard deviations to each side
	step := 2 * ends * p.Prior.Sigma() / steps
	for i := range steps + 1 {
		eta := p.Prior.Mean - ends*p.Prior.Sigma() + float64(i)*step
		sum += step * p.Density(eta) * f(eta)
	}
	return sum
}
