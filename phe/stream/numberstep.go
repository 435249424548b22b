package stream

import (
	"math"

	"gophe/phe/belief"
)

// numberStep is the last step for numbers:
//
//	ŷ = u + d wᵀx
//
// u and d are mean and standard deviation of the targets so far. The inputs x are the forecasts of the experts and of the mixture, a
// constant, the labels that came last and the errors that came last, all in deviations d from u. It waits for the target's scale: before
// that, all models forecast the base rate.
type numberStep struct {
	joint           // inputs [experts, mixture, 1, recent labels, recent errors, u, d]
	state []float64 // number of rows, and the variance of the error in units of d²
	scale *scale
}

const (
	minDeviation = 0.1  // least d, relative to the scale of the first numbers
	noisePace    = 1e-3 // least rate of the running mean of squared errors
	noiseFirst   = 20   // rows that the first variance of the error counts as
	minNoise     = 1e-6
)

func newNumberStep(experts int, in *scale, without Ablation) *numberStep {
	n := experts + 2 + 2*len(windows)
	return &numberStep{joint{newRegression(n, experts, without), newRecent(1, 0), make([]float64, n+2), without}, []float64{0, 1}, in}
}

// forecast stays near the models: at most one d below the lowest forecast or above the highest.
func (s *numberStep) forecast(p *predictions) {
	if !s.scale.known() {
		return
	}
	mixed, experts := &p.Main, p.Experts
	u, d := p.BaseRate.Mean, max(math.Sqrt(p.BaseRate.Variance), minDeviation*s.scale.Spread)
	low, high := mixed.Mean, mixed.Mean
	for i, e := range experts {
		s.x[i] = (e.Mean - u) / d
		low, high = min(low, e.Mean), max(high, e.Mean)
	}
	n := len(experts)
	s.x[n], s.x[n+1] = (mixed.Mean-u)/d, 1
	last := s.x[n+2:]
	for i := 0; i < len(windows) && !s.without.Recent; i++ {
		if last[i] = 0; s.state[0] > 0 {
			last[i] = p.fresh * ((s.recent.labels[i] - u) / d)
		}
		last[len(windows)+i] = p.fresh * s.recent.forecasts[i]
	}
	copy(last[2*len(windows):], []float64{u, d})
	sum, _ := s.sum(s.x[:len(s.mean)])
	mixed.Mean, mixed.Inputs = min(max(u+d*sum, low-d), high+d), s.x
}

// learn takes a step of Bayesian linear regression. An error of more than maxError deviations counts as these.
func (s *numberStep) learn(inputs []float64, _ int64, y, weight, share float64) {
	if len(inputs) == 0 {
		return // the scale was not known
	}
	n := len(s.mean)
	u, d := inputs[n], inputs[n+1]
	mean, variance := s.again(inputs[:n])
	rows, noise := &s.state[0], &s.state[1]
	total := variance + *noise/(weight*share)
	most := maxError * math.Sqrt(total)
	e := max(-most, min(most, (y-u)/d-mean))
	s.move(e/total, 1/total)
	s.recent.learn(0, u+max(-maxError*d, min(maxError*d, y-u)), e, weight, 1/(*rows+1))
	*rows++
	*noise += max(1/(*rows+noiseFirst), noisePace) * (max(e*e, minNoise) - *noise)
}

func (s *numberStep) parts() []belief.Part {
	return append(s.joint.parts(), belief.List("last step rows and noise", s.state))
}
