package likelihood_test

import (
	"fmt"
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe/internal/nettest"
	"gophe/phe/learn/likelihood"
)

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
		{likelihood.Bernoulli(), []float32{0, 2, 0, -1}, []float64{0.25, 0.75},
			[]float64{half, half, mixed(sigmoid(-2), sigmoid(1)), mixed(sigmoid(2), sigmoid(-1))}},
		{likelihood.Categorical(2), []float32{5, 5, 0, 2, 5, 5, 0, -1}, nil,
			[]float64{half, half, math.Log((sigmoid(-2) + sigmoid(1)) / 2), math.Log((sigmoid(2) + sigmoid(-1)) / 2)}},
		{likelihood.Gaussian(1), []float32{1, 2, 3, 4}, nil, []float64{1, 3, 2, 4}},
		{likelihood.Poisson(), []float32{1, 2, 3, 4}, nil, []float64{1, 3, 2, 4}},
		{likelihood.NegativeBinomial(), []float32{1, 2, 3, 4, 5, 6, 7, 8}, nil, []float64{1, 2, 5, 6, 3, 4, 7, 8}},
	} {
		got := nettest.Call(t, nettest.Backend(t), func(args []*Node) []*Node {
			return []*Node{c.distribution.Forecast(Reshape(args[0], 2, 2, -1), c.weights)}
		}, c.outputs)
		nettest.Same(t, fmt.Sprintf("forecasts of %T", c.distribution), nettest.Converted[float64](got), [][]float64{c.want}, 1e-6)
	}
}
