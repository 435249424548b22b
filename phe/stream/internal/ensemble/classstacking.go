package ensemble

import "gophe/phe/onepass"

// binaryStacking is the stacking of two classes:
//
//	ℓ = wᵀx,  p = σ(ℓ)
//
// The inputs x are log-odds: [experts, mixture, recent labels, recent forecasts], the recent ones relative to the base rate.
type binaryStacking struct{ stacking }

func (s *binaryStacking) Forecast(r *Row) {
	p := &r.Predictions
	x, rate, discount, n := p.Main.Inputs, p.BaseRate.Classes[1], r.discount(), len(p.Experts)+1
	for i := range n {
		x = append(x, odds(p.expertOr(i, &p.Main).Classes[1]))
	}
	for _, came := range s.recent.all {
		x = append(x, odds((1-ofBaseRate)*came+ofBaseRate*rate))
	}
	onepass.Logarithms(x)
	u := logit(rate)
	for i := n; i < len(x); i++ {
		if x[i] = discount * (x[i] - u); s.without.Recent {
			x[i] = 0
		}
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
	s.weights.gain = regained * firstVariance * r.witness
	s.weights.update(late*(r.Y-p)/(1+variance*curvature), curvature/(1+variance*curvature))
	s.recent.learn(0, r.Y, p, r.Weight, 0)
}

// classStacking is the stacking of more than two classes. The classes share the weights:
//
//	z_o = wᵀx_o,  p = softmax(z)
//
// The inputs x_o of a class are logarithms of its probability: [experts, mixture, recent labels, recent forecasts; classes], the recent
// ones relative to the base rate.
type classStacking struct {
	stacking
	p []float64 // [classes]
	g []float64 // gradient of the logarithm of the class that came, by the weights
}

func (s *classStacking) Forecast(r *Row) {
	p, discount := &r.Predictions, r.discount()
	x := p.Main.Inputs
	for i := range len(p.Experts) + 1 {
		for _, q := range p.expertOr(i, &p.Main).Classes {
			x = append(x, max(q, minProbability))
		}
	}
	n := len(x)
	for i, came := range s.recent.all {
		x = append(x, (1-ofBaseRate)*came/p.BaseRate.Classes[i%len(s.p)]+ofBaseRate)
	}
	onepass.Logarithms(x)
	for i := n; i < len(x); i++ {
		if x[i] *= discount; s.without.Recent {
			x[i] = 0
		}
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
	s.weights.gain = regained * firstVariance * r.witness
	s.weights.update(step, step)
	for o, p := range s.p {
		came := 0.0
		if o == int(r.Y) {
			came = 1
		}
		s.recent.learn(o, came, p, r.Weight, 0)
	}
}
