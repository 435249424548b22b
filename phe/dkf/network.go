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

// sizes lists the linear maps: inputs and outputs, and the fan-in that limits their start, which PyTorch's GRU counts from
// its state.
func (m network) sizes() (maps [][3]int) {
	add := func(in, hidden, out int) {
		if hidden > 0 {
			maps = append(maps, [3]int{in, hidden, in})
			in = hidden
		}
		maps = append(maps, [3]int{in, out, in})
	}
	known := m.Columns*m.Encoder.EmbeddingDim + m.Numbers
	if m.Inputs == Relative {
		known += m.Numbers + 2
	}
	maps = append(maps, [3]int{known + 2, 3 * m.Hidden, m.Hidden}, [3]int{m.Hidden, 3 * m.Hidden, m.Hidden})
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
		limit := 1 / math.Sqrt(float64(s[2]))
		weights = append(weights, online.Weight{Dims: []int{s[0], s[1]}, Limit: limit}, online.Weight{Dims: []int{s[1]}, Limit: limit})
	}
	return weights
}

// layers groups the weights.
func (m network) layers(weights []*Node) layers {
	next := func() linear { l := linear{weights[0], weights[1]}; weights = weights[2:]; return l }
	network := func(hidden int) perceptron {
		if hidden > 0 {
			return perceptron{next(), next()}
		}
		return perceptron{next()}
	}
	return layers{gru{next(), next()}, network(0), network(m.TransitionHidden), network(m.EmissionHidden)}
}

// gaussian is a diagonal Gaussian over z, of [runs, …, latent].
type gaussian struct{ mean, logStdDev *Node }

func (g gaussian) sample(noise *Node) *Node { return Add(g.mean, Mul(Exp(g.logStdDev), noise)) }

// divergence is KL(q ‖ p), summed over z: [runs, …].
func (q gaussian) divergence(p gaussian) *Node {
	logRatio := MulScalar(Sub(q.logStdDev, p.logStdDev), 2)
	shift := Square(Div(Sub(q.mean, p.mean), Exp(p.logStdDev)))
	return MulScalar(ReduceSum(Sub(Add(Exp(logRatio), shift), OnePlus(logRatio)), -1), 0.5)
}

func (m network) halves(x *Node) gaussian {
	axes := make([]SliceAxisSpec, x.Rank())
	for i := range axes {
		axes[i] = AxisRange()
	}
	half := func(i int) *Node {
		axes[len(axes)-1] = AxisRange(i*m.Latent, (i+1)*m.Latent)
		return Slice(x, axes...)
	}
	return gaussian{half(0), half(1)}
}

// posterior is q_φ(z_i | history) of the first length events (Sec. 4.3): [runs, length, samples·rows, latent].
func (m network) posterior(l layers, w windows, length int) gaussian {
	x := Concatenate([]*Node{w.embeddings, w.numbers, w.seen, w.gaps}, -1)
	return m.halves(l.posterior.apply(l.gru.unroll(positions(x, 0, length))))
}

// transition is p(z_i | z_{i−1}, Δ_i): z and gaps are [runs, events, samples·rows, …].
func (m network) transition(l layers, z, gaps *Node) gaussian {
	x := z
	if m.Transition == WithGap {
		x = Concatenate([]*Node{z, gaps}, -1)
	}
	p := m.halves(l.transition.apply(x))
	if m.TransitionHidden > 0 {
		p.mean = Add(z, p.mean)
	}
	return p
}

// emission describes p(y_i | z_i, E, x_i) of the events of w: outputs [runs, events, samples·rows, outputs].
func (m network) emission(l layers, w windows, z *Node) *Node {
	return l.emission.apply(Concatenate([]*Node{w.embeddings, z, w.numbers}, -1))
}

// positions takes events from … to−1 of x, [runs, length, …].
func positions(x *Node, from, to int) *Node { return Slice(x, AxisRange(), AxisRange(from, to)) }

// normals are standard, shaped as z of so many events.
func (m network) normals(noise phe.Noise, use uint32, like *Node) *Node {
	d := like.Shape().Dimensions
	return Reshape(noise.Normal(use, 1, d[0]*d[1]*d[2], d[3]), d...)
}

// DataTerm is the sequence's ELBO, or the log-likelihood of forecasts, of each window, in nats.
func (m network) DataTerm(p online.Parameters, b online.Batch, noise phe.Noise, masked bool) *Node {
	w, l := m.read(p, b, m.TrainSamples, noise, masked, true), m.layers(p.Weights)
	_, rows := b.Size()
	if m.Objective == Predictive {
		w, q := m.underSamples(w, m.posterior(l, w, m.Length-1), m.TrainSamples, rows)
		z := q.sample(m.normals(noise, noisePosterior, q.mean))
		next := m.transition(l, z, positions(w.gaps, 1, m.Length))
		z = next.sample(m.normals(noise, noiseTransition, next.mean))
		return ReduceMean(m.logLikelihood(m.emission(l, w.events(1, m.Length), z), positions(w.targets, 1, m.Length)), 1)
	}
	w, q := m.underSamples(w, m.posterior(l, w, m.Length), m.TrainSamples, rows)
	z := q.sample(m.normals(noise, noisePosterior, q.mean))
	likelihood := ReduceSum(m.logLikelihood(m.emission(l, w, z), w.targets), 1)
	elbo := Sub(likelihood, m.overSamples(ReduceSum(m.divergence(l, w, q, z), 1)))
	if m.Objective == MeanELBO {
		return DivScalar(elbo, float64(m.Length))
	}
	return elbo
}

// divergence of q from the transition, the first event's from N(0, 1): [runs, length, samples·rows] (Eq. 16's second term,
// by one sample of z_{i−1}).
func (m network) divergence(l layers, w windows, q gaussian, z *Node) *Node {
	later := m.transition(l, positions(z, 0, m.Length-1), positions(w.gaps, 1, m.Length))
	zero := ZerosLike(positions(z, 0, 1))
	p := gaussian{Concatenate([]*Node{zero, later.mean}, 1), Concatenate([]*Node{zero, later.logStdDev}, 1)}
	return q.divergence(p)
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
	w, l := m.read(p, b, cmp.Or(m.EmbeddingSamples, m.TestSamples), noise, false, false), m.layers(p.Weights)
	runs, rows := b.Size()
	last, seen := m.Length-1, m.Length
	if m.Prediction == Forecast {
		seen = last
	}
	q := m.posterior(l, w, seen)
	q = gaussian{positions(q.mean, seen-1, seen), positions(q.logStdDev, seen-1, seen)}
	w, q = m.underSamples(w.events(last, m.Length), q, m.TestSamples, rows)
	z := q.sample(m.normals(noise, noisePosterior, q.mean))
	if m.Prediction == Forecast {
		next := m.transition(l, z, w.gaps)
		z = next.sample(m.normals(noise, noiseTransition, next.mean))
	}
	outputs := m.emission(l, w, z)
	outputs = TransposeAllAxes(Reshape(outputs, runs, -1, rows, m.outputs()), 0, 2, 1, 3)
	outputs = Reshape(outputs, runs*rows, -1, m.outputs())
	if m.Likelihood == PackSizes {
		return phe.LogMeanExp(TransposeAllAxes(LogSoftmax(outputs, -1), 1, 0, 2), nil)
	}
	return outputs
}
