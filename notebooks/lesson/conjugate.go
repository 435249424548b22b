package lesson

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"

	"gophe/notebooks/cell"
)

// Conjugate is a hash embedding for which Bayes' rule has a closed form: y = x·E + noise, with one number in each row of the table
// E. Its posterior, its evidence and its evidence lower bound (ELBO, Supp. A) are computed here without GoMLX, so that a notebook
// can compare the library with them; file graph.go has the library's side.
type Conjugate struct {
	X           [][]float64 // for each observation, the number of times that its item uses each row of E
	Y           []float64
	NoiseStdDev float64
}

// SharedRow returns observations of two items that share a row of a table of three (Supp. F). Item 0 uses rows 0 and 1 and has the
// target 1. Item 1 uses rows 1 and 2 and has the target −1. The items take turns of the given length. Noise of the given deviation
// is added to the targets, the same for every call.
func SharedRow(observations, turn int, noiseStdDev float64) Conjugate {
	c, draw := Conjugate{NoiseStdDev: noiseStdDev}, rand.New(rand.NewPCG(1, 1))
	for i := range observations {
		x, y := []float64{1, 1, 0}, 1.0
		if i/turn%2 == 1 {
			x, y = []float64{0, 1, 1}, -1
		}
		c.X, c.Y = append(c.X, x), append(c.Y, y+noiseStdDev*draw.NormFloat64())
	}
	return c
}

// Noisy returns n observations of a number, each with standard normal noise. Every call returns the same.
func Noisy(number float64, n int) []float64 {
	draw, y := rand.New(rand.NewPCG(3, 3)), make([]float64, n)
	for i := range y {
		y[i] = number + draw.NormFloat64()
	}
	return y
}

// Standard returns the paper's prior: N(0, 1) for each row.
func Standard(rows int) *distmv.Normal {
	return Independent(make([]float64, rows), slices.Repeat([]float64{1}, rows))
}

// Independent returns a belief whose rows know nothing of each other.
func Independent(mean, stdDev []float64) *distmv.Normal {
	covariance := mat.NewSymDense(len(mean), nil)
	for i, s := range stdDev {
		covariance.SetSym(i, i, s*s)
	}
	return normal(mean, covariance)
}

// FromLogs returns a belief of independent rows, as the library holds it: means and log σ.
func FromLogs(mean, logStdDev []float64) *distmv.Normal {
	stdDev := make([]float64, len(mean))
	for i, l := range logStdDev {
		stdDev[i] = math.Exp(l)
	}
	return Independent(mean, stdDev)
}

// LogStdDevs returns the logarithms of a belief's deviations, as the library's tables hold them.
func LogStdDevs(q *distmv.Normal) []float64 {
	logs := make([]float64, q.Dim())
	for i := range logs {
		logs[i] = 0.5 * math.Log(Covariance(q).At(i, i))
	}
	return logs
}

// normal panics where gonum says that a covariance is none, which only a zero or overflowing deviation makes here.
func normal(mean []float64, covariance mat.Symmetric) *distmv.Normal {
	n, ok := distmv.NewNormal(mean, covariance, nil)
	if !ok {
		panic("lesson: the covariance is not positive definite")
	}
	return n
}

// outputs returns mean and covariance of X·E under a belief about E.
func (c Conjugate) outputs(q *distmv.Normal) (mean []float64, covariance *mat.Dense) {
	x := mat.NewDense(len(c.X), len(c.X[0]), nil)
	for i, row := range c.X {
		x.SetRow(i, row)
	}
	var m mat.VecDense
	m.MulVec(x, mat.NewVecDense(q.Dim(), q.Mean(nil)))
	var left mat.Dense
	left.Mul(x, Covariance(q))
	covariance = new(mat.Dense)
	covariance.Mul(&left, x.T())
	return m.RawVector().Data, covariance
}

// Output returns mean and standard deviation of x·E under a belief.
func Output(q *distmv.Normal, x []float64) (mean, stdDev float64) {
	m, covariance := Conjugate{X: [][]float64{x}}.outputs(q)
	return m[0], math.Sqrt(covariance.At(0, 0))
}

// Covariance returns a copy of the covariance of a belief.
func Covariance(q *distmv.Normal) *mat.SymDense {
	s := mat.NewSymDense(q.Dim(), nil)
	q.CovarianceMatrix(s)
	return s
}

// Evidence returns log p(y) in nats: y is Gaussian, with covariance XΣXᵀ + σ²I under the prior N(μ, Σ).
func (c Conjugate) Evidence(prior *distmv.Normal) float64 {
	mean, spread := c.outputs(prior)
	covariance := mat.NewSymDense(len(c.Y), nil)
	for i := range c.Y {
		for k := range i + 1 {
			covariance.SetSym(i, k, spread.At(i, k))
		}
		covariance.SetSym(i, i, spread.At(i, i)+c.NoiseStdDev*c.NoiseStdDev)
	}
	return normal(mean, covariance).LogProb(c.Y)
}

// Posterior returns p(E | y), which is Gaussian: the precisions of prior and data add up.
func (c Conjugate) Posterior(prior *distmv.Normal) *distmv.Normal {
	precision, information := c.natural(prior)
	return fromNatural(precision, information)
}

// MeanField returns the belief of independent rows with the largest ELBO. It has the posterior's mean, and the reciprocals of the
// diagonal of the posterior's precision as variances.
func (c Conjugate) MeanField(prior *distmv.Normal) *distmv.Normal {
	precision, information := c.natural(prior)
	mean := fromNatural(precision, information).Mean(nil)
	stdDev := make([]float64, len(mean))
	for i := range stdDev {
		stdDev[i] = 1 / math.Sqrt(precision.At(i, i))
	}
	return Independent(mean, stdDev)
}

// Online learns the observations in blocks of a size, by Conjugate.Posterior or Conjugate.MeanField. It returns the sums of the blocks'
// ELBOs, from the sum of no block on, and the beliefs before the first block and after each.
func (c Conjugate) Online(prior *distmv.Normal, size int, learn func(block Conjugate, before *distmv.Normal) *distmv.Normal) (
	sums []float64, beliefs []*distmv.Normal) {
	sums, beliefs = []float64{0}, []*distmv.Normal{prior}
	for from := 0; from < len(c.Y); from += size {
		to := from + size
		block, last := Conjugate{c.X[from:to], c.Y[from:to], c.NoiseStdDev}, beliefs[len(beliefs)-1]
		next := learn(block, last)
		sums, beliefs = append(sums, sums[len(sums)-1]+block.ELBO(next, last)), append(beliefs, next)
	}
	return sums, beliefs
}

// natural returns the posterior's precision Λ and information Λμ.
func (c Conjugate) natural(prior *distmv.Normal) (*mat.SymDense, *mat.VecDense) {
	var factor mat.Cholesky
	factor.Factorize(Covariance(prior))
	precision, information := mat.NewSymDense(prior.Dim(), nil), new(mat.VecDense)
	cell.Check(factor.InverseTo(precision))
	information.MulVec(precision, mat.NewVecDense(prior.Dim(), prior.Mean(nil)))
	for i, x := range c.X {
		v := mat.NewVecDense(len(x), x)
		precision.SymRankOne(precision, 1/(c.NoiseStdDev*c.NoiseStdDev), v)
		information.AddScaledVec(information, c.Y[i]/(c.NoiseStdDev*c.NoiseStdDev), v)
	}
	return precision, information
}

func fromNatural(precision *mat.SymDense, information *mat.VecDense) *distmv.Normal {
	var factor mat.Cholesky
	factor.Factorize(precision)
	covariance, mean := new(mat.SymDense), new(mat.VecDense)
	cell.Check(factor.InverseTo(covariance))
	mean.MulVec(covariance, information)
	return normal(mean.RawVector().Data, covariance)
}

// DataTerm returns the first term of the ELBO (Eq. 2), the expectation of log p(y | E) under q, in nats.
func (c Conjugate) DataTerm(q *distmv.Normal) float64 {
	mean, covariance := c.outputs(q)
	sum := 0.0
	for i, y := range c.Y {
		sum += distuv.Normal{Mu: mean[i], Sigma: c.NoiseStdDev}.LogProb(y) - covariance.At(i, i)/(2*c.NoiseStdDev*c.NoiseStdDev)
	}
	return sum
}

// ELBO returns the evidence lower bound (Eq. 2; Eq. 3 if the prior is the previous posterior), in nats.
func (c Conjugate) ELBO(q, prior *distmv.Normal) float64 { return c.DataTerm(q) - KL(q, prior) }

// KL returns the Kullback–Leibler divergence of p from q, KL(q‖p), in nats.
func KL(q, p *distmv.Normal) float64 { return distmv.KullbackLeibler{}.DistNormal(q, p) }

// MeanSquare returns the mean over the observations of E_q[(y − x·E)²]. Its root is the M step of EM for the deviation of the noise
// (A.3).
func (c Conjugate) MeanSquare(q *distmv.Normal) float64 {
	mean, covariance := c.outputs(q)
	sum := 0.0
	for i, y := range c.Y {
		sum += (y-mean[i])*(y-mean[i]) + covariance.At(i, i)
	}
	return sum / float64(len(c.Y))
}

// Spread returns the standard deviation of log p(y | E) under q. An average over n draws of E misses the data term by this, divided
// by √n. The squared length of a Gaussian vector N(m, C) has the variance 2 tr(C²) + 4 mᵀCm.
func (c Conjugate) Spread(q *distmv.Normal) float64 {
	mean, covariance := c.outputs(q)
	m := mat.NewVecDense(len(mean), floats.SubTo(mean, c.Y, mean))
	var square mat.Dense
	square.Mul(covariance, covariance)
	return math.Sqrt(2*mat.Trace(&square)+4*mat.Inner(m, covariance, m)) / (2 * c.NoiseStdDev * c.NoiseStdDev)
}

// Predictive returns the sum over the observations of log E_q[p(y_i | E)]. It is the limit of the authors' objective for many
// samples, without its KL term (PROTOCOL: log of the averaged likelihood).
func (c Conjugate) Predictive(q *distmv.Normal) float64 {
	mean, covariance := c.outputs(q)
	sum := 0.0
	for i, y := range c.Y {
		sum += distuv.Normal{Mu: mean[i], Sigma: math.Sqrt(covariance.At(i, i) + c.NoiseStdDev*c.NoiseStdDev)}.LogProb(y)
	}
	return sum
}

// Best returns the belief of independent rows that makes an objective largest, by a search without gradients that begins at N(0, 1). It
// panics if the search fails.
func Best(rows int, objective func(q *distmv.Normal) float64) *distmv.Normal {
	problem := optimize.Problem{Func: func(a []float64) float64 { return -objective(FromLogs(a[:rows], a[rows:])) }}
	found := cell.Must(optimize.Minimize(problem, make([]float64, 2*rows), nil, nil))
	return FromLogs(found.X[:rows], found.X[rows:])
}
