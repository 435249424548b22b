package onepass

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// Head is the likelihood of a target given the logits.
type Head string

const (
	Bernoulli Head = "bernoulli" // two classes with one logit; targets 0 and 1
	Softmax   Head = "softmax"   // several classes with one logit each; targets 0, 1, …
	Poisson   Head = "poisson"   // a count with its log rate as the logit
	Gaussian  Head = "gaussian"  // a number with its mean as the logit
)

// Approximation is the way in which a row's label becomes a gradient and a curvature of the log evidence by the logits. Each has a
// matching prediction. A mixture loses accuracy: a linearised update, for example, is not calibrated for a prediction that averages.
type Approximation string

const (
	// MacKay averages the logistic function over the logit's belief: E σ(η) ≈ σ(κμ), κ = 1/√(1 + πq/8) (MacKay 1992). Its gradient
	// stays finite for wide beliefs. It predicts σ(κμ). Gaussian and Poisson heads match moments.
	MacKay Approximation = "mackay"
	// PlugIn linearises the likelihood at the mean, as an extended Kalman filter does, and predicts at the mean. For wide
	// beliefs it diverges: if the likelihood is flat at the mean, one row moves a logit by many standard deviations.
	PlugIn Approximation = "plug-in"
	// Laplace takes the mode of the logit's posterior, and predicts at the mean.
	Laplace Approximation = "laplace"
	// Variational takes the Gaussian with the highest evidence bound, by quadrature, and predicts the quadrature's mean. One
	// logit only.
	Variational Approximation = "variational"
)

// numNodes is the number of nodes of Gauss–Hermite quadrature for N(0, 1).
const numNodes = 20

var nodes, nodeWeights = hermite()

func hermite() (x, w [numNodes]float64) {
	quad.Hermite{}.FixedLocations(x[:], w[:], math.Inf(-1), math.Inf(1))
	for i := range x {
		x[i] *= math.Sqrt2
		w[i] /= math.SqrtPi
	}
	return x, w
}

func sigmoid(t float64) float64 {
	if t >= 0 {
		return 1 / (1 + math.Exp(-t))
	}
	e := math.Exp(t)
	return e / (1 + e)
}

// damping returns MacKay's κ of a logit of variance q.
func damping(q float64) float64 { return 1 / math.Sqrt(1+math.Pi*q/8) }

// bernoulli returns gradient and curvature of one logit N(mu, q) for a label y in {0, 1}. The posterior is N(mu + q·a, q − q²·m).
func bernoulli(kind Approximation, mu, q, y float64) (a, m float64) {
	switch kind {
	case MacKay: // derivatives of ln σ(κμ) by μ at fixed κ: q·m ≤ q κ²/4 < 2/π
		k := damping(q)
		p := sigmoid(k * mu)
		return k * (y - p), k * k * p * (1 - p)
	case PlugIn:
		return plugIn(sigmoid(mu), q, y)
	case Laplace:
		p := sigmoid(mode(mu, q, y))
		information := p * (1 - p)
		return y - p, information / (1 + q*information)
	}
	return variational(mu, q, y)
}

// plugIn returns gradient and curvature given the probability at the mean.
func plugIn(p, q, y float64) (a, m float64) {
	information := p * (1 - p)
	return (y - p) / (1 + q*information), information / (1 + q*information)
}

// mode solves η = μ + q(y − σ(η)).
func mode(mu, q, y float64) float64 {
	return balance(mu, q, y, mu, func(t float64) (mean, information float64) {
		p := sigmoid(t)
		return p, p * (1 - p)
	})
}

// balance solves t = μ + q(y − f(t)) for a rising f with values in [0, 1], by Newton's method inside a bracket. It halves the
// bracket if a step leaves it, or is more than half as long as the step before. For wide beliefs, Newton's method alone would
// oscillate for ever.
func balance(mu, q, y, start float64, f func(t float64) (value, slope float64)) float64 {
	low, high := mu+q*(y-1), mu+q*y
	t, before := min(max(start, low), high), high-low
	for range 200 {
		value, slope := f(t)
		rest := mu + q*(y-value) - t
		if rest > 0 {
			low = t
		} else {
			high = t
		}
		step := rest / (1 + q*slope)
		if next := t + step; !(low <= next && next <= high) || 2*math.Abs(step) > before {
			step = (low+high)/2 - t
		}
		t, before = t+step, math.Abs(step)
		if before < 1e-10*(1+math.Abs(t)) {
			break
		}
	}
	return t
}

// variational finds the Gaussian of the logit with the highest evidence bound. It alternates between the mean given the variance,
// by quadrature, and the variance given the mean.
func variational(mu, q, y float64) (a, m float64) {
	t := mode(mu, q, y)
	p := sigmoid(t)
	mean, information := p, p*(1-p)
	for range 50 {
		sd := math.Sqrt(q / (1 + q*information))
		next := balance(mu, q, y, t, func(t float64) (float64, float64) { return averaged(t, sd) })
		moved := math.Abs(next - t)
		t = next
		mean, information = averaged(t, sd)
		if moved < 1e-11*(1+math.Abs(t)) {
			break
		}
	}
	return y - mean, information / (1 + q*information)
}

// averaged returns the means of σ and of its slope over N(t, sd²).
func averaged(t, sd float64) (mean, slope float64) {
	for i, x := range nodes {
		p := sigmoid(t + sd*x)
		mean += nodeWeights[i] * p
		slope += nodeWeights[i] * p * (1 - p)
	}
	return mean, slope
}

// poisson returns gradient and curvature of a log rate N(mu, q) for a count y. The rate at the mode is W(q e^{mu + qy})/q, where W is
// Lambert's function. MacKay and Variational match the mean: they add half the posterior variance to the exponent.
func poisson(kind Approximation, mu, q, y float64) (a, m float64) {
	if kind == PlugIn {
		rate := math.Exp(min(mu, maxLogRate))
		return (y - rate) / (1 + q*rate), rate / (1 + q*rate)
	}
	q = max(q, 1e-12)
	rounds := 1
	if kind != Laplace {
		rounds = 20
	}
	rate, half := 0.0, 0.0
	for range rounds {
		rate = math.Exp(lambert(math.Log(q)+mu+q*y+half)) / q
		before := half
		half = 0.5 * q / (1 + q*rate)
		if math.Abs(half-before) < 1e-10 {
			break
		}
	}
	return y - rate, rate / (1 + q*rate)
}

// maxLogRate keeps the exponential of a log rate finite.
const maxLogRate = 80

// lambert solves v + e^v = z from the right, where Newton's method is monotone. e^v is W(e^z).
func lambert(z float64) float64 {
	v := z
	if z >= 1 {
		v = math.Log(z)
	}
	for range 50 {
		e := math.Exp(v)
		step := (v + e - z) / (1 + e)
		v -= step
		if math.Abs(step) < 1e-12 {
			break
		}
	}
	return v
}
