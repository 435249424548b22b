package tabular_test

import (
	"math"

	"gophe/phe"
	"gophe/phe/internal/nettest"
	"gophe/phe/models/tabular"
)

// reference is the model of one run in plain float64 Go, for a point estimate or for the exact expectation that scheme
// Quadrature approximates. Parameters are lists in the order of a Snapshot.
type reference struct {
	tabular.Config
	data tabular.Data
	rows phe.ItemRows
}

func (m reference) outputs() int {
	if m.Classes == 2 {
		return 1
	}
	return m.Classes
}

func (m reference) isPosterior() bool { return m.Encoder.Estimate == phe.Posterior }

// entry is the mean and variance of one number of table E (first list 0) or W.
func (m reference) entry(p [][]float64, list, at int) (mean, variance float64) {
	if !m.isPosterior() {
		return p[list][at], 0
	}
	sigma := math.Exp(p[2*list+1][at]) + 1e-8
	return p[2*list][at], sigma * sigma
}

// logit is the mean and variance of output o for a row. Columns other than the incremental one read others in place of
// p, where given.
func (m reference) logit(p, others [][]float64, row, o int) (mean, variance float64) {
	head, dim, hashes := p[nettest.NumEmbedding(m.Encoder):], m.Encoder.EmbeddingDim, m.Encoder.RowsPerItem()
	mean = head[2][o]
	for n := range m.Numbers {
		mean += head[1][n*m.outputs()+o] * float64(m.data.Numbers[row*m.Numbers+n])
	}
	for c := range m.Columns {
		q := p
		if others != nil && c != m.Incremental {
			q = others
		}
		item := int(m.data.Index[row*len(m.Columns)+c])
		for k := range hashes {
			var x, xVariance float64
			for d := range dim {
				v := head[0][(c*dim+d)*m.outputs()+o]
				e, s := m.entry(q, 0, int(m.rows.Buckets[item*hashes+k])*dim+d)
				x += v * e
				xVariance += v * v * s
			}
			w, wVariance := 1.0, 0.0
			if m.Encoder.NumWeights > 0 {
				w, wVariance = m.entry(q, 1, int(m.rows.Weights[item])*hashes+k)
			}
			mean += w * x
			variance += (w*w+wVariance)*xVariance + wVariance*x*x
		}
	}
	return
}

// logLikelihood of a row's label, in nats: for two classes E[log σ(±z)], z Gaussian, by the trapezoid rule on ±9σ, which
// is exact to 1e-12 here and knows nothing of Gauss–Hermite nodes.
func (m reference) logLikelihood(p, others [][]float64, row int) float64 {
	label := int(m.data.Labels[row])
	if m.outputs() > 1 {
		var z, total float64
		for o := range m.outputs() {
			logit, _ := m.logit(p, others, row, o)
			total += math.Exp(logit)
			if o == label {
				z = logit
			}
		}
		return z - math.Log(total)
	}
	mean, variance := m.logit(p, others, row, 0)
	sign := float64(2*label - 1)
	logSigmoid := func(z float64) float64 { return min(z, 0) - math.Log1p(math.Exp(-math.Abs(z))) }
	if variance == 0 {
		return logSigmoid(sign * mean)
	}
	const step = 0.05
	sum := 0.0
	for i := -180; i <= 180; i++ {
		x := step * float64(i)
		sum += step * math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) * logSigmoid(sign*(mean+math.Sqrt(variance)*x))
	}
	return sum
}

// gradient of −N·mean log-likelihood + KL(p‖prior) for the first trained lists: the likelihood's by central differences,
// the KL's in closed form, so that it is exactly 0 at p = prior. A nil prior is N(0, 1).
func (m reference) gradient(p, others, prior [][]float64, trained int, rows []int32) [][]float64 {
	gradient := nettest.Differences(p[:trained], func() (sum float64) {
		for _, row := range rows {
			sum -= m.logLikelihood(p, others, int(row))
		}
		return
	})
	if m.isPosterior() {
		nettest.AddKL(gradient, p[:nettest.NumEmbedding(m.Encoder)], prior, 1)
	}
	return gradient
}

// train takes steps of Adam on the first trained lists of p, and returns the first step's gradient.
func (m reference) train(p, prior [][]float64, masked bool, trained, steps int, rows []int32) (first [][]float64) {
	adam := nettest.Adam(m.LearningRate)
	for range steps {
		var others [][]float64
		if masked { // no gradient, but the value of now
			others = nettest.Converted[float64](p)
		}
		g := m.gradient(p, others, prior, trained, rows)
		if first == nil {
			first = g
		}
		adam(p, g)
	}
	return first
}
