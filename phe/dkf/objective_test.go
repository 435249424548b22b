package dkf_test

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"gophe/phe"
	"gophe/phe/dkf"
	"gophe/phe/online"
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
		{"ELBO, pack sizes, relative", filter(dkf.ELBO, dkf.PackSizes, dkf.Relative, dkf.WithoutGap, 0, 0), false, 0, 0, phe.Expected, false},
		{"mean ELBO, Poisson, logarithms", filter(dkf.MeanELBO, dkf.Poisson, dkf.Logarithms, dkf.WithoutGap, 7, 4), true, 0, 0, phe.Expected, false},
		{"mean ELBO, negative binomial, relative", filter(dkf.MeanELBO, dkf.NegativeBinomial, dkf.Relative, dkf.WithGap, 0, 0), false, 0, 0, phe.Expected, false},
		{"mean ELBO, pack sizes, raw", filter(dkf.MeanELBO, dkf.PackSizes, dkf.Raw, dkf.WithGap, 7, 4), false, 0.4, 0, phe.Expected, false},
		{"predictive, Poisson, relative", filter(dkf.Predictive, dkf.Poisson, dkf.Relative, dkf.WithGap, 7, 0), true, 0.4, 0, phe.Expected, false},
		{"predictive, negative binomial, raw", filter(dkf.Predictive, dkf.NegativeBinomial, dkf.Raw, dkf.WithoutGap, 0, 4), false, 0, 0, phe.Expected, false},
		{"predictive, pack sizes, logarithms", filter(dkf.Predictive, dkf.PackSizes, dkf.Logarithms, dkf.WithGap, 0, 0), false, 0, 0, phe.Expected, false},
		{"the authors', samples", filter(dkf.MeanELBO, dkf.Poisson, dkf.Raw, dkf.WithoutGap, 0, 0), false, 0, 3, phe.Expected, false},
		{"forecasting, samples", filter(dkf.Predictive, dkf.PackSizes, dkf.Relative, dkf.WithGap, 7, 4), true, 0.4, 3, phe.LogAverage, true},
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
			check(t, config.Validate())
			testAgainstPlainGo(t, config, c.masked)
		})
	}
}

// drawn is what the graph said, and drew, for a batch of windows.
type drawn struct {
	reference
	windows []int32
	masked  bool

	dataTerm, forecast                       []float32
	posterior, transition                    []float64 // normals [events, samples·windows, latent] of the data term
	forecastPosterior, forecastTransition    []float64 // [samples·windows, latent]
	dropout                                  []float32 // uniforms [samples, length·windows, columns]
	trainingEmbeddings, forecastedEmbeddings []float32 // [samples, length·windows, columns, dim], of a posterior
	gradient                                 [][]float32
}

func testAgainstPlainGo(t *testing.T, c dkf.Config, masked bool) {
	d := toyData(4, randomCounts())
	p := randomParameters(c)
	g := callGraph(t, c, d, p, []int32{2, 0}, masked)
	for i := range g.windows {
		if got, want := float64(g.dataTerm[i]), g.wantDataTerm(p, nil, i); !(math.Abs(got-want) <= 2e-5*max(1, math.Abs(want))) {
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
	if g.gradient == nil {
		return
	}
	var others [][]float64
	if masked {
		others = cloneLists(p)
	}
	const h = 1e-5
	at := func() float64 { return g.wantDataTerm(p, others, 0) + g.wantDataTerm(p, others, 1) }
	for list := range p {
		largest := 1.0
		for _, v := range g.gradient[list] {
			largest = max(largest, math.Abs(float64(v)))
		}
		for i, v := range p[list] {
			p[list][i] = v + h
			up := at()
			p[list][i] = v - h
			want := (up - at()) / (2 * h)
			p[list][i] = v
			if got := float64(g.gradient[list][i]); !(math.Abs(got-want) <= 5e-5*largest) { // float32 sums of terms of this size
				t.Errorf("the gradient of parameter %d, entry %d is %.7g, want %.7g", list, i, got, want)
				break
			}
		}
	}
}

// randomParameters of one run, large enough for every path to count, in float32's numbers.
func randomParameters(c dkf.Config) (p [][]float64) {
	rng := rand.New(rand.NewPCG(13, 17))
	draw := func(n int, scale float64) (list []float64) {
		for range n {
			list = append(list, float64(float32(scale*(2*rng.Float64()-1))))
		}
		return
	}
	n, _, err := dkf.NewNetwork(c, dkf.Data{Items: []string{"an item"}})
	if err != nil {
		panic(err)
	}
	tables := []int{c.Encoder.NumBuckets * c.Encoder.EmbeddingDim, c.Encoder.NumWeights * c.Encoder.NumHashes}
	for _, size := range tables {
		p = append(p, draw(size, 1.5))
		if c.Encoder.Estimate == phe.Posterior {
			p = append(p, draw(size, 1))
		}
	}
	for _, w := range n.Weights() {
		size := 1
		for _, d := range w.Dims {
			size *= d
		}
		p = append(p, draw(size, 0.4))
	}
	return
}

// callGraph computes everything of one run in one program.
func callGraph(t *testing.T, c dkf.Config, d dkf.Data, p [][]float64, windows []int32, masked bool) drawn {
	t.Helper()
	encoder, err := phe.NewEncoder(c.Encoder)
	check(t, err)
	rows, err := encoder.Items(d.Items)
	check(t, err)
	n, data, err := dkf.NewNetwork(c, d)
	check(t, err)
	point := c.Encoder.Estimate == phe.Point
	numParameters, events := len(p), c.Length
	if c.Objective == dkf.Predictive {
		events--
	}
	args := []any{[]uint32{99}, [][]int32{windows}}
	for i, dims := range parameterDims(c, n) {
		args = append(args, tensors.FromFlatDataAndDimensions(float32s(p[i]), dims...))
	}
	for _, x := range data {
		args = append(args, x)
	}
	out := phetest.Call(t, phetest.Backend(t), func(a []*Node) []*Node {
		noise, nodes := phe.NewNoise(a[0]), a[2:2+numParameters]
		parameters, rest := parametersOf(c, nodes)
		b := online.Batch{Rows: a[1], Data: a[2+numParameters:]}
		dataTerm := n.DataTerm(online.Parameters{Tables: parameters, Weights: rest}, b, noise, masked)
		dataTerm.AssertDims(1, len(windows))
		index := make([][]int32, 0, c.Length*len(windows)) // place after place
		for place := range c.Length {
			for _, w := range windows {
				e := int(d.Windows[int(w)*c.Length+place])
				index = append(index, d.Index[e*c.Columns:(e+1)*c.Columns])
			}
		}
		embed := func(index [][]int32, samples int, noise phe.Noise) *Node {
			slots := phe.Slots{Buckets: b.Data[0], Weights: b.Data[1]}
			return encoder.Embed(parameters, slots, Const(a[0].Graph(), index), c.Scheme, samples, noise)
		}
		predicted := embed(index, c.TestSamples, noise)
		if c.Prediction == dkf.Forecast { // the last event's noise is its own
			past, last := index[:(c.Length-1)*len(windows)], index[(c.Length-1)*len(windows):]
			predicted = Concatenate([]*Node{embed(past, c.TestSamples, noise),
				embed(last, c.TestSamples, noise.At(Const(a[0].Graph(), uint32(1))))}, 1)
		}
		normal := func(use uint32, events, samples int) *Node {
			return noise.Normal(use, 1, events*samples*len(windows), c.Latent)
		}
		results := []*Node{
			dataTerm, n.Predict(online.Parameters{Tables: parameters, Weights: rest}, b, noise),
			normal(dkf.NoisePosterior, events, c.TrainSamples), normal(dkf.NoiseTransition, events, c.TrainSamples),
			normal(dkf.NoisePosterior, 1, c.TestSamples), normal(dkf.NoiseTransition, 1, c.TestSamples),
			noise.Uniform(dkf.NoiseDropout, c.TrainSamples, len(index), c.Columns, 1),
			embed(index, c.TrainSamples, noise), predicted,
		}
		if point {
			results = append(results, Gradient(ReduceAllSum(dataTerm), nodes...)...)
		}
		return results
	}, args...)
	g := drawn{reference: reference{c, d, rows}, windows: windows, masked: masked, dataTerm: out[0], forecast: out[1],
		posterior: float64s(out[2]), transition: float64s(out[3]), forecastPosterior: float64s(out[4]), forecastTransition: float64s(out[5]),
		dropout: out[6], trainingEmbeddings: out[7], forecastedEmbeddings: out[8]}
	if point {
		g.gradient = out[9:]
	}
	return g
}

func parameterDims(c dkf.Config, n online.Network) (dims [][]int) {
	tables := [][]int{{c.Encoder.NumBuckets, c.Encoder.EmbeddingDim}, {c.Encoder.NumWeights, c.Encoder.NumHashes}}
	for _, d := range tables {
		dims = append(dims, d)
		if c.Encoder.Estimate == phe.Posterior {
			dims = append(dims, d)
		}
	}
	for _, w := range n.Weights() {
		dims = append(dims, append([]int{1}, w.Dims...))
	}
	return
}

func parametersOf(c dkf.Config, nodes []*Node) (phe.Tables, []*Node) {
	if c.Encoder.Estimate == phe.Point {
		return phe.Tables{E: phe.FromLogStdDev(nodes[0], nil), W: phe.FromLogStdDev(nodes[1], nil)}, nodes[2:]
	}
	return phe.Tables{E: phe.FromLogStdDev(nodes[0], nodes[1]), W: phe.FromLogStdDev(nodes[2], nodes[3])}, nodes[4:]
}

// sampled replaces the embeddings of the events of window i by sample s of the posterior's, where it is one.
func (g drawn) sampled(events []event, embeddings []float32, i, s int) {
	if g.Encoder.Estimate == phe.Point {
		return
	}
	width := g.Columns * g.Encoder.EmbeddingDim
	for place := range events {
		at := ((s*g.Length+place)*len(g.windows) + i) * width
		events[place].embeddings = float64s(embeddings[at : at+width])
	}
}

// noise of row s·windows + i.
func (g drawn) noise(posterior, transition []float64, samples, i, s int) draws {
	at := func(normals []float64) func(int) []float64 {
		return func(event int) []float64 {
			start := ((event*samples+s)*len(g.windows) + i) * g.Latent
			return normals[start : start+g.Latent]
		}
	}
	return draws{at(posterior), at(transition)}
}

func (g drawn) wantDataTerm(p, others [][]float64, i int) float64 {
	return g.reference.dataTerm(p, g.TrainSamples, func(s int) ([]event, draws) {
		events := g.window(p, others, int(g.windows[i]))
		g.sampled(events, g.trainingEmbeddings, i, s)
		for place := range events {
			for column := range g.Columns {
				uniform := g.dropout[((s*g.Length+place)*len(g.windows)+i)*g.Columns+column]
				if (float64(uniform)+1)/2 < g.ItemDropout {
					clear(events[place].embeddings[column*g.Encoder.EmbeddingDim : (column+1)*g.Encoder.EmbeddingDim])
				}
			}
		}
		return events, g.noise(g.posterior, g.transition, g.TrainSamples, i, s)
	})
}

// wantForecast is window i's prediction: of several samples all outputs, or with pack sizes the mean of probabilities.
func (g drawn) wantForecast(p [][]float64, i int) (outputs []float64) {
	samples := len(g.forecastPosterior) / (len(g.windows) * g.Latent)
	var average []float64
	for s := range samples {
		events := g.window(p, nil, int(g.windows[i]))
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
	if g.Likelihood != dkf.PackSizes {
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

func float32s(x []float64) (narrow []float32) {
	for _, v := range x {
		narrow = append(narrow, float32(v))
	}
	return
}
