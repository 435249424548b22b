package stream

import "gophe/phe/belief"

// regression is a Bayesian linear regression. Its weights are one Gaussian belief N(m, S) with all covariances.
type regression struct {
	mean []float64 // m
	cov  []float64 // S [inputs, inputs]
	h    []float64 // S x of the last inputs x

	still    bool      // the weights do not move
	last     []float64 // the last inputs; nil after the weights have moved
	sumMean  float64
	variance float64
}

const (
	firstVariance = 0.02 // variance of a weight before any row, which is also its largest
	regained      = 3e-5 // share of its first variance that a weight gains in a row, so that the regression can follow a change
)

// newRegression returns a regression that forecasts one of its inputs: this input has the weight 1, and the others have 0.
func newRegression(inputs, first int, without ablation) regression {
	r := regression{mean: make([]float64, inputs), cov: make([]float64, inputs*inputs), h: make([]float64, inputs)}
	r.mean[first] = 1
	if r.still = without.LastStep; r.still {
		return r
	}
	for i := range inputs {
		r.cov[i*inputs+i] = firstVariance
	}
	return r
}

// sum returns mean and variance of the weighted sum of inputs, and keeps their covariance with the weights.
func (r *regression) sum(x []float64) (mean, variance float64) {
	n := len(x)
	for i := range x {
		row, h := r.cov[i*n:][:len(x)], 0.0
		for j, v := range x {
			h += row[j] * v
		}
		r.h[i] = h
	}
	for i, v := range x {
		mean += r.mean[i] * v
		variance += r.h[i] * v
	}
	r.last, r.sumMean, r.variance = x, mean, max(variance, 0)
	return mean, r.variance
}

// again returns what sum returned, if these inputs were the last and the weights have not moved, and otherwise the sum.
func (r *regression) again(x []float64) (mean, variance float64) {
	if len(r.last) > 0 && &r.last[0] == &x[0] {
		return r.sumMean, r.variance
	}
	return r.sum(x)
}

// move conditions the weights on a row: m += a h, S −= b h hᵀ, by the pull a and the stiffness b of the last sum.
func (r *regression) move(pull, stiffness float64) {
	if r.still {
		return
	}
	n := len(r.h)
	r.last = nil
	for i, h := range r.h {
		r.mean[i] += pull * h
		row := r.cov[i*n:][:len(r.h)]
		for j, v := range r.h {
			row[j] -= stiffness * h * v
		}
	}
	for i := range n {
		r.cov[i*n+i] = min(firstVariance, r.cov[i*n+i]+regained*firstVariance)
	}
}

func (r *regression) parts() []belief.Part {
	return []belief.Part{belief.List("last step mean", r.mean), belief.List("last step covariance", r.cov)}
}
