// Package linear holds the two learners of the stream of two items (Supp. F): exact Bayes, and gradient descent. Each learns a table whose
// entries add up to a prediction.
package linear

import (
	"github.com/pkg/errors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Gaussian is a model with an exact posterior: y = x·e + noise, with a Gaussian belief over the entries e of a table and
// noise of known variance (Supp. F). x holds the number of times that each row of the table enters the prediction. The model shows
// Prop. 3.1 to the last digit: batch learning, online learning, and online learning in any order give one posterior.
//
// It keeps the precision Λ and the information Λμ, in which Bayes' rule is addition.
type Gaussian struct {
	precision     *mat.SymDense
	information   *mat.VecDense // Λμ
	noiseVariance float64
}

// NewGaussian returns the prior N(0, priorVariance) for each of rows entries.
func NewGaussian(rows int, priorVariance, noiseVariance float64) (*Gaussian, error) {
	if rows < 1 || !(priorVariance > 0) || !(noiseVariance > 0) {
		return nil, errors.Errorf("there are %d rows, the prior variance is %g and the noise variance %g; all must be above 0",
			rows, priorVariance, noiseVariance)
	}
	precision := mat.NewSymDense(rows, nil)
	for i := range rows {
		precision.SetSym(i, i, 1/priorVariance)
	}
	return &Gaussian{precision, mat.NewVecDense(rows, nil), noiseVariance}, nil
}

// Update conditions on one observation: Λ ← Λ + x xᵀ/σ², Λμ ← Λμ + x y/σ². The posterior is the prior of the next update. x must
// have as many entries as the table.
func (m *Gaussian) Update(x []float64, y float64) {
	v := mat.NewVecDense(len(x), x)
	m.precision.SymRankOne(m.precision, 1/m.noiseVariance, v)
	m.information.AddScaledVec(m.information, y/m.noiseVariance, v)
}

// Posterior returns the mean and covariance of the entries given all observations so far.
func (m *Gaussian) Posterior() (mean *mat.VecDense, covariance *mat.SymDense, err error) {
	var factor mat.Cholesky
	if !factor.Factorize(m.precision) {
		return nil, nil, errors.Errorf("the precision is not positive definite; noise variance %g is too small for this arithmetic",
			m.noiseVariance)
	}
	mean = mat.NewVecDense(m.information.Len(), nil)
	if err := factor.SolveVecTo(mean, m.information); err != nil {
		return nil, nil, errors.Wrap(err, "solving for the posterior mean")
	}
	covariance = mat.NewSymDense(m.information.Len(), nil)
	return mean, covariance, errors.Wrap(factor.InverseTo(covariance), "inverting the precision")
}

// Predict returns the mean of y at x.
func (m *Gaussian) Predict(x []float64) (float64, error) {
	mean, _, err := m.Posterior()
	if err != nil {
		return 0, err
	}
	return mat.Dot(mean, mat.NewVecDense(len(x), x)), nil
}

// Descent is the model that [Gaussian] is compared with (Supp. F). It has a number for each entry of the table, and
// Gaussian has a belief. Online gradient descent on ½(y − x·e)² moves the numbers, which start at 0.
type Descent struct {
	e    []float64
	rate float64
}

// NewDescent returns rows entries of 0. rate is the learning rate.
func NewDescent(rows int, rate float64) *Descent {
	return &Descent{make([]float64, rows), rate}
}

// Update takes one step along the gradient of one observation. x must have as many entries as the table.
func (m *Descent) Update(x []float64, y float64) {
	floats.AddScaled(m.e, m.rate*(y-m.Predict(x)), x)
}

// Predict returns y at x.
func (m *Descent) Predict(x []float64) float64 { return floats.Dot(x, m.e) }
