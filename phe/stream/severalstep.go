package stream

import (
	"math"

	"gophe/phe/onepass"
)

// severalStep is the last step for more than two classes. The classes share the weights:
//
//	z_o = wᵀx_o,  p = softmax(z)
//
// The inputs x_o of a class are the logarithms of its probability by the experts, by the mixture, and by what came last, relative to
// the base rate.
type severalStep struct {
	joint           // inputs [experts, mixture, recent labels, recent forecasts; classes]
	p     []float64 // [classes]
	g     []float64 // gradient of the logarithm of the class that came, by the weights
}

func newSeveralStep(experts, classes int, without Ablation) *severalStep {
	n := experts + 1 + 2*len(windows)
	last := joint{newRegression(n, experts, without), newRecent(classes, 1/float64(classes)), make([]float64, n*classes), without}
	return &severalStep{last, make([]float64, classes), make([]float64, n)}
}

func (s *severalStep) forecast(p *predictions) {
	mixed, x := &p.Main, s.x[:0]
	for _, e := range p.Experts {
		for _, q := range e.Classes {
			x = append(x, math.Log(max(q, minProbability)))
		}
	}
	for _, q := range mixed.Classes {
		x = append(x, math.Log(max(q, minProbability)))
	}
	for i := 0; i < len(s.recent.all) && !s.without.Recent; i++ {
		x = append(x, p.fresh*math.Log((1-ofBaseRate)*s.recent.all[i]/p.BaseRate.Classes[i%len(s.p)]+ofBaseRate))
	}
	s.join(s.x)
	copy(mixed.Classes, s.p)
	mixed.Inputs = s.x
}

// join sets p to the softmax of the weighted sums of the inputs.
func (s *severalStep) join(x []float64) {
	for o := range s.p {
		z := 0.0
		for i, w := range s.mean {
			z += w * x[i*len(s.p)+o]
		}
		s.p[o] = z
	}
	onepass.SoftmaxInto(s.p, s.p)
}

// learn moves the weights along the gradient g of log p(y), with the square of this gradient in the place of the curvature.
func (s *severalStep) learn(inputs []float64, _ int64, y, weight, share float64) {
	s.join(inputs)
	k := len(s.p)
	for i := range s.g {
		x, mean := inputs[i*k:(i+1)*k], 0.0
		for o, p := range s.p {
			mean += p * x[o]
		}
		s.g[i] = x[int(y)] - mean
	}
	_, variance := s.sum(s.g)
	late := weight * share
	s.move(late/(1+variance*late), late/(1+variance*late))
	for o, p := range s.p {
		came := 0.0
		if o == int(y) {
			came = 1
		}
		s.recent.learn(o, came, p, weight, 0)
	}
}
