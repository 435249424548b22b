package dkf_test

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/dkf"
	"gophe/phe/learn"
	"gophe/phe/phetest"
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
		name    string
		filter  dkf.Filter
		masked  bool
		dropout float64
		samples int // of a posterior; 0 is a point estimate
		loss    phe.Loss
		always  bool // also where each case takes two seconds to compile
	}{
		{"ELBO, Poisson, raw", filter(dkf.ELBO, dkf.Poisson, dkf.Raw, dkf.WithGap, 0, 4), false, 0, 0, phe.Expected, false},
		{"ELBO, negative binomial, logarithms", filter(dkf.ELBO, dkf.NegativeBinomial, dkf.Logarithms, dkf.WithGap, 7, 0), true, 0.4, 0, phe.Expected, true},
		{"ELBO, pack sizes, relative", filter(dkf.ELBO, dkf.Histogram, dkf.Relative, dkf.WithoutGap, 0, 0), false, 0, 0, phe.Expected, false},
		{"mean ELBO, Poisson, logarithms", filter(dkf.MeanELBO, dkf.Poisson, dkf.Logarithms, dkf.WithoutGap, 7, 4), true, 0, 0, phe.Expected, false},
		{"mean ELBO, negative binomial, relative", filter(dkf.MeanELBO, dkf.NegativeBinomial, dkf.Relative, dkf.WithGap, 0, 0), false, 0, 0, phe.Expected, false},
		{"mean ELBO, pack sizes, raw", filter(dkf.MeanELBO, dkf.Histogram, dkf.Raw, dkf.WithGap, 7, 4), false, 0.4, 0, phe.Expected, false},
		{"predictive, Poisson, relative", filter(dkf.Predictive, dkf.Poisson, dkf.Relative, dkf.WithGap, 7, 0), true, 0.4, 0, phe.Expected, false},
		{"predictive, negative binomial, raw", filter(dkf.Predictive, dkf.NegativeBinomial, dkf.Raw, dkf.WithoutGap, 0, 4), false, 0, 0, phe.Expected, false},
		{"predictive, pack sizes, logarithms", filter(dkf.Predictive, dkf.Histogram, dkf.Logarithms, dkf.WithGap, 0, 0), false, 0, 0, phe.Expected, false},
		{"the authors', samples", filter(dkf.MeanELBO, dkf.Poisson, dkf.Raw, dkf.WithoutGap, 0, 0), false, 0, 3, phe.Expected, false},
		{"forecasting, samples", filter(dkf.Predictive, dkf.Histogram, dkf.Relative, dkf.WithGap, 7, 4), true, 0.4, 3, phe.LogAverage, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !c.always && phetest.Brief(t) {
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
			check(t, config.Validate())
			testAgainstPlainGo(t, config)
		})
	}
}

// drawn is what the graph said, and drew, for some windows.
type drawn struct {
	reference
	predicted step // a prediction's, in which the data term is computed too
	updated   step // an update's

	dataTerm, forecast                    []float32
	forecastPosterior, forecastTransition []float64   // [samples·windows, latent]
	forecastedEmbeddings                  []float32   // [samples, length·windows, columns, dim], of a posterior
	weightsGradient                       [][]float32 // of the data terms' sum by θ, in the prediction

	// revealed, in place of each updated parameter, is the gradient of the sum of the update's data terms by it: of a point
	// estimate. Of a posterior it is that sum.
	revealed [][]float32
}

// step is what a training step draws.
type step struct {
	windows               []int32   // in the order in which they draw
	posterior, transition []float64 // normals [events, samples·windows, latent]
	dropout               []float32 // uniforms [samples, length·windows, columns]
	embeddings            []float32 // [samples, length·windows, columns, dim], of a posterior
}

func testAgainstPlainGo(t *testing.T, c dkf.Config) {
	d := toyData(4, randomCounts())
	p := randomParameters(t, c)
	g := callGraph(t, c, d, p, []int32{2, 0})
	for i := range g.predicted.windows {
		if got, want := float64(g.dataTerm[i]), g.wantDataTerm(p, nil, g.predicted, i); !(math.Abs(got-want) <= 2e-5*max(1, math.Abs(want))) {
			t.Errorf("the data term of window %d is %.8g, want %.8g", i, got, want)
		}
		want := g.wantForecast(p, i)
		for k, v := range g.forecast[i*len(want) : (i+1)*len(want)] {
			if !(math.Abs(float64(v)-want[k]) <= 2e-5*max(1, math.Abs(want[k]))) {
				t.Errorf("output %d of window %d is %.8g, want %.8g", k, i, v, want[k])
				break
			}
		}
	}
	if g.Encoder.Estimate == phe.Posterior {
		got, want := float64(g.revealed[0][0]), g.wantDataTerm(p, nil, g.updated, 0)+g.wantDataTerm(p, nil, g.updated, 1)
		if !(math.Abs(got-want) <= 2e-5*max(1, math.Abs(want))) {
			t.Errorf("an update's data terms sum to %.8g, want %.8g", got, want)
		}
		return
	}
	n := len(p)
	if g.Scope == phe.IncrementalColumn { // an update moves the tables alone
		n = g.numEmbedding()
	}
	g.checkGradient(t, p, 0, g.revealed[:n], g.updated)
	g.checkGradient(t, p, g.numEmbedding(), g.weightsGradient, g.predicted)
}

// checkGradient compares the gradient by parameters from number first on with differences of a step's data terms.
func (g drawn) checkGradient(t *testing.T, p [][]float64, first int, gradient [][]float32, of step) {
	t.Helper()
	var others [][]float64
	if g.Scope == phe.IncrementalColumn {
		others = cloneLists(p)
	}
	const h = 1e-5
	at := func() float64 { return g.wantDataTerm(p, others, of, 0) + g.wantDataTerm(p, others, of, 1) }
	for k, got := range gradient {
		list := p[first+k]
		largest := 1.0
		for _, v := range got {
			largest = max(largest, math.Abs(float64(v)))
		}
		for i, v := range list {
			list[i] = v + h
			up := at()
			list[i] = v - h
			want := (up - at()) / (2 * h)
			list[i] = v
			if got := float64(got[i]); !(math.Abs(got-want) <= 5e-5*largest) { // float32 sums of terms of this size
				t.Errorf("the gradient of parameter %d, entry %d is %.7g, want %.7g", first+k, i, got, want)
				break
			}
		}
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
	for _, w := range newModel(t, c).Weights() {
		size := 1
		for _, d := range w.Dims {
			size *= d
		}
		p = append(p, draw(size, 0.4))
	}
	return
}

// callGraph computes everything of one run: in a prediction, and in an update.
func callGraph(t *testing.T, c dkf.Config, d dkf.Data, p [][]float64, windows []int32) drawn {
	t.Helper()
	encoder, err := phe.NewEncoder(c.Encoder)
	check(t, err)
	rows, err := encoder.Items(d.Items)
	check(t, err)
	isPoint := c.Encoder.Estimate == phe.Point
	order := firstOrder(windows)
	o := observe(t, c, d, float32Lists(p), len(windows), revealing{loss: !isPoint}, func(m *dkf.Model, p learn.Pass) []*Node {
		update := p
		key := phe.NoiseKey(observationSeed, "update noise")
		update.Noise = phe.NewNoise(Const(p.Index.Graph(), []uint32{key})).At(Const(p.Index.Graph(), uint32(0)))
		terms := dataTerm(m, p)
		terms.AssertDims(1, len(windows))
		results := []*Node{terms, forecast(m, p)}
		results = append(results, forecastDraws(c, d, p, windows)...)
		results = append(results, stepDraws(c, d, p, windows)...)
		results = append(results, stepDraws(c, d, update, order)...)
		if isPoint {
			results = append(results, Gradient(ReduceAllSum(terms), p.Weights...)...)
		}
		return results
	})
	out := o.look(t, windows)
	g := drawn{reference: reference{c, d, rows}, dataTerm: out[0], forecast: out[1],
		forecastPosterior: float64s(out[2]), forecastTransition: float64s(out[3]), forecastedEmbeddings: out[4],
		predicted: step{windows, float64s(out[5]), float64s(out[6]), out[7], out[8]},
		updated:   step{order, float64s(out[9]), float64s(out[10]), out[11], out[12]}}
	if isPoint {
		g.weightsGradient = out[13:]
	}
	g.revealed = o.reveal(t, windows)
	for _, list := range g.revealed { // an update descends the negative sum
		for i := range list {
			list[i] = -list[i]
		}
	}
	return g
}

// firstOrder is how a learner shuffles the records of its first update.
func firstOrder(records []int32) (order []int32) {
	rng := rand.New(rand.NewPCG(uint64(phe.NoiseKey(observationSeed, "update order")), 0))
	for _, at := range rng.Perm(len(records)) {
		order = append(order, records[at])
	}
	return
}

// indexOf lists the items of windows' events from … to−1, place after place.
func indexOf(c dkf.Config, d dkf.Data, windows []int32, from, to int) (index [][]int32) {
	columns := len(c.Columns)
	for place := from; place < to; place++ {
		for _, w := range windows {
			e := int(d.Windows[int(w)*c.Length+place])
			index = append(index, d.Index[e*columns:(e+1)*columns])
		}
	}
	return
}

// stepDraws are the arrays of a [step] for windows under the noise of p.
func stepDraws(c dkf.Config, d dkf.Data, p learn.Pass, windows []int32) []*Node {
	p.Samples = c.TrainSamples
	events := c.Length
	if c.Objective == dkf.Predictive {
		events--
	}
	index := indexOf(c, d, windows, 0, c.Length)
	normal := func(use uint32) *Node { return p.Noise.Normal(use, 1, events*p.Samples*len(windows), c.Latent) }
	return []*Node{normal(dkf.NoisePosterior), normal(dkf.NoiseTransition),
		p.Noise.Uniform(dkf.NoiseDropout, p.Samples, len(index), len(c.Columns), 1), p.Embed(Const(p.Index.Graph(), index))}
}

// forecastDraws are normals of the posterior and of the transition, and embeddings, of a prediction.
func forecastDraws(c dkf.Config, d dkf.Data, p learn.Pass, windows []int32) []*Node {
	embed := func(from, to int, noise phe.Noise) *Node {
		p.Noise = noise
		return p.Embed(Const(p.Index.Graph(), indexOf(c, d, windows, from, to)))
	}
	own := p.Noise
	normal := func(use uint32) *Node { return own.Normal(use, 1, p.Samples*len(windows), c.Latent) }
	embeddings := embed(0, c.Length, own)
	if c.Prediction == dkf.Forecast { // the last event's noise is its own
		embeddings = Concatenate([]*Node{embed(0, c.Length-1, own),
			embed(c.Length-1, c.Length, own.At(Const(p.Index.Graph(), uint32(1))))}, 1)
	}
	return []*Node{normal(dkf.NoisePosterior), normal(dkf.NoiseTransition), embeddings}
}

// sampled replaces the embeddings of the events of window i by sample s of the posterior's, where it is one.
func (g drawn) sampled(events []event, embeddings []float32, i, s int) {
	if g.Encoder.Estimate == phe.Point {
		return
	}
	width := len(g.Columns) * g.Encoder.EmbeddingDim
	for place := range events {
		at := ((s*g.Length+place)*len(g.predicted.windows) + i) * width
		events[place].embeddings = float64s(embeddings[at : at+width])
	}
}

// noise of row s·windows + i.
func (g drawn) noise(posterior, transition []float64, samples, i, s int) draws {
	at := func(normals []float64) func(int) []float64 {
		return func(event int) []float64 {
			start := ((event*samples+s)*len(g.predicted.windows) + i) * g.Latent
			return normals[start : start+g.Latent]
		}
	}
	return draws{at(posterior), at(transition)}
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
				if (float64(uniform)+1)/2 < g.ItemDropout {
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

func cloneLists(p [][]float64) (c [][]float64) {
	for _, list := range p {
		c = append(c, append([]float64{}, list...))
	}
	return
}

func float64s(x []float32) (wide []float64) {
	for _, v := range x {
		wide = append(wide, float64(v))
	}
	return
}

func float32Lists(p [][]float64) (narrow [][]float32) {
	for _, list := range p {
		var values []float32
		for _, v := range list {
			values = append(values, float32(v))
		}
		narrow = append(narrow, values)
	}
	return
}
