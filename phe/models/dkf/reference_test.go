package dkf_test

import (
	"math"

	"gophe/phe"
	"gophe/phe/internal/nettest"
	"gophe/phe/models/dkf"
)

// reference is the filter in plain float64 Go, from Sec. 4.3, Supp. A and PROTOCOL's Retail model. It cannot look ahead: each
// event's term is computed from a copy of the window that ends with it, its own count NaN where it must not be seen.
// Parameters are lists in the order of a Snapshot of one run.
type reference struct {
	dkf.Config
	data dkf.Data
	rows phe.ItemRows // of a point estimate
}

// event is one of a window, as the networks get it.
type event struct {
	embeddings []float64 // column after column
	numbers    []float64 // in their own units
	count      float64
	minutes    float64
}

// window reads a window's events. Columns other than the incremental one read their embeddings from others in place of p,
// where given.
func (m reference) window(p, others [][]float64, w int) (events []event) {
	for _, at := range m.data.Windows[w*m.Length : (w+1)*m.Length] {
		e := event{count: float64(m.data.Counts[at]), minutes: float64(m.data.Times[at])}
		for n := range m.Numbers {
			e.numbers = append(e.numbers, float64(m.data.Numbers[int(at)*m.Numbers+n]))
		}
		for c := range len(m.Columns) {
			q := p
			if others != nil && c != m.Incremental {
				q = others
			}
			e.embeddings = append(e.embeddings, m.embedding(q, int(m.data.Index[int(at)*len(m.Columns)+c]))...)
		}
		events = append(events, e)
	}
	return
}

// embedding is Σ_k W[w(s), k]·E[h_k(s)], of point estimates.
func (m reference) embedding(p [][]float64, item int) []float64 {
	dim, hashes := m.Encoder.EmbeddingDim, m.Encoder.NumHashes
	e := make([]float64, dim)
	for k := range hashes {
		for d := range e {
			e[d] += p[1][int(m.rows.Weights[item])*hashes+k] * p[0][int(m.rows.Buckets[item*hashes+k])*dim+d]
		}
	}
	return e
}

// affine is x·W + b.
func affine(weights, bias, x []float64) []float64 {
	y := append([]float64{}, bias...)
	for i, v := range x {
		for o := range y {
			y[o] += v * weights[i*len(y)+o]
		}
	}
	return y
}

// layer takes an affine map from the front of p.
func layer(p *[][]float64, x []float64) []float64 {
	y := affine((*p)[0], (*p)[1], x)
	*p = (*p)[2:]
	return y
}

// weights splits θ into four parts: GRU and posterior, transition, emission.
func (m reference) weights(p [][]float64) (filter, transition, emission [][]float64) {
	p = p[nettest.NumEmbedding(m.Encoder):]
	transition = p[6:]
	n := 2
	if m.TransitionHidden > 0 {
		n = 4
	}
	return p[:6], transition[:n], transition[n:]
}

// known is what an event tells before its count: its numbers, and under Relative how they lie to the events' before.
func (m reference) known(before []event, now event) (known []float64) {
	scaled := func(e event) []float64 {
		var x []float64
		for n, v := range e.numbers {
			if m.Inputs == dkf.Raw {
				x = append(x, v/float64(m.Maxima[n]))
			} else {
				x = append(x, math.Log(max(v, 0)+0.1))
			}
		}
		return x
	}
	own := scaled(now)
	known = append(known, own...)
	if m.Inputs != dkf.Relative {
		return
	}
	for n := range own {
		shift := 0.0
		for _, e := range before {
			shift += (scaled(e)[n] - own[n]) / float64(len(before))
		}
		known = append(known, shift)
	}
	var total, sold float64
	for _, e := range before {
		distance := 0.0
		for n, v := range scaled(e) {
			distance += (v - own[n]) * (v - own[n])
		}
		weight := math.Exp(-distance / 2 / (0.1 * 0.1))
		total += weight
		sold += weight * math.Log1p(e.count)
	}
	return append(known, sold/(total+1e-3), math.Log1p(total))
}

// gap is Δ of the last event, in weeks.
func gap(events []event) float64 {
	n := len(events)
	if n < 2 {
		return 0
	}
	return min(max((events[n-1].minutes-events[n-2].minutes)/(60*24*7), 0), 3)
}

// belief is a diagonal Gaussian over z.
type belief struct{ mean, logStdDev []float64 }

func halves(x []float64) belief { return belief{x[:len(x)/2], x[len(x)/2:]} }

func (b belief) sample(noise []float64) []float64 {
	z := make([]float64, len(b.mean))
	for i := range z {
		z[i] = b.mean[i] + math.Exp(b.logStdDev[i])*noise[i]
	}
	return z
}

// divergence is KL(b ‖ p) by the textbook's formula.
func (b belief) divergence(p belief) (kl float64) {
	for i := range b.mean {
		variance, prior := math.Exp(2*b.logStdDev[i]), math.Exp(2*p.logStdDev[i])
		kl += p.logStdDev[i] - b.logStdDev[i] + (variance+(b.mean[i]-p.mean[i])*(b.mean[i]-p.mean[i]))/(2*prior) - 0.5
	}
	return
}

// posterior is q_φ(z_i | history) after the last of events.
func (m reference) posterior(p [][]float64, events []event) belief {
	filter, _, _ := m.weights(p)
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	h := make([]float64, m.Hidden)
	for i, e := range events {
		seen := e.count
		if m.Inputs != dkf.Raw {
			seen = math.Log1p(seen)
		}
		x := append(append([]float64{}, e.embeddings...), m.known(events[:i], e)...)
		fromInput := affine(filter[0], filter[1], append(x, seen, gap(events[:i+1])))
		fromState := affine(filter[2], filter[3], h)
		next := make([]float64, m.Hidden)
		for k := range next {
			reset := sigmoid(fromInput[k] + fromState[k])
			update := sigmoid(fromInput[m.Hidden+k] + fromState[m.Hidden+k])
			candidate := math.Tanh(fromInput[2*m.Hidden+k] + reset*fromState[2*m.Hidden+k])
			next[k] = (1-update)*candidate + update*h[k]
		}
		h = next
	}
	return halves(affine(filter[4], filter[5], h))
}

// transition is p(z_i | z_{i−1}, Δ_i).
func (m reference) transition(p [][]float64, z []float64, gap float64) belief {
	_, weights, _ := m.weights(p)
	x := append([]float64{}, z...)
	if m.Transition == dkf.WithGap {
		x = append(x, gap)
	}
	if m.TransitionHidden == 0 {
		return halves(layer(&weights, x))
	}
	b := halves(layer(&weights, tanh(layer(&weights, x))))
	for i := range z {
		b.mean[i] += z[i]
	}
	return b
}

func tanh(x []float64) []float64 {
	for i, v := range x {
		x[i] = math.Tanh(v)
	}
	return x
}

// emission describes the distribution of now's count.
func (m reference) emission(p [][]float64, before []event, now event, z []float64) []float64 {
	_, _, weights := m.weights(p)
	x := append(append([]float64{}, now.embeddings...), z...)
	y := layer(&weights, append(x, m.known(before, now)...))
	if m.EmissionHidden > 0 {
		y = layer(&weights, tanh(y))
	}
	return y
}

// logLikelihood of a count in nats, without Poisson's y! and the distribution within a cell.
func (m reference) logLikelihood(outputs []float64, y float64) float64 {
	switch m.Likelihood {
	case dkf.NegativeBinomial: // Γ(y+k)/(Γ(k) y!) (k/(k+μ))^k (μ/(k+μ))^y
		mean, k := math.Exp(outputs[0]), math.Exp(outputs[1])
		return lgamma(y+k) - lgamma(k) - lgamma(y+1) + k*math.Log(k/(k+mean)) + y*math.Log(mean/(k+mean))
	case dkf.Histogram:
		return logSoftmax(outputs)[toyCells().Of(int(y))]
	}
	return y*outputs[0] - math.Exp(outputs[0])
}

func lgamma(x float64) float64 { v, _ := math.Lgamma(x); return v }

func logSoftmax(x []float64) (y []float64) {
	total := 0.0
	for _, v := range x {
		total += math.Exp(v)
	}
	for _, v := range x {
		y = append(y, v-math.Log(total))
	}
	return
}

// draws are the standard normals of z_i from the posterior and from the transition, [latent], for event i.
type draws struct{ posterior, transition func(i int) []float64 }

// hidden is an event whose count may not be seen.
func hidden(e event) event { e.count = math.NaN(); return e }

// terms are the events' log-likelihoods under one sample, and what their latents cost.
func (m reference) terms(p [][]float64, events []event, noise draws) (logLikelihoods []float64, kl float64) {
	for i, now := range events {
		var z []float64
		if m.Objective == dkf.Predictive {
			if i == 0 {
				continue
			}
			past := m.posterior(p, events[:i]).sample(noise.posterior(i - 1))
			z = m.transition(p, past, gap(events[:i+1])).sample(noise.transition(i - 1))
		} else {
			q := m.posterior(p, events[:i+1])
			z = q.sample(noise.posterior(i))
			prior := belief{make([]float64, m.Latent), make([]float64, m.Latent)}
			if i > 0 {
				past := m.posterior(p, events[:i]).sample(noise.posterior(i - 1))
				prior = m.transition(p, past, gap(events[:i+1]))
			}
			kl += q.divergence(prior)
		}
		outputs := m.emission(p, events[:i], hidden(now), z)
		logLikelihoods = append(logLikelihoods, m.logLikelihood(outputs, now.count))
	}
	return
}

// dataTerm of one window; samples gives each sample's events and noise.
func (m reference) dataTerm(p [][]float64, samples int, sample func(s int) ([]event, draws)) (sum float64) {
	var likelihoods [][]float64 // [events, samples]
	for s := range samples {
		events, noise := sample(s)
		logLikelihoods, kl := m.terms(p, events, noise)
		sum -= kl / float64(samples)
		if likelihoods == nil {
			likelihoods = make([][]float64, len(logLikelihoods))
		}
		for i, v := range logLikelihoods {
			likelihoods[i] = append(likelihoods[i], v)
		}
	}
	for _, l := range likelihoods {
		sum += m.reduce(l)
	}
	switch m.Objective {
	case dkf.MeanELBO:
		return sum / float64(m.Length)
	case dkf.Predictive:
		return sum / float64(m.Length-1)
	}
	return sum
}

// reduce takes the mean over samples, or the logarithm of the likelihoods' mean.
func (m reference) reduce(logLikelihoods []float64) float64 {
	var mean, average float64
	for _, l := range logLikelihoods {
		mean += l / float64(len(logLikelihoods))
		average += math.Exp(l) / float64(len(logLikelihoods))
	}
	if m.Loss == phe.LogAverage {
		return math.Log(average)
	}
	return mean
}

// forecast is what describes the last count under one sample: the network's outputs.
func (m reference) forecast(p [][]float64, events []event, noise draws) []float64 {
	last := len(events) - 1
	var z []float64
	if m.Prediction == dkf.Reconstruction {
		z = m.posterior(p, events).sample(noise.posterior(0))
	} else {
		past := m.posterior(p, events[:last]).sample(noise.posterior(0))
		z = m.transition(p, past, gap(events)).sample(noise.transition(0))
	}
	return m.emission(p, events[:last], hidden(events[last]), z)
}
