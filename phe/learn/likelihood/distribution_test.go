package likelihood_test

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe/internal/nettest"
	"gophe/phe/learn/learntest"
	"gophe/phe/learn/likelihood"
)

var likelihoods = []struct {
	name         string
	distribution likelihood.Distribution
	outputs      []float32 // [3, outputs]
	support      []float32 // targets that carry all but 1e-7 of the probability; none of a density
	targets      []float32 // [3]
}{
	{"Bernoulli", likelihood.Bernoulli(), []float32{-1.5, 0, 2}, []float32{0, 1}, []float32{0, 1, 0}},
	{"Categorical", likelihood.Categorical(3), []float32{1, 0, -1, 0.5, 0.5, 2, -3, 0, 0}, []float32{0, 1, 2}, []float32{2, 0, 1}},
	{"Gaussian", likelihood.Gaussian(0.7), []float32{-1, 0, 3}, nil, []float32{0.5, -0.5, 3}},
	{"Poisson", likelihood.Poisson(), []float32{-1, 0.3, 1.5}, countsTo(40), []float32{0, 2, 9}},
	{"NegativeBinomial", likelihood.NegativeBinomial(), []float32{0, 0.5, 1, 2, 1.5, 1}, countsTo(300), []float32{0, 2, 9}},
}

func countsTo(n int) (counts []float32) {
	for y := range n {
		counts = append(counts, float32(y))
	}
	return counts
}

// The gradient must be the gradient of −log p. The information must be the gradient's variance under the distribution, which equals the
// expectation of the second derivative. NegativeBinomial leaves out the dispersion.
func TestCurvature(t *testing.T) {
	for _, c := range likelihoods {
		t.Run(c.name, func(t *testing.T) {
			width := c.distribution.Outputs
			fixed := c.name == "NegativeBinomial"
			run := func(outputs, targets []float32) (logProb, gradient, information, derivative []float32) {
				out := nettest.Call(t, learntest.Backend(t), func(args []*Node) []*Node {
					x := Reshape(args[0], 1, len(targets), width)
					g, h := c.distribution.Curvature(x, args[1])
					loss := c.distribution.LogProb(x, args[1])
					return []*Node{loss, g, h, Neg(Gradient(ReduceAllSum(loss), x)[0])}
				}, outputs, targets)
				return out[0], out[1], out[2], out[3]
			}
			_, gradient, information, derivative := run(c.outputs, c.targets)
			for i, want := range derivative {
				if fixed && i%width == 1 {
					want = 0
				}
				if !(math.Abs(float64(gradient[i]-want)) <= 2e-5) {
					t.Errorf("gradient %d is %g, want %g", i, gradient[i], want)
				}
			}
			if c.support == nil { // of a Gaussian, 1/σ²
				for i, h := range information {
					if !(math.Abs(float64(h)-1/0.49) <= 1e-5) {
						t.Errorf("information %d is %g", i, h)
					}
				}
				return
			}
			var outputs, targets []float32 // every record with every target
			for n := range 3 {
				for _, y := range c.support {
					outputs, targets = append(outputs, c.outputs[n*width:(n+1)*width]...), append(targets, y)
				}
			}
			logProb, gradient, _, _ := run(outputs, targets)
			want := make([]float64, len(information))
			for k, y := range targets {
				p, n := math.Exp(float64(logProb[k])), k/len(c.support)
				if c.name == "Poisson" { // whose log p leaves out log y!
					lgamma, _ := math.Lgamma(float64(y) + 1)
					p = math.Exp(float64(logProb[k]) - lgamma)
				}
				for i := range width {
					for j := range width {
						want[(n*width+i)*width+j] += p * float64(gradient[k*width+i]) * float64(gradient[k*width+j])
					}
				}
			}
			for i, h := range information {
				if !(math.Abs(float64(h)-want[i]) <= 1e-4*max(1, want[i])) {
					t.Errorf("information %d is %g, want %g", i, h, want[i])
				}
			}
		})
	}
}

// Forecasts of two records under two samples, by hand: log probabilities of classes, averaged over the samples by their weights,
// and of the other distributions the outputs of each sample in turn.
func TestForecasts(t *testing.T) {
	half := math.Log(0.5)
	mixed := func(a, b float64) float64 { return math.Log(0.25*a + 0.75*b) }
	sigmoid := func(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
	for _, c := range []struct {
		distribution likelihood.Distribution
		outputs      []float32 // [2 samples, 2 records, outputs]
		weights      []float64
		want         []float64 // [2 records, width]
	}{
		{likelihood.Bernoulli(), []float32{0, 2, 0, -1}, []float64{0.25, 0.75}, []float64{half, half, mixed(sigmoid(-2), sigmoid(1)), mixed(sigmoid(2), sigmoid(-1))}},
		{likelihood.Categorical(2), []float32{5, 5, 0, 2, 5, 5, 0, -1}, nil,
			[]float64{half, half, math.Log((sigmoid(-2) + sigmoid(1)) / 2), math.Log((sigmoid(2) + sigmoid(-1)) / 2)}},
		{likelihood.Gaussian(1), []float32{1, 2, 3, 4}, nil, []float64{1, 3, 2, 4}},
		{likelihood.Poisson(), []float32{1, 2, 3, 4}, nil, []float64{1, 3, 2, 4}},
		{likelihood.NegativeBinomial(), []float32{1, 2, 3, 4, 5, 6, 7, 8}, nil, []float64{1, 2, 5, 6, 3, 4, 7, 8}},
	} {
		got := nettest.Call(t, learntest.Backend(t), func(args []*Node) []*Node {
			return []*Node{c.distribution.Forecast(Reshape(args[0], 2, 2, -1), c.weights)}
		}, c.outputs)[0]
		for i, want := range c.want {
			if len(got) != len(c.want) || !(math.Abs(float64(got[i])-want) <= 1e-6) {
				t.Errorf("%T forecasts %v, want %v", c.distribution, got, c.want)
				break
			}
		}
	}
}
