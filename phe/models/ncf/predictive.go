package ncf

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"gophe/phe/belief"
)

// Predictive is the predictive distribution of one rating, in units of the scaled ratings. It is a mixture of Gaussians, one for each
// sample of the posterior.
type Predictive struct {
	Means  []float64 // means of the components
	StdDev float64   // standard deviation of each component
}

// Forecast returns the predictive distribution from one rating's numbers in [gophe/phe/learn.Predictions].
func (r Recommender) Forecast(prediction []float32) Predictive {
	return Predictive{belief.Converted[float64](prediction), r.StdDev}
}

// Mean returns E[y].
func (p Predictive) Mean() float64 { return stat.Mean(p.Means, nil) }

// LogDensity returns log p(y) in nats per unit of the scaled ratings.
func (p Predictive) LogDensity(y float64) float64 {
	logs := make([]float64, len(p.Means))
	for i, mean := range p.Means {
		logs[i] = distuv.Normal{Mu: mean, Sigma: p.StdDev}.LogProb(y)
	}
	return floats.LogSumExp(logs) - math.Log(float64(len(logs)))
}

// CDF returns P(Y ≤ y).
func (p Predictive) CDF(y float64) float64 {
	sum := 0.0
	for _, mean := range p.Means {
		sum += distuv.Normal{Mu: mean, Sigma: p.StdDev}.CDF(y)
	}
	return sum / float64(len(p.Means))
}
