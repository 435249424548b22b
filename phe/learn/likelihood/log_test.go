package likelihood_test

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"gophe/phe/internal/nettest"
	"gophe/phe/learn/likelihood"
)

func TestBernoulli(t *testing.T) {
	logits := []float32{-200, -30, -1.5, 0, 1e-3, 2, 88, 200}
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		logProb := likelihood.Bernoulli().LogProb
		zero, one := logProb(InsertAxes(a[0], 0, -1), ZerosLike(a[0])), logProb(InsertAxes(a[0], 0, -1), OnesLike(a[0]))
		return []*Node{zero, one, Gradient(ReduceAllSum(one), a[0])[0]}
	}, logits)
	for i, logit := range logits {
		z := float64(logit)
		nettest.Near(t, "log p(0)", got[0][i], -floats.LogSumExp([]float64{0, z}), z)
		nettest.Near(t, "log p(1)", got[1][i], -floats.LogSumExp([]float64{0, -z}), z)
		nettest.Near(t, "gradient of log p(1)", got[2][i], 1/(1+math.Exp(z)), 1)
		if math.Abs(z) < 10 { // gonum's takes a probability, which rounds to 1 beyond
			nettest.Near(t, "log p(1) by gonum", got[1][i], distuv.Bernoulli{P: 1 / (1 + math.Exp(-z))}.LogProb(1), 1)
		}
	}
}

func TestCategorical(t *testing.T) {
	logits := [][][]float32{{{1, -2, 0.5}, {200, -200, 0}}, {{0, 0, 0}, {-200, -200, -200}}} // [samples, batch, classes]
	labels := []int32{2, 1}
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		l := likelihood.Categorical(3).LogProb(a[0], a[1])
		l.AssertDims(2, 2)
		return []*Node{l}
	}, logits, labels)[0]
	for s := range logits {
		for b := range labels {
			z := make([]float64, 3)
			for k, v := range logits[s][b] {
				z[k] = float64(v)
			}
			nettest.Near(t, "log p", got[2*s+b], z[labels[b]]-floats.LogSumExp(z), 400)
		}
	}
	nettest.Near(t, "log p by gonum", got[0], distuv.NewCategorical([]float64{math.E, math.Exp(-2), math.Sqrt(math.E)}, nil).LogProb(2), 1)
}

func TestGaussianLogLikelihood(t *testing.T) {
	y := []float32{-200, -1, 0, 0.6, 200}
	for _, stdDev := range []float64{0.3, 7} { // 0.3 is MovieLens'
		got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
			return []*Node{likelihood.Gaussian(stdDev).LogProb(MulScalar(OnesLike(InsertAxes(a[0], 0, -1)), 0.25), a[0])}
		}, y)[0]
		for i := range y {
			want := distuv.Normal{Mu: 0.25, Sigma: stdDev}.LogProb(float64(y[i]))
			nettest.Near(t, "log density", got[i], want, math.Abs(want))
		}
	}
}

// Poisson leaves log y! out.
func TestPoisson(t *testing.T) {
	logRates, counts := []float32{-200, -3, 0, 2, 6, 4}, []float32{0, 1, 0, 7, 400, 0}
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		return []*Node{likelihood.Poisson().LogProb(InsertAxes(a[0], 0, -1), a[1])}
	}, logRates, counts)[0]
	for i, y := range counts {
		factorial, _ := math.Lgamma(float64(y) + 1)
		rate := math.Exp(float64(logRates[i]))
		want := distuv.Poisson{Lambda: rate}.LogProb(float64(y)) + factorial
		nettest.Near(t, "log p + log y!", got[i], want, 4*max(math.Abs(want), rate)) // exp of float32, twice in a row
	}
}

// negativeBinomial is log NB(y) in float64, the binomial coefficient as a product: it shares no log Γ with the graph.
func negativeBinomial(logMean, logDispersion, y float64) (log float64) {
	mean, k := math.Exp(logMean), math.Exp(logDispersion)
	for j := range int(y) {
		log += math.Log((k + float64(j)) / float64(j+1))
	}
	return log - k*math.Log1p(mean/k) - y*math.Log1p(k/mean)
}

// Means and dispersions far beyond a network's. Float32 subtracts log Γ of y+k, so the error is a rounding of that number.
// The gradient by log k tends to 0 as the distribution tends to Poisson's, and keeps an error proportional to k.
func TestNegativeBinomial(t *testing.T) {
	var logMeans, logDispersions, counts []float32
	for _, logMean := range []float32{-20, -5, -1, 0, 1, 2.5, 5, 11} {
		for _, logDispersion := range []float32{-30, -5, -2, 0, 2, 4, 8, 12} {
			for _, y := range []float32{0, 1, 2, 12, 600, 80995} { // Retail's largest order
				logMeans, logDispersions, counts = append(logMeans, logMean), append(logDispersions, logDispersion), append(counts, y)
			}
		}
	}
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		l := likelihood.NegativeBinomial().LogProb(InsertAxes(Stack([]*Node{a[0], a[1]}, -1), 0), a[2])
		return append([]*Node{l}, Gradient(ReduceAllSum(l), a[0], a[1])...)
	}, logMeans, logDispersions, counts)
	for i := range counts {
		m, d, y := float64(logMeans[i]), float64(logDispersions[i]), float64(counts[i])
		const h = 1e-5
		want := [3]float64{negativeBinomial(m, d, y),
			(negativeBinomial(m+h, d, y) - negativeBinomial(m-h, d, y)) / (2 * h),
			(negativeBinomial(m, d+h, y) - negativeBinomial(m, d-h, y)) / (2 * h)}
		size := y + math.Exp(d)
		for k, tolerance := range [3]float64{
			6e-7 * max(1, math.Abs(want[0]), size*math.Log1p(size)), 3e-7 * max(1, size), 5e-6 * max(1, size),
		} {
			if err := math.Abs(float64(got[k][i]) - want[k]); !(err <= tolerance) {
				t.Errorf("log mean %g, log k %g, y %g: value, gradients are %g, %g, %g, want %.7g",
					m, d, y, got[0][i], got[1][i], got[2][i], want)
				break
			}
		}
		if y <= 12 && d < 5 {
			nettest.Near(t, "log NB", got[0][i], want[0], 20*max(math.Abs(want[0]), size)) // what a model of packs meets
		}
	}
	nettest.Near(t, "the geometric distribution", got[0][3*8*6+3*6+3], -13*math.Ln2, 13) // mean 1, k 1, y 12
}

// However far a network's outputs go, a count has a log-likelihood and a gradient, as in count.NegativeBinomial, or a
// single step ends a run.
func TestNegativeBinomialExtremes(t *testing.T) {
	var logMeans, logDispersions, counts []float32
	for _, logMean := range []float32{-60, 0, 30} {
		for _, logDispersion := range []float32{-80, -40, 20, 25, 40, 80} {
			for _, y := range []float32{0, 1, 12} {
				logMeans, logDispersions, counts = append(logMeans, logMean), append(logDispersions, logDispersion), append(counts, y)
			}
		}
	}
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		l := likelihood.NegativeBinomial().LogProb(InsertAxes(Stack([]*Node{a[0], a[1]}, -1), 0), a[2])
		return append([]*Node{l}, Gradient(ReduceAllSum(l), a[0], a[1])...)
	}, logMeans, logDispersions, counts)
	for i, y := range counts {
		for k, of := range []string{"log-likelihood", "gradient by the log mean", "gradient by the log dispersion"} {
			if v := float64(got[k][i]); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("log mean %g, log k %g, y %g: the %s is %g", logMeans[i], logDispersions[i], y, of, v)
			}
		}
	}
}
