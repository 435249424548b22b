package tabular_test

import (
	"math"

	"gophe/phe"
	"gophe/phe/tabular"
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

// numEmbedding counts the lists of the embedding module.
func (m reference) numEmbedding() int {
	n := 1
	if m.Encoder.HasWeights() {
		n = 2
	}
	if m.isPosterior() {
		n *= 2
	}
	return n
}

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
	head, dim, hashes := p[m.numEmbedding():], m.Encoder.EmbeddingDim, m.Encoder.RowsPerItem()
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
			if m.Encoder.HasWeights() {
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
	const h = 1e-5
	dataTerm := func() (sum float64) {
		for _, row := range rows {
			sum -= m.logLikelihood(p, others, int(row))
		}
		return
	}
	gradient := make([][]float64, trained)
	for list := range gradient {
		gradient[list] = make([]float64, len(p[list]))
		for i, v := range p[list] {
			p[list][i] = v + h
			up := dataTerm()
			p[list][i] = v - h
			gradient[list][i] = (up - dataTerm()) / (2 * h)
			p[list][i] = v
		}
	}
	if !m.isPosterior() {
		return gradient
	}
	for list := 0; list < m.numEmbedding(); list += 2 {
		for i := range p[list] {
			priorMean, priorLogStdDev := 0.0, 0.0
			if prior != nil {
				priorMean, priorLogStdDev = prior[list][i], prior[list+1][i]
			}
			gradient[list][i] += (p[list][i] - priorMean) / math.Exp(2*priorLogStdDev)
			gradient[list+1][i] += math.Expm1(2 * (p[list+1][i] - priorLogStdDev))
		}
	}
	return gradient
}

// train takes steps of Adam on the first trained lists of p, and returns the first step's gradient.
func (m reference) train(p, prior [][]float64, masked bool, trained, steps int, rows []int32) (first [][]float64) {
	var moment1, moment2 [][]float64
	for _, list := range p {
		moment1, moment2 = append(moment1, make([]float64, len(list))), append(moment2, make([]float64, len(list)))
	}
	for t := 1; t <= steps; t++ {
		var others [][]float64
		if masked { // no gradient, but the value of now
			others = cloneLists(p)
		}
		g := m.gradient(p, others, prior, trained, rows)
		if first == nil {
			first = g
		}
		for list := range g {
			for i, v := range g[list] {
				moment1[list][i] = 0.9*moment1[list][i] + 0.1*v
				moment2[list][i] = 0.999*moment2[list][i] + 0.001*v*v
				m1 := moment1[list][i] / (1 - math.Pow(0.9, float64(t)))
				m2 := moment2[list][i] / (1 - math.Pow(0.999, float64(t)))
				p[list][i] -= m.LearningRate * m1 / (math.Sqrt(m2) + 1e-8)
			}
		}
	}
	return first
}

func cloneLists(p [][]float64) (c [][]float64) {
	for _, list := range p {
		c = append(c, append([]float64{}, list...))
	}
	return
}
