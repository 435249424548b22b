package stream

import (
	"math"
	"slices"

	"gophe/phe/belief"
	"gophe/phe/stream/schema"
)

// lastStep learns a correction of the mixture, by a regression on the forecasts of the models, the mixture's, and what came last. It
// begins as the mixture. A mixture lies between its models. A sum of log-odds can be surer than each of them, when they know different
// things.
type lastStep interface {
	// forecast corrects the main forecast, which is the mixture's. It also puts the inputs into the forecast: the step must learn what it
	// forecast with, even if the label comes late.
	forecast(p *predictions)
	// learn learns a target from the inputs of its forecast. share is the part of its weight with which a late row counts.
	learn(inputs []float64, seen int64, y, weight, share float64)
	// inputs returns the number of inputs of a forecast.
	inputs() int
	// widen forgets how sure the weights are.
	widen()
	parts() []belief.Part
}

// newLastStep returns the last step of a number of experts; nil for counts, whose model has no experts to join.
func newLastStep(experts int, t schema.Target, in *scale, without Ablation) lastStep {
	switch {
	case t.Kind == schema.Count:
		return nil
	case t.Kind == schema.Amount:
		return newNumberStep(experts, in, without)
	case len(t.Classes) == 2:
		return newTwoStep(experts, without)
	}
	return newSeveralStep(experts, len(t.Classes), without)
}

// ofBaseRate is the share of the base rate in a running mean of labels, so that a few equal labels make no certainty.
const ofBaseRate = 0.1

// twoStep is the last step for two classes:
//
//	ℓ = wᵀx,  p = σ(½ ℓ + ½ logit curve(ℓ))
//
// The inputs x are the log-odds of the experts, of the mixture, and of what came last, relative to the base rate.
type twoStep struct {
	joint // inputs [experts, mixture, recent labels, recent forecasts]
	curve *curve
}

// joint is what all last steps have.
type joint struct {
	regression
	recent  recent
	x       []float64 // inputs
	without Ablation
}

func (j *joint) inputs() int { return len(j.x) }

func (j *joint) parts() []belief.Part { return append(j.regression.parts(), j.recent.parts()...) }

func newTwoStep(experts int, without Ablation) *twoStep {
	n := experts + 1 + 2*len(windows)
	return &twoStep{joint{newRegression(n, experts, without), newRecent(1, 0.5), make([]float64, n), without}, newCurve()}
}

func (s *twoStep) forecast(p *predictions) {
	mixed, experts, rate := &p.Main, p.Experts, p.BaseRate.Classes[1]
	for i, e := range experts {
		s.x[i] = logit(e.Classes[1])
	}
	s.x[len(experts)] = logit(mixed.Classes[1])
	u := logit(rate)
	last := s.x[len(experts)+1:]
	for i := 0; i < len(last) && !s.without.Recent; i++ {
		last[i] = p.fresh * (logit((1-ofBaseRate)*s.recent.all[i]+ofBaseRate*rate) - u)
	}
	odds, _ := s.sum(s.x)
	second := sigmoid(odds)
	if !s.without.Curve {
		second = s.curve.forecast(NoveltyTier(p.seen), odds)
	}
	mixed.Classes[0], mixed.Classes[1], mixed.Inputs = 1-second, second, s.x
}

// learn takes one step of an extended Kalman filter for logistic regression.
func (s *twoStep) learn(inputs []float64, seen int64, y, weight, share float64) {
	odds, variance := s.again(inputs)
	p := sigmoid(odds)
	late := weight * share
	curvature := late * p * (1 - p)
	s.move(late*(y-p)/(1+variance*curvature), curvature/(1+variance*curvature))
	s.recent.learn(0, y, p, weight, 0)
	s.curve.learn(NoveltyTier(seen), odds, y, late)
}

func (s *twoStep) parts() []belief.Part {
	return append(s.joint.parts(), s.curve.parts()...)
}

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
func newRegression(inputs, first int, without Ablation) regression {
	r := regression{mean: make([]float64, inputs), cov: make([]float64, inputs*inputs), h: make([]float64, inputs)}
	r.mean[first] = 1
	r.still = without.LastStep
	r.widen()
	return r
}

// widen makes the weights as unsure as at first, without covariances.
func (r *regression) widen() {
	if r.still {
		return
	}
	clear(r.cov)
	for i := range r.mean {
		r.cov[i*len(r.mean)+i] = firstVariance
	}
	r.last = nil
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

func newRecent(outputs int, first float64) recent {
	n := len(windows) * outputs
	all := slices.Repeat([]float64{first}, 2*n)
	return recent{all, all[:n], all[n:], outputs}
}

// learn learns the label of a row and its forecast, for one output. The means move by at least the rate least, times their distance.
func (r *recent) learn(output int, label, forecast, weight, least float64) {
	for i, m := range windows {
		at, rate := i*r.outputs+output, min(1, weight/m)
		r.labels[at] += max(rate, least) * (label - r.labels[at])
		r.forecasts[at] += rate * (forecast - r.forecasts[at])
	}
}

func (r *recent) parts() []belief.Part {
	return []belief.Part{belief.List("recent labels", r.labels), belief.List("recent forecasts", r.forecasts)}
}

// curve is what came of the forecasts of two classes so far. For each tier of novelty it maps log-odds to the frequency with which the
// second class came, by knots and straight lines between them. Compressors of data correct their forecasts in this way.
type curve struct {
	share []float64 // [tiers, knots] frequency of the second class
	rows  []float64 // [tiers, knots]
}

const (
	knots      = 25
	knotStep   = 0.5 // log-odds from one knot to the next; the middle one is at 0
	knotPace   = 1e-3
	knotFirst  = 20  // rows that the first frequency of a knot counts as
	curveShare = 0.5 // share of the curve in a forecast
)

func newCurve() *curve {
	c := &curve{make([]float64, noveltyTiers*knots), make([]float64, noveltyTiers*knots)}
	for i := range c.share {
		c.share[i] = sigmoid(knotStep * float64(i%knots-knots/2))
	}
	return c
}

// knot returns the knot below log-odds, and the way from it to the next one, from 0 to 1.
func (c *curve) knot(tier int, odds float64) (at int, part float64) {
	const most = knotStep * (knots / 2) * 0.9999
	x := min(max(odds, -most), most)/knotStep + knots/2
	return tier*knots + int(x), x - float64(int(x))
}

// forecast returns the probability of the second class: midway, in log-odds, between the forecast and what came of such forecasts.
func (c *curve) forecast(tier int, odds float64) float64 {
	at, part := c.knot(tier, odds)
	return sigmoid((1-curveShare)*odds + curveShare*logit((1-part)*c.share[at]+part*c.share[at+1]))
}

// learn moves the two knots around a forecast towards the class that came.
func (c *curve) learn(tier int, odds, y, weight float64) {
	at, part := c.knot(tier, odds)
	for k, u := range [2]float64{1 - part, part} {
		rows, share := &c.rows[at+k], &c.share[at+k]
		*rows += u * weight
		*share += min(1, u*weight*max(knotPace, 1/(*rows+knotFirst))) * (y - *share)
	}
}

func (c *curve) parts() []belief.Part {
	return []belief.Part{belief.List("curve", c.share), belief.List("curve rows", c.rows)}
}

func sigmoid(t float64) float64 { return 1 / (1 + math.Exp(-t)) }

// minProbability keeps log-odds finite.
const minProbability = 1e-7

func logit(p float64) float64 {
	p = min(max(p, minProbability), 1-minProbability)
	return math.Log(p / (1 - p))
}
