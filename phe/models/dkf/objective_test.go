package dkf_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"gophe/phe"
	"gophe/phe/internal/nettest"
	"gophe/phe/models/dkf"

	"gophe/phe/disk/filetest"
)

// What training maximises, its gradient, and forecasts against plain Go: a Latin square of objectives, likelihoods and
// inputs, with gap, layers, mask and dropout in turn, then several samples of a posterior.
func TestAgainstPlainGo(t *testing.T) {
	filter := func(o dkf.Objective, l dkf.Likelihood, i dkf.Inputs, gaps dkf.Transition, transition, emission int) dkf.Filter {
		f := dkf.Filter{Prediction: dkf.Reconstruction, Likelihood: l, Objective: o, Inputs: i, Hidden: 5, Latent: 3,
			Transition: gaps, TransitionHidden: transition, EmissionHidden: emission}
		if o == dkf.Predictive || transition > 0 {
			f.Prediction = dkf.Forecast
		}
		return f
	}
	for _, c := range []struct {
		filter  dkf.Filter
		masked  bool
		dropout float64
		samples int // of a posterior; 0 is a point estimate
		loss    phe.Loss
		always  bool // also where each case takes two seconds to compile
	}{
		{filter(dkf.ELBO, dkf.Poisson, dkf.Raw, dkf.WithGap, 0, 4), false, 0, 0, phe.Expected, false},
		{filter(dkf.ELBO, dkf.NegativeBinomial, dkf.Logarithms, dkf.WithGap, 7, 0), true, 0.4, 0, phe.Expected, true},
		{filter(dkf.ELBO, dkf.Histogram, dkf.Relative, dkf.WithoutGap, 0, 0), false, 0, 0, phe.Expected, false},
		{filter(dkf.MeanELBO, dkf.Poisson, dkf.Logarithms, dkf.WithoutGap, 7, 4), true, 0, 0, phe.Expected, false},
		{filter(dkf.MeanELBO, dkf.NegativeBinomial, dkf.Relative, dkf.WithGap, 0, 0), false, 0, 0, phe.Expected, false},
		{filter(dkf.MeanELBO, dkf.Histogram, dkf.Raw, dkf.WithGap, 7, 4), false, 0.4, 0, phe.Expected, false},
		{filter(dkf.Predictive, dkf.Poisson, dkf.Relative, dkf.WithGap, 7, 0), true, 0.4, 0, phe.Expected, false},
		{filter(dkf.Predictive, dkf.NegativeBinomial, dkf.Raw, dkf.WithoutGap, 0, 4), false, 0, 0, phe.Expected, false},
		{filter(dkf.Predictive, dkf.Histogram, dkf.Logarithms, dkf.WithGap, 0, 0), false, 0, 0, phe.Expected, false},
		{filter(dkf.MeanELBO, dkf.Poisson, dkf.Raw, dkf.WithoutGap, 0, 0), false, 0, 3, phe.Expected, false},
		{filter(dkf.Predictive, dkf.Histogram, dkf.Relative, dkf.WithGap, 7, 4), true, 0.4, 3, phe.LogAverage, true},
	} {
		t.Run(fmt.Sprintf("%s, %s, %s", c.filter.Objective, c.filter.Likelihood, c.filter.Inputs), func(t *testing.T) {
			if !c.always && nettest.Brief(t) {
				t.Skip("two seconds of compilation")
			}
			config := toyConfig()
			config.Filter, config.ItemDropout, config.Loss = c.filter, c.dropout, c.loss
			if c.samples > 0 {
				config.Encoder.Estimate, config.TrainSamples, config.TestSamples = phe.Posterior, c.samples, c.samples+1
			}
			config.Scope, config.KLWeight = phe.AllParameters, 0
			if c.masked {
				config.Scope = phe.IncrementalColumn
			}
			filetest.Check(t, config.Validate())
			testAgainstPlainGo(t, config)
		})
	}
}

func testAgainstPlainGo(t *testing.T, c dkf.Config) {
	d := toyData(4, randomCounts())
	p := randomParameters(t, c)
	g := callGraph(t, c, d, p, []int32{2, 0})
	for i := range g.predicted.windows {
		want := g.wantDataTerm(p, nil, g.predicted, i)
		filetest.Near(t, float64(g.dataTerm[i]), want, 2e-5*max(1, math.Abs(want)), "the data term of window %d", i)
		outputs := g.wantForecast(p, i)
		for k, v := range g.forecast[i*len(outputs) : (i+1)*len(outputs)] {
			filetest.Near(t, float64(v), outputs[k], 2e-5*max(1, math.Abs(outputs[k])), "output %d of window %d", k, i)
		}
	}
	if g.Encoder.Estimate == phe.Posterior {
		got, want := float64(g.revealed[0][0]), g.wantDataTerm(p, nil, g.updated, 0)+g.wantDataTerm(p, nil, g.updated, 1)
		filetest.Near(t, got, want, 2e-5*max(1, math.Abs(want)), "the sum of an update's data terms")
		return
	}
	n := len(p)
	if g.Scope == phe.IncrementalColumn { // an update moves the tables alone
		n = nettest.NumEmbedding(g.Encoder)
	}
	g.checkGradient(t, p, 0, g.revealed[:n], g.updated)
	g.checkGradient(t, p, nettest.NumEmbedding(g.Encoder), g.weightsGradient, g.predicted)
}

// checkGradient compares the gradient by parameters from number first on with differences of a step's data terms.
func (g drawn) checkGradient(t *testing.T, p [][]float64, first int, gradient [][]float32, of step) {
	t.Helper()
	var others [][]float64
	if g.Scope == phe.IncrementalColumn {
		others = nettest.Converted[float64](p)
	}
	want := nettest.Differences(p[first:first+len(gradient)], func() float64 {
		return g.wantDataTerm(p, others, of, 0) + g.wantDataTerm(p, others, of, 1)
	})
	for k, got := range nettest.Converted[float64](gradient) {
		largest := max(1, floats.Norm(got, math.Inf(1)))
		what := fmt.Sprintf("the gradient of parameter %d", first+k)
		nettest.Same(t, what, [][]float64{got}, want[k:k+1], 5e-5*largest) // float32 sums of terms of this size
	}
}

// randomParameters of one run, large enough for every path to count, in float32's numbers.
func randomParameters(t *testing.T, c dkf.Config) (p [][]float64) {
	rng := rand.New(rand.NewPCG(13, 17))
	draw := func(n int, scale float64) (list []float64) {
		for range n {
			list = append(list, float64(float32(scale*(2*rng.Float64()-1))))
		}
		return
	}
	tables := []int{c.Encoder.NumBuckets * c.Encoder.EmbeddingDim, c.Encoder.NumWeights * c.Encoder.NumHashes}
	for _, size := range tables {
		p = append(p, draw(size, 1.5))
		if c.Encoder.Estimate == phe.Posterior {
			p = append(p, draw(size, 1))
		}
	}
	for _, w := range newModel(t, c).Network.Weights {
		size := 1
		for _, d := range w.Dims {
			size *= d
		}
		p = append(p, draw(size, 0.4))
	}
	return
}

// wantDataTerm is the data term of window i of a step.
func (g drawn) wantDataTerm(p, others [][]float64, of step, i int) float64 {
	columns := len(g.Columns)
	return g.reference.dataTerm(p, g.TrainSamples, func(s int) ([]event, draws) {
		events := g.window(p, others, int(of.windows[i]))
		g.sampled(events, of.embeddings, i, s)
		for place := range events {
			for column := range columns {
				uniform := of.dropout[((s*g.Length+place)*len(of.windows)+i)*columns+column]
				if (uniform+1)/2 < g.ItemDropout {
					clear(events[place].embeddings[column*g.Encoder.EmbeddingDim : (column+1)*g.Encoder.EmbeddingDim])
				}
			}
		}
		return events, g.noise(of.posterior, of.transition, g.TrainSamples, i, s)
	})
}

// wantForecast is window i's prediction: of several samples all outputs, or of a histogram the mean of probabilities.
func (g drawn) wantForecast(p [][]float64, i int) (outputs []float64) {
	samples := len(g.forecastPosterior) / (len(g.predicted.windows) * g.Latent)
	var average []float64
	for s := range samples {
		events := g.window(p, nil, int(g.predicted.windows[i]))
		g.sampled(events, g.forecastedEmbeddings, i, s)
		o := g.reference.forecast(p, events, g.noise(g.forecastPosterior, g.forecastTransition, samples, i, s))
		outputs = append(outputs, o...)
		if average == nil {
			average = make([]float64, len(o))
		}
		for k, v := range logSoftmax(o) {
			average[k] += math.Exp(v) / float64(samples)
		}
	}
	if g.Likelihood != dkf.Histogram {
		return
	}
	for k, v := range average {
		average[k] = math.Log(v)
	}
	return average
}
