package dkf_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/dkf"
)

// drawn holds the numbers that the graph computed and drew for some windows.
type drawn struct {
	reference
	predicted step // a prediction's, in which the data term is computed too
	updated   step // an update's

	dataTerm, forecast                    []float32
	forecastPosterior, forecastTransition []float64   // [samples·windows, latent]
	forecastedEmbeddings                  []float64   // [samples, length·windows, columns, dim], of a posterior
	weightsGradient                       [][]float32 // of the data terms' sum by θ, in the prediction

	// revealed, in place of each updated parameter, is the gradient of the sum of the update's data terms by it: of a point
	// estimate. Of a posterior it is that sum.
	revealed [][]float32
}

// step holds the draws of a training step.
type step struct {
	windows               []int32   // in the order in which they draw
	posterior, transition []float64 // normals [events, samples·windows, latent]
	dropout               []float64 // uniforms [samples, length·windows, columns]
	embeddings            []float64 // [samples, length·windows, columns, dim], of a posterior
}

// callGraph computes everything of one run: in a prediction, and in an update.
func callGraph(t *testing.T, c dkf.Config, d dkf.Data, p [][]float64, windows []int32) drawn {
	t.Helper()
	encoder := filetest.Must(phe.NewEncoder(c.Encoder))(t)
	rows := filetest.Must(encoder.Items(d.Items))(t)
	isPoint := c.Encoder.Estimate == phe.Point
	order := firstOrder(windows)
	o := observe(t, c, d, nettest.Converted[float32](p), len(windows), revealing(!isPoint), func(m *dkf.Model, p learn.Pass) []*Node {
		update := p
		key := phe.NoiseKey(observationSeed, "update noise")
		update.Noise = phe.Noise{Keys: Const(p.Index.Graph(), []uint32{key})}.At(Const(p.Index.Graph(), uint32(0)))
		terms := dataTerm(m, p)
		terms.AssertDims(1, len(windows))
		results := slices.Concat([]*Node{terms, forecast(m, p)}, forecastDraws(c, d, p, windows), stepDraws(c, d, p, windows),
			stepDraws(c, d, update, order))
		if isPoint {
			results = append(results, Gradient(ReduceAllSum(terms), p.Weights...)...)
		}
		return results
	})
	out := o.look(t, windows)
	wide := nettest.Converted[float64](out)
	g := drawn{reference: reference{c, d, rows}, dataTerm: out[0], forecast: out[1],
		forecastPosterior: wide[2], forecastTransition: wide[3], forecastedEmbeddings: wide[4],
		predicted: step{windows, wide[5], wide[6], wide[7], wide[8]},
		updated:   step{order, wide[9], wide[10], wide[11], wide[12]}}
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

// sampled replaces the embeddings of the events of window i by sample s of the posterior, if there is a posterior.
func (g drawn) sampled(events []event, embeddings []float64, i, s int) {
	if g.Encoder.Estimate == phe.Point {
		return
	}
	width := len(g.Columns) * g.Encoder.EmbeddingDim
	for place := range events {
		at := ((s*g.Length+place)*len(g.predicted.windows) + i) * width
		events[place].embeddings = slices.Clone(embeddings[at : at+width])
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
