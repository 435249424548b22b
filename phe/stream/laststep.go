package stream

import (
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
	parts() []belief.Part
}

// newLastStep returns the last step of a number of experts; nil for counts, whose model has no experts to join.
func newLastStep(experts int, t schema.Target, in *scale, without ablation) lastStep {
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
	regression
	recent recent
	curve  *curve
	x      []float64 // [experts, mixture, recent labels, recent forecasts]

	without ablation
}

func newTwoStep(experts int, without ablation) *twoStep {
	n := experts + 1 + 2*len(windows)
	return &twoStep{newRegression(n, experts, without), newRecent(1, 0.5), newCurve(), make([]float64, n), without}
}

func (s *twoStep) inputs() int { return len(s.x) }

func (s *twoStep) forecast(p *predictions) {
	mixed, experts, rate := &p.Main, p.Experts, p.BaseRate.Classes[1]
	for i, e := range experts {
		s.x[i] = logit(e.Classes[1])
	}
	s.x[len(experts)] = logit(mixed.Classes[1])
	u := logit(rate)
	last := s.x[len(experts)+1:]
	for i := 0; i < len(windows) && !s.without.Recent; i++ {
		last[i] = logit((1-ofBaseRate)*s.recent.labels[i]+ofBaseRate*rate) - u
		last[len(windows)+i] = logit((1-ofBaseRate)*s.recent.forecasts[i]+ofBaseRate*rate) - u
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
	return append(append(s.regression.parts(), s.recent.parts()...), s.curve.parts()...)
}
