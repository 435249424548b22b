package ncf_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/ncf"
)

// reference is the recommender of one run in plain float64 Go, from Sec. 4.4 and PROTOCOL's sections 0 and (e). Parameters are
// lists in the order of a Snapshot of one run. It takes the program's noise, and computes everything else itself.
type reference struct {
	ncf.Config
	data ncf.Data
	rows phe.ItemRows // of users, items, labels
	seed int64
}

func newReference(t testing.TB, c ncf.Config, d ncf.Data, seed int64) reference {
	t.Helper()
	encoder := filetest.Must(phe.NewEncoder(c.Encoder))(t)
	var items []string
	for _, some := range [][]string{d.Users, d.Items, c.Labels} {
		items = append(items, some...)
	}
	rows := filetest.Must(encoder.Items(items))(t)
	return reference{c, d, rows, seed}
}

// draws are the standard normals behind a number of embeddings under some samples: E's [samples, items, hashes, dim], or
// under scheme Local [samples, items, dim], and W's [samples, items, hashes].
type draws struct {
	e, w  []float64
	items int
}

// noise of one step: of the batch's rows, each with user and item, and of the labels.
type noise struct{ rows, labels draws }

// drawnAt evaluates the program's noise for a batch padded to size rows, in the named purpose's step.
func (m reference) drawnAt(t testing.TB, purpose string, step, samples, size int) noise {
	t.Helper()
	if m.Encoder.Estimate == phe.Point {
		return noise{}
	}
	const useE, useW = 1, 2
	hashes, dim := m.Encoder.RowsPerItem(), m.Encoder.EmbeddingDim
	slot, numLabels := []int{hashes, dim}, max(1, len(m.Labels)) // backends have no empty arrays
	if m.Scheme == phe.Local {
		slot = []int{dim}
	}
	out := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		n := phe.Noise{Keys: a[0]}.At(a[1])
		ofLabels := n.At(Const(a[0].Graph(), uint32(1)))
		return []*Node{
			n.Normal(useE, samples, size, append([]int{2}, slot...)...), n.Normal(useW, samples, size, 2, hashes),
			ofLabels.Normal(useE, samples, numLabels, append([]int{1}, slot...)...),
			ofLabels.Normal(useW, samples, numLabels, 1, hashes),
		}
	}, []uint32{phe.NoiseKey(m.seed, purpose)}, uint32(step))
	wide := nettest.Converted[float64](out)
	return noise{draws{wide[0], wide[1], 2 * size}, draws{wide[2], wide[3], numLabels}}
}

// belief is mean and standard deviation of one entry of table E (0) or W (1).
func (m reference) belief(p [][]float64, table, at int) (mean, stdDev float64) {
	if m.Encoder.Estimate == phe.Point {
		return p[table][at], 0
	}
	return p[2*table][at], math.Exp(p[2*table+1][at]) + 1e-8
}

// embedding of an item under sample s of the draws, in which it is number at: Σ_k W[w, k]·E[h_k], or as the assembly says.
func (m reference) embedding(p [][]float64, item int, z draws, s, at int) []float64 {
	dim, hashes := m.Encoder.EmbeddingDim, m.Encoder.RowsPerItem()
	total, variance := make([]float64, dim), make([]float64, dim)
	for k := range hashes {
		w := 1.0
		if m.Encoder.NumWeights > 0 {
			mean, stdDev := m.belief(p, 1, int(m.rows.Weights[item])*hashes+k)
			if w = mean; z.w != nil {
				w += stdDev * z.w[(s*z.items+at)*hashes+k]
			}
		}
		if m.Encoder.Assembly == phe.Average {
			w /= float64(hashes)
		}
		for d := range total {
			mean, stdDev := m.belief(p, 0, int(m.rows.Buckets[item*hashes+k])*dim+d)
			if z.e != nil && m.Scheme == phe.Fresh {
				mean += stdDev * z.e[((s*z.items+at)*hashes+k)*dim+d]
			}
			total[d] += w * mean
			variance[d] += w * w * stdDev * stdDev
		}
	}
	if z.e != nil && m.Scheme == phe.Local { // given W, a sum of Gaussians is Gaussian
		for d := range total {
			total[d] += math.Sqrt(variance[d]) * z.e[(s*z.items+at)*dim+d]
		}
	}
	return total
}

// mean returns the mean of a rating's distribution under sample s. at is the row number in the batch.
func (m reference) mean(p [][]float64, rating int32, z noise, s, at int) float64 {
	item := int(m.data.Item[rating])
	user := m.embedding(p, int(m.data.User[rating]), z.rows, s, 2*at)
	rated := m.embedding(p, len(m.data.Users)+item, z.rows, s, 2*at+1)
	x := append(append([]float64{}, user...), rated...)
	for d := range user {
		x = append(x, user[d]*rated[d])
	}
	x = append(x, m.labels(p, item, z.labels, s)...)
	w := p[nettest.NumEmbedding(m.Encoder):]
	first := append(append([]float64{}, w[0]...), w[1]...) // [inputs, hidden]
	if len(w) > 5 {
		first = append(first, w[5]...)
	}
	y := w[4][0]
	for h := range m.Hidden {
		a := w[2][h]
		for i, v := range x {
			a += v * first[i*m.Hidden+h]
		}
		y += w[3][h] * math.Tanh(a)
	}
	return y
}

// labels of an item as the network sees them.
func (m reference) labels(p [][]float64, item int, z draws, s int) (x []float64) {
	var own []int
	for g := range m.Labels {
		if m.data.ItemLabels[item]>>g&1 == 1 {
			own = append(own, g)
		}
	}
	switch m.LabelInput {
	case ncf.MultiHot:
		x = make([]float64, len(m.Labels))
		for _, g := range own {
			x[g] = 1
		}
	case ncf.Embedded:
		x = make([]float64, m.Encoder.EmbeddingDim)
		for _, g := range own {
			for d, v := range m.embedding(p, len(m.data.Users)+len(m.data.Items)+g, z, s, g) {
				x[d] += v / float64(len(own))
			}
		}
	}
	return
}

// samples of a step; a point estimate has one.
func (m reference) samples(n int) int {
	if m.Encoder.Estimate == phe.Point {
		return 1
	}
	return n
}

// dataTerm of row number at, in nats.
func (m reference) dataTerm(p [][]float64, rating int32, z noise, at int) float64 {
	samples := m.samples(m.TrainSamples)
	var mean, average float64
	for s := range samples {
		shift := (float64(m.data.Ratings[rating]) - m.mean(p, rating, z, s, at)) / m.StdDev
		logDensity := -shift*shift/2 - math.Log(m.StdDev*math.Sqrt(2*math.Pi))
		mean += logDensity / float64(samples)
		average += math.Exp(logDensity) / float64(samples)
	}
	if m.Loss == phe.LogAverage {
		return math.Log(average)
	}
	return mean
}

// gradient of −N·mean log-likelihood + weight·KL(p‖prior) for the first trained lists: the likelihood's by central
// differences, the KL's in closed form. A nil prior is N(0, 1).
func (m reference) gradient(p, prior [][]float64, trained int, rows []int32, z noise) [][]float64 {
	gradient := nettest.Differences(p[:trained], func() (sum float64) {
		for i, row := range rows {
			sum -= m.dataTerm(p, row, z, i)
		}
		return
	})
	if m.Encoder.Estimate == phe.Posterior {
		weight := m.KLWeight
		if prior != nil { // an update
			weight = cmp.Or(m.UpdateKLWeight, weight)
		}
		nettest.AddKL(gradient, p[:nettest.NumEmbedding(m.Encoder)], prior, weight)
	}
	return gradient
}

// shuffled are rows in the order of an epoch of a purpose's part, as the shuffler of the run's seed leaves them.
func (m reference) shuffled(rows []int32, purpose string, part, epochs int) (orders [][]int32) {
	rng := rand.New(rand.NewPCG(uint64(phe.NoiseKey(m.seed, purpose)), uint64(part)))
	for range epochs {
		var order []int32
		for _, i := range rng.Perm(len(rows)) {
			order = append(order, rows[i])
		}
		orders = append(orders, order)
	}
	return
}

// initialPhase takes one step, on all rows at once, in each of some epochs. It returns the first gradient.
func (m reference) initialPhase(t testing.TB, p [][]float64, rows []int32, epochs int) (first [][]float64) {
	step := nettest.Adam(m.LearningRate)
	for epoch := range epochs {
		order := m.shuffled(rows, "initial order", epoch, 1)[0]
		g := m.gradient(p, nil, len(p), order, m.drawnAt(t, "initial noise", epoch, m.TrainSamples, m.BatchSize))
		if epoch == 0 {
			first = g
		}
		step(p, g)
	}
	return
}

// update takes epochs steps, each on all rows at once, padded to size: number number along a stream of updates of that
// many steps.
func (m reference) update(t testing.TB, p [][]float64, rows []int32, epochs, number, size int) {
	step := nettest.Adam(cmp.Or(m.UpdateLearningRate, m.LearningRate))
	prior := nettest.Converted[float64](p)
	trained := nettest.NumEmbedding(m.Encoder)
	if m.Scope == phe.AllParameters {
		trained = len(p)
	}
	for i, order := range m.shuffled(rows, "update order", number, epochs) {
		step(p, m.gradient(p, prior, trained, order, m.drawnAt(t, "update noise", number*epochs+i, m.TrainSamples, size)))
	}
}

// ofRun is one run's part of the lists of some.
func ofRun(s learn.Snapshot, run, runs int) (p [][]float64) {
	for _, list := range nettest.Converted[float64](s.Parameters) {
		n := len(list) / runs
		p = append(p, list[run*n:(run+1)*n])
	}
	return
}
