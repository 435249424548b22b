package ensemble

import (
	"math"

	"gophe/phe/belief"
	"gophe/phe/onepass"
	"gophe/phe/stream/internal/novelty"
)

// binaryStacking is the stacking of two classes:
//
//	ℓ = wᵀx,  p = σ(ℓ)
//
// The inputs x are the log-odds of the experts, of the mixture, and of what came last, relative to the base rate: [experts, mixture,
// recent labels, recent forecasts].
type binaryStacking struct{ stacking }

func (s *binaryStacking) Forecast(r *Row) {
	p := &r.Predictions
	x, rate, fresh := p.Main.Inputs, p.BaseRate.Classes[1], r.fresh()
	for i := range len(p.Experts) + 1 {
		x = append(x, logit(p.expertOr(i, &p.Main).Classes[1]))
	}
	u := logit(rate)
	for _, came := range s.recent.all {
		x = append(x, fresh*(logit((1-ofBaseRate)*came+ofBaseRate*rate)-u))
	}
	r.odds = s.weights.sum(x)
	second := sigmoid(r.odds)
	p.Main.Classes[0], p.Main.Classes[1], p.Main.Inputs = 1-second, second, x
}

// Learn takes one step of an extended Kalman filter for logistic regression.
func (s *binaryStacking) Learn(r *Row) {
	x := r.Predictions.Main.Inputs
	r.odds = s.weights.sum(x)
	variance, p, late := s.weights.variance(x), sigmoid(r.odds), r.Weight*r.share
	curvature := late * p * (1 - p)
	s.weights.update(late*(r.Y-p)/(1+variance*curvature), curvature/(1+variance*curvature))
	s.recent.learn(0, r.Y, p, r.Weight, 0)
}

// recalibration maps the log-odds of two classes to what came of such forecasts so far. For each tier of novelty it has the frequency with
// which the second class came, by knots and straight lines between them. Compressors of data correct their forecasts in this way.
type recalibration struct {
	share []float64 // [tiers, knots] frequency of the second class
	rows  []float64 // [tiers, knots]
}

const (
	knots      = 25
	knotStep   = 0.5 // log-odds from one knot to the next; the middle one is at 0
	knotPace   = 1e-3
	knotFirst  = 20  // rows that the first frequency of a knot counts as
	curveShare = 0.5 // share of the frequencies in a forecast
)

func newRecalibration() *recalibration {
	c := &recalibration{make([]float64, novelty.Tiers*knots), make([]float64, novelty.Tiers*knots)}
	for i := range c.share {
		c.share[i] = sigmoid(knotStep * float64(i%knots-knots/2))
	}
	return c
}

// knot returns the knot below a row's log-odds, and the way from it to the next one, from 0 to 1.
func (c *recalibration) knot(r *Row) (at int, part float64) {
	const most = knotStep * (knots / 2) * 0.9999
	x := min(max(r.odds, -most), most)/knotStep + knots/2
	return novelty.Tier(r.Predictions.Seen)*knots + int(x), x - float64(int(x))
}

// Forecast goes midway, in log-odds, from the forecast to what came of such forecasts.
func (c *recalibration) Forecast(r *Row) {
	at, part := c.knot(r)
	second := sigmoid((1-curveShare)*r.odds + curveShare*logit((1-part)*c.share[at]+part*c.share[at+1]))
	r.Predictions.Main.Classes[0], r.Predictions.Main.Classes[1] = 1-second, second
}

// Learn moves the two knots around a forecast towards the class that came.
func (c *recalibration) Learn(r *Row) {
	at, part := c.knot(r)
	for k, u := range [2]float64{1 - part, part} {
		rows, share, weight := &c.rows[at+k], &c.share[at+k], r.Weight*r.share
		*rows += u * weight
		*share += min(1, u*weight*max(knotPace, 1/(*rows+knotFirst))) * (r.Y - *share)
	}
}

func (c *recalibration) tables() []belief.Part {
	return []belief.Part{belief.List("curve", c.share), belief.List("curve rows", c.rows)}
}

// classStacking is the stacking of more than two classes. The classes share the weights:
//
//	z_o = wᵀx_o,  p = softmax(z)
//
// The inputs x_o of a class are the logarithms of its probability by the experts, by the mixture, and by what came last, relative to
// the base rate: [experts, mixture, recent labels, recent forecasts; classes].
type classStacking struct {
	stacking
	p []float64 // [classes]
	g []float64 // gradient of the logarithm of the class that came, by the weights
}

func (s *classStacking) Forecast(r *Row) {
	p, fresh := &r.Predictions, r.fresh()
	x := p.Main.Inputs
	for i := range len(p.Experts) + 1 {
		for _, q := range p.expertOr(i, &p.Main).Classes {
			x = append(x, math.Log(max(q, minProbability)))
		}
	}
	for i, came := range s.recent.all {
		x = append(x, fresh*math.Log((1-ofBaseRate)*came/p.BaseRate.Classes[i%len(s.p)]+ofBaseRate))
	}
	s.join(x)
	copy(p.Main.Classes, s.p)
	p.Main.Inputs = x
}

// join sets p to the softmax of the weighted sums of the inputs.
func (s *classStacking) join(x []float64) {
	for o := range s.p {
		z := 0.0
		for i, w := range s.weights.mean {
			z += w * x[i*len(s.p)+o]
		}
		s.p[o] = z
	}
	onepass.SoftmaxInto(s.p, s.p)
}

// Learn moves the weights along the gradient g of log p(y), with the square of this gradient in the place of the curvature.
func (s *classStacking) Learn(r *Row) {
	inputs, k := r.Predictions.Main.Inputs, len(s.p)
	s.join(inputs)
	for i := range s.g {
		x, mean := inputs[i*k:(i+1)*k], 0.0
		for o, p := range s.p {
			mean += p * x[o]
		}
		s.g[i] = x[int(r.Y)] - mean
	}
	late := r.Weight * r.share
	step := late / (1 + s.weights.variance(s.g)*late)
	s.weights.update(step, step)
	for o, p := range s.p {
		came := 0.0
		if o == int(r.Y) {
			came = 1
		}
		s.recent.learn(o, came, p, r.Weight, 0)
	}
}
