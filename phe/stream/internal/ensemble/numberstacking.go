package ensemble

import (
	"math"

	"gophe/phe/belief"
)

// numberStacking is the stacking of numbers:
//
//	ŷ = u + d wᵀx
//
// u and d are mean and standard deviation of the targets so far. The inputs x are the forecasts of the experts and of the mixture, a
// constant, the labels that came last and the errors that came last, all in deviations d from u. It waits for the target's scale: before
// that, all models forecast the base rate. The inputs that it keeps are [experts, mixture, 1, recent labels, recent errors, u, d].
type numberStacking struct {
	stacking
	state []float64 // number of rows, and the variance of the error in units of d²
}

const (
	minDeviation = 0.1  // least d, relative to the scale of the first numbers
	noisePace    = 1e-3 // least rate of the running mean of squared errors
	noiseFirst   = 20   // rows that the first variance of the error counts as
	minNoise     = 1e-6
	someNoise    = 1e-3 // of less noise, a weight regains less variance: it remembers about √(noise/gain) rows, 40 or more
)

// Forecast stays near the models: at most one d below the lowest forecast or above the highest.
func (s *numberStacking) Forecast(r *Row) {
	if !r.known.known() {
		return
	}
	p := &r.Predictions
	mixed, x := &p.Main, p.Main.Inputs
	u, d := p.BaseRate.Mean, max(math.Sqrt(p.BaseRate.Variance), minDeviation*r.known.Spread)
	low, high := mixed.Mean, mixed.Mean
	for _, e := range p.Experts {
		x = append(x, (e.Mean-u)/d)
		low, high = min(low, e.Mean), max(high, e.Mean)
	}
	x = append(x, (mixed.Mean-u)/d, 1)
	for i, came := range s.recent.all {
		if i < len(windows) {
			came = (came - u) / d
		}
		if i < len(windows) && s.state[0] == 0 || s.without.Recent {
			came = 0
		}
		x = append(x, came*r.discount())
	}
	mixed.Mean, mixed.Inputs = min(max(u+d*s.weights.sum(x), low-d), high+d), append(x, u, d)
}

// Learn takes a step of Bayesian linear regression. An error of more than maxError deviations counts as these.
func (s *numberStacking) Learn(r *Row) {
	n := len(s.weights.mean)
	if len(r.Predictions.Main.Inputs) == 0 {
		return // the scale was not known
	}
	x, u, d := r.Predictions.Main.Inputs[:n], r.Predictions.Main.Inputs[n], r.Predictions.Main.Inputs[n+1]
	rows, noise := &s.state[0], &s.state[1]
	total := s.weights.variance(x) + *noise/(r.Weight*r.share)
	most := maxError * math.Sqrt(total)
	e := max(-most, min(most, (r.Y-u)/d-s.weights.sum(x)))
	s.weights.gain = regained * firstVariance * min(1, *noise/someNoise) * r.witness
	s.weights.update(e/total, 1/total)
	s.recent.learn(0, u+max(-maxError*d, min(maxError*d, r.Y-u)), e, r.Weight, 1/(*rows+1))
	*rows++
	*noise += r.counts * max(1/(*rows+noiseFirst), noisePace) * (max(e*e, minNoise) - *noise)
}

func (s *numberStacking) tables() []belief.Part {
	return append(s.stacking.tables(), belief.List("last step rows and noise", s.state))
}
