package onepass

import "math"

// Forecast is what a learner says of a row: its logits under the beliefs, and the law of its target.
type Forecast struct {
	Mean     float64   // of the target: a probability of class 1, a rate, or a number; of Softmax, none
	Variance float64   // of the target, with Gaussian and Poisson heads
	Classes  []float64 // [classes] probabilities; Bernoulli and Softmax. The learner's own until its next call
	Logit    float64   // μ of the first logit
	Spread   float64   // its standard deviation √Q: what is not known about the row
}

// Predict returns the law of a row's target, which goes with the learner's pull. It changes no belief. The row must fit
// (Check).
func (l *Learner) Predict(row *Row) Forecast { return l.forecast(l.read(row)) }

func (l *Learner) forecast(s *sums) Forecast {
	mu, q := s.mean[0], s.cov[0]
	f := Forecast{Logit: mu, Spread: math.Sqrt(max(q, 0))}
	switch l.config.Head {
	case Softmax:
		f.Classes = s.probabilities(l.config.Pull)
	case Poisson:
		f.Mean = math.Exp(min(mu, mostLogRate))
		if l.config.Pull == MacKay || l.config.Pull == Variational { // of a log-normal rate
			f.Mean = math.Exp(min(mu+q/2, mostLogRate))
			f.Variance = f.Mean * f.Mean * math.Expm1(min(q, mostLogRate))
		}
		f.Variance += f.Mean
	case Gaussian:
		f.Mean, f.Variance = mu, q+l.noise()
		if l.target != nil {
			f.Mean, f.Variance = l.target.forecast(f.Mean, f.Variance)
		}
	default:
		f.Mean = probability(l.config.Pull, mu, q)
		f.Classes = append(s.classes[:0], 1-f.Mean, f.Mean)
	}
	return f
}

// probability of class 1.
func probability(kind Pull, mu, q float64) float64 {
	switch kind {
	case MacKay:
		return sigmoid(damping(q) * mu)
	case Variational:
		p, sd := 0.0, math.Sqrt(q)
		for i, x := range nodes {
			p += nodeWeights[i] * sigmoid(mu+sd*x)
		}
		return p
	}
	return sigmoid(mu)
}

// probabilities returns those of softmax classes.
func (s *sums) probabilities(kind Pull) []float64 {
	for o := range s.outputs {
		s.pull[o] = s.damped(kind, o) * s.mean[o]
	}
	softmaxInto(s.classes, s.pull)
	return s.classes
}
