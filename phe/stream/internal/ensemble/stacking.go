package ensemble

import (
	"math"
	"slices"

	"gophe/phe/belief"
	"gophe/phe/stream/schema"
)

// stacking learns a correction of the mixture, by a regression on the forecasts of the models, the mixture's, and what came last. It
// begins as the mixture. A mixture lies between its models. A sum of log-odds can be surer than each of them, when they know different
// things. Its inputs stay with the forecast: it must learn what it forecast with, even if the label comes late.
type stacking struct {
	weights posterior
	recent  recent
	without Ablation
}

// newStacking returns the parts that follow a mixture of a number of experts, and the number of their inputs.
func newStacking(experts int, t schema.Target, without Ablation) ([]Part, int) {
	n := experts + 1 + 2*len(windows)
	switch classes := len(t.Classes); {
	case t.Kind == schema.Amount:
		s := stacking{newPosterior(n+1, experts, without), newRecent(1, 0), without}
		return []Part{&numberStacking{s, []float64{0, 1}}}, n + 3
	case classes == 2:
		s := stacking{newPosterior(n, experts, without), newRecent(1, 0.5), without}
		return []Part{&binaryStacking{s}, newRecalibration(without)}, n
	default:
		s := stacking{newPosterior(n, experts, without), newRecent(classes, 1/float64(classes)), without}
		return []Part{&classStacking{s, make([]float64, classes), make([]float64, n)}}, n * classes
	}
}

func (s *stacking) resetCovariance() { s.weights.resetCovariance() }

func (s *stacking) tables() []belief.Part {
	weights := []belief.Part{belief.List("last step mean", s.weights.mean), belief.List("last step covariance", s.weights.cov)}
	return append(weights, s.recent.tables()...)
}

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

// recent is what came last: running means of the labels, and of the forecasts that these rows got. On most streams a row resembles
// the rows before it. The labels say what came, and the forecasts what had been expected.
type recent struct {
	all       []float64 // labels, then forecasts
	labels    []float64 // [windows, outputs]
	forecasts []float64 // [windows, outputs]; for numbers, the errors of the forecasts
	outputs   int
}

// windows are the numbers of labelled rows that the running means remember.
var windows = [...]float64{2, 16, 128}

// ofBaseRate is the share of the base rate in a running mean of labels, so that a few equal labels make no certainty.
const ofBaseRate = 0.1

func newRecent(outputs int, first float64) recent {
	n := len(windows) * outputs
	all := slices.Repeat([]float64{first}, 2*n)
	return recent{all, all[:n], all[n:], outputs}
}

// Learn learns the label of a row and its forecast, for one output. The means move by at least the rate least, times their distance.
func (r *recent) learn(output int, label, forecast, weight, least float64) {
	for i, m := range windows {
		at, rate := i*r.outputs+output, min(1, weight/m)
		r.labels[at] += max(rate, least) * (label - r.labels[at])
		r.forecasts[at] += rate * (forecast - r.forecasts[at])
	}
}

func (r *recent) tables() []belief.Part {
	return []belief.Part{belief.List("recent labels", r.labels), belief.List("recent forecasts", r.forecasts)}
}

func sigmoid(t float64) float64 { return 1 / (1 + math.Exp(-t)) }

// minProbability keeps log-odds finite.
const minProbability = 1e-7

func logit(p float64) float64 { return math.Log(odds(p)) }

func odds(p float64) float64 {
	p = min(max(p, minProbability), 1-minProbability)
	return p / (1 - p)
}
