package onepass

import "math"

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
)

func sigmoid(t float64) float64 {
	if t >= 0 {
		return 1 / (1 + math.Exp(-t))
	}
	e := math.Exp(t)
	return e / (1 + e)
}

// damping returns MacKay's κ of a logit of variance q.
func damping(q float64) float64 { return 1 / math.Sqrt(1+math.Pi*q/8) }

// bernoulli returns gradient and curvature of one logit N(mu, q) for a label y in {0, 1}. The posterior is N(mu + q·a, q − q²·m). They are
// the derivatives of ln σ(κμ) by μ at fixed κ: q·m ≤ q κ²/4 < 2/π.
func bernoulli(mu, q, y float64) (a, m float64) {
	k := damping(q)
	p := sigmoid(k * mu)
	return k * (y - p), k * k * p * (1 - p)
}

// plugIn returns gradient and curvature given the probability at the mean.
func plugIn(p, q, y float64) (a, m float64) {
	information := p * (1 - p)
	return (y - p) / (1 + q*information), information / (1 + q*information)
}

// poisson returns gradient and curvature of a log rate N(mu, q) for a count y. The rate at the mode is W(q e^{mu + qy})/q, where W is
// Lambert's function. MacKay matches the mean: it adds half the posterior variance to the exponent.
func poisson(kind Approximation, mu, q, y float64) (a, m float64) {
	if kind == PlugIn {
		rate := math.Exp(min(mu, maxLogRate))
		return (y - rate) / (1 + q*rate), rate / (1 + q*rate)
	}
	q = max(q, 1e-12)
	rate, half := 0.0, 0.0
	for range 20 {
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
