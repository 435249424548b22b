package ensemble

// posterior is the belief about the weights of a Bayesian linear regression: one Gaussian N(m, S) with all covariances.
type posterior struct {
	mean  []float64 // m
	cov   []float64 // S [inputs, inputs]
	h     []float64 // S x of the last inputs x
	gain  float64   // variance that each weight gains in a row
	most  float64   // largest variance of a weight, which is also its first
	still bool      // the weights do not move
}

const (
	firstVariance = 0.02 // variance of a weight of stacking before any row
	regained      = 3e-5 // share of its first variance that a weight gains in a row, so that the regression can follow a change
)

// newPosterior returns a belief that forecasts one of its inputs: this input has the weight 1, and the others have 0.
func newPosterior(inputs, first int, without Ablation) posterior {
	w := posterior{mean: make([]float64, inputs), cov: make([]float64, inputs*inputs), h: make([]float64, inputs),
		gain: regained * firstVariance, most: firstVariance}
	w.mean[first] = 1
	w.still = without.LastStep
	w.resetCovariance()
	return w
}

// resetCovariance makes the weights as unsure as at first, without covariances.
func (w *posterior) resetCovariance() {
	clear(w.cov)
	for i := 0; i < len(w.mean) && !w.still; i++ {
		w.cov[i*len(w.mean)+i] = w.most
	}
}

func (w *posterior) sum(x []float64) (mean float64) {
	for i, v := range x {
		mean += w.mean[i] * v
	}
	return mean
}

// variance returns the variance of the weighted sum of inputs, and keeps their covariance with the weights for update.
func (w *posterior) variance(x []float64) (variance float64) {
	n := len(x)
	for i := range x {
		row, h := w.cov[i*n:][:len(x)], 0.0
		for j, v := range x {
			h += row[j] * v
		}
		w.h[i] = h
	}
	for i, v := range x {
		variance += w.h[i] * v
	}
	return max(variance, 0)
}

// update conditions the weights on a row, along the inputs of the last variance: m += a h, S −= b h hᵀ; a is the gradient, b the curvature.
func (w *posterior) update(gradient, curvature float64) {
	if w.still {
		return
	}
	h := w.h
	for i, own := range h {
		w.mean[i] += gradient * own
		row, by := w.cov[i*len(h):][:len(h)], curvature*own
		for j, v := range h {
			row[j] -= by * v
		}
		if row[i] += w.gain; row[i] > w.most {
			row[i] = w.most
		}
	}
}

// step conditions the weights on a number of rows, by gradient and curvature of their log-likelihood along the inputs of the last variance.
func (w *posterior) step(rows, variance, gradient, curvature float64) {
	rows /= 1 + rows*variance*curvature
	w.update(rows*gradient, rows*curvature)
}
