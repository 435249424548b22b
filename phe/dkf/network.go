package dkf

import (
	"cmp"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/online"
)

// Uses of a step's noise; the encoder's own are smaller numbers.
const (
	noisePosterior uint32 = iota + 20
	noiseTransition
	noiseDropout
)

// network is the filter's graph for a number of runs side by side.
type network struct {
	Config
	encoder *phe.Encoder
	items   int       // distinct ones of the data
	maxima  []float32 // what raw numbers are divided by
}

// layers of the filter, in the order of their weights.
type layers struct {
	gru                             gru
	posterior, transition, emission perceptron
}

// size is a linear map's; fanIn limits its start, and in PyTorch's GRU is the state's for both of its maps.
type size struct{ in, out, fanIn int }

// sizes lists the linear maps, in their order.
func (m network) sizes() (maps []size) {
	add := func(in, hidden, out int) {
		if hidden > 0 {
			maps = append(maps, size{in, hidden, in})
			in = hidden
		}
		maps = append(maps, size{in, out, in})
	}
	known := m.Columns*m.Encoder.EmbeddingDim + m.Numbers
	if m.Inputs == Relative {
		known += m.Numbers + 2
	}
	maps = append(maps, size{known + 2, 3 * m.Hidden, m.Hidden}, size{m.Hidden, 3 * m.Hidden, m.Hidden})
	add(m.Hidden, 0, 2*m.Latent)
	before := m.Latent
	if m.Transition == WithGap {
		before++
	}
	add(before, m.TransitionHidden, 2*m.Latent)
	add(known+m.Latent, m.EmissionHidden, m.outputs())
	return maps
}

// Weights of the maps start as PyTorch's.
func (m network) Weights() (weights []online.Weight) {
	for _, s := range m.sizes() {
		limit := 1 / math.Sqrt(float64(s.fanIn))
		weights = append(weights, online.Weight{Dims: []int{s.in, s.out}, Limit: limit}, online.Weight{Dims: []int{s.out}, Limit: limit})
	}
	return weights
}

// layers groups the weights.
func (m network) layers(weights []*Node) layers {
	next := func() linear { l := linear{weights[0], weights[1]}; weights = weights[2:]; return l }
	layer := func(hidden int) perceptron {
		if hidden > 0 {
			return perceptron{next(), next()}
		}
		return perceptron{next()}
	}
	return layers{gru{next(), next()}, layer(0), layer(m.TransitionHidden), layer(m.EmissionHidden)}
}

// DataTerm is the sequence's ELBO, or the log-likelihood of forecasts, of each window, in nats.
func (m network) DataTerm(p online.Parameters, b online.Batch, noise phe.Noise, masked bool) *Node {
	w, l := m.embed(p, b, m.read(b), m.TrainSamples, noise, masked, true), m.layers(p.Weights)
	if m.Objective == Predictive {
		later := w.events(1, m.Length)
		q := m.posterior(l, w.events(0, m.Length-1))
		z := q.sample(m.normals(noise, noisePosterior, q.mean))
		next := m.transition(l, z, later.gaps)
		z = next.sample(m.normals(noise, noiseTransition, next.mean))
		return ReduceMean(m.logLikelihood(m.emission(l, later, z), later.targets), 1)
	}
	q := m.posterior(l, w)
	z := q.sample(m.normals(noise, noisePosterior, q.mean))
	likelihood := ReduceSum(m.logLikelihood(m.emission(l, w, z), w.targets), 1)
	elbo := Sub(likelihood, m.overSamples(ReduceSum(m.divergence(l, w, q, z), 1)))
	if m.Objective == MeanELBO {
		return DivScalar(elbo, float64(m.Length))
	}
	return elbo
}

// overSamples averages x, [runs, samples·rows], to [runs, rows].
func (m network) overSamples(x *Node) *Node {
	d := x.Shape().Dimensions
	return ReduceMean(Reshape(x, d[0], m.TrainSamples, -1), 1)
}

// logLikelihood of targets, [runs, events, rows], given outputs, [runs, events, samples·rows, outputs]: reduced over the
// samples event by event, [runs, events, rows] in nats.
func (m network) logLikelihood(outputs, targets *Node) *Node {
	d := targets.Shape().Dimensions
	samples := m.TrainSamples
	outputs = Reshape(outputs, d[0], d[1], samples, d[2], m.outputs())
	perSample := m.likelihoodOf(outputs, BroadcastToDims(InsertAxes(targets, 2), d[0], d[1], samples, d[2]))
	flat := Reshape(TransposeAllAxes(perSample, 2, 0, 1, 3), samples, -1)
	return Reshape(m.Loss.Reduce(flat, nil), d...)
}

// Predict describes the law of each window's last count under every sample: [runs·rows, samples, outputs] with Poisson and
// NegativeBinomial, in the form of [Likelihood]; and [runs·rows, cells], the logarithm of averaged probabilities, with
// PackSizes.
func (m network) Predict(p online.Parameters, b online.Batch, noise phe.Noise) *Node {
	w, l := m.read(b), m.layers(p.Weights)
	var last windows
	var z *Node
	if m.Prediction == Reconstruction {
		w = m.embed(p, b, w, m.TestSamples, noise, false, false)
		last = w.events(m.Length-1, m.Length)
		q := m.posterior(l, w).at(m.Length - 1)
		z = q.sample(m.normals(noise, noisePosterior, q.mean))
	} else {
		past := m.embed(p, b, w.events(0, m.Length-1), m.historySamples(), noise, false, false)
		last = m.embed(p, b, w.events(m.Length-1, m.Length), m.TestSamples, noise.At(Const(l.gru.input.bias.Graph(), uint32(1))), false, false)
		q := m.posterior(l, past).at(m.Length - 2).repeat(m.TestSamples / m.historySamples())
		next := m.transition(l, q.sample(m.normals(noise, noisePosterior, q.mean)), last.gaps)
		z = next.sample(m.normals(noise, noiseTransition, next.mean))
	}
	outputs := m.emission(l, last, z)
	runs, rows := b.Size()
	outputs = TransposeAllAxes(Reshape(outputs, runs, -1, rows, m.outputs()), 0, 2, 1, 3)
	outputs = Reshape(outputs, runs*rows, -1, m.outputs())
	if m.Likelihood == PackSizes {
		return phe.LogMeanExp(TransposeAllAxes(LogSoftmax(outputs, -1), 1, 0, 2), nil)
	}
	return outputs
}

// historySamples of the embeddings of the events before the last: a point estimate has one.
func (m network) historySamples() int {
	if m.Encoder.Estimate == phe.Point {
		return 1
	}
	return cmp.Or(m.HistorySamples, m.TestSamples)
}
