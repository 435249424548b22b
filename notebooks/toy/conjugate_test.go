package toy_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"

	"gophe/experiments/rivals/linear"
	"gophe/notebooks/toy"
	"gophe/phe/disk/filetest"
)

// logLikelihoodOf returns log p(y | E) in nats for one table.
func logLikelihoodOf(c toy.Conjugate, table []float64) (sum float64) {
	for i, x := range c.X {
		sum += distuv.Normal{Mu: floats.Dot(x, table), Sigma: c.NoiseStdDev}.LogProb(c.Y[i])
	}
	return sum
}

// The evidence is the integral of the likelihood over the prior: here a sum over a grid that reaches five deviations far.
func TestEvidence(t *testing.T) {
	m, prior := toy.SharedRow(5, 2, 0.7), toy.Standard(3)
	const step = 0.2
	sum := 0.0
	for a := -5.0; a <= 5; a += step {
		for b := -5.0; b <= 5; b += step {
			for c := -5.0; c <= 5; c += step {
				e := []float64{a, b, c}
				sum += math.Exp(logLikelihoodOf(m, e)+prior.LogProb(e)) * step * step * step
			}
		}
	}
	filetest.Near(t, m.Evidence(prior), math.Log(sum), 1e-5, "evidence") // the tails beyond the grid
}

// The posterior is that of one observation after the other, and block after block ends at the posterior of all at once.
func TestPosterior(t *testing.T) {
	m := toy.SharedRow(7, 2, 0.7)
	online := filetest.Must(linear.NewGaussian(3, 1, 0.49))(t)
	for i, x := range m.X {
		online.Update(x, m.Y[i])
	}
	mean, covariance, err := online.Posterior()
	filetest.Check(t, err)
	blocks := m.Take(3, 7).Posterior(m.Take(0, 3).Posterior(toy.Standard(3)))
	for _, q := range []*distmv.Normal{m.Posterior(toy.Standard(3)), blocks} {
		for i := range 3 {
			filetest.Near(t, q.Mean(nil)[i], mean.AtVec(i), 1e-12, "mean")
			for k := range 3 {
				filetest.Near(t, toy.Covariance(q).At(i, k), covariance.At(i, k), 1e-12, "covariance")
			}
		}
	}
}

// A.1: whatever the belief, the ELBO and the distance from the posterior add up to the evidence.
func TestELBO(t *testing.T) {
	m, prior := toy.SharedRow(6, 1, 0.5), toy.Standard(3)
	posterior := m.Posterior(prior)
	for _, q := range []*distmv.Normal{prior, posterior, m.MeanField(prior), toy.Independent([]float64{1, -2, 0.3}, []float64{0.1, 2, 0.7})} {
		filetest.Near(t, m.ELBO(q, prior)+toy.KL(q, posterior), m.Evidence(prior), 1e-9, "ELBO + KL")
	}
}

// No belief of independent rows near MeanField's has a larger ELBO.
func TestMeanField(t *testing.T) {
	m, prior := toy.SharedRow(6, 1, 0.5), toy.Standard(3)
	best := m.MeanField(prior)
	draw := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		mean, stdDev := best.Mean(nil), make([]float64, 3)
		for i := range mean {
			mean[i] += 0.05 * draw.NormFloat64()
			stdDev[i] = math.Sqrt(toy.Covariance(best).At(i, i)) * math.Exp(0.05*draw.NormFloat64())
		}
		other := m.ELBO(toy.Independent(mean, stdDev), prior)
		filetest.True(t, other <= m.ELBO(best, prior), "an ELBO is %g, and the best should be %g", other, m.ELBO(best, prior))
	}
}

// DataTerm, Spread and Predictive agree with draws from the belief.
func TestAgainstDraws(t *testing.T) {
	m := toy.SharedRow(6, 1, 0.5)
	q := m.MeanField(toy.Standard(3))
	draw := rand.New(rand.NewPCG(1, 3))
	const n = 200_000
	mean, stdDev := q.Mean(nil), make([]float64, 3)
	for i := range stdDev {
		stdDev[i] = math.Sqrt(toy.Covariance(q).At(i, i))
	}
	sum, squares, likelihood := 0.0, 0.0, make([]float64, len(m.Y))
	for range n {
		e := make([]float64, 3)
		for i := range e {
			e[i] = mean[i] + stdDev[i]*draw.NormFloat64()
		}
		l := logLikelihoodOf(m, e)
		sum, squares = sum+l, squares+l*l
		for i := range m.Y {
			likelihood[i] += math.Exp(logLikelihoodOf(m.Take(i, i+1), e)) / n
		}
	}
	filetest.Near(t, m.DataTerm(q), sum/n, 4*m.Spread(q)/math.Sqrt(n), "data term")
	filetest.Near(t, m.Spread(q), math.Sqrt(squares/n-sum/n*sum/n), 0.01*m.Spread(q), "spread")
	predictive := 0.0
	for _, p := range likelihood {
		predictive += math.Log(p)
	}
	filetest.Near(t, m.Predictive(q), predictive, 0.01, "predictive")
}
