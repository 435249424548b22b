package linear_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"gophe/experiments/rivals/linear"
	"gophe/phe/disk/filetest"
)

type observation struct {
	x []float64
	y float64
}

// hashedObservations are items hashed to two of seven rows each, as a table of the encoder would see them.
func hashedObservations(n int) []observation {
	rng := rand.New(rand.NewPCG(1, 2))
	data := make([]observation, n)
	for i := range data {
		x := make([]float64, 7)
		x[rng.IntN(7)]++
		x[rng.IntN(7)]++
		data[i] = observation{x, rng.NormFloat64()}
	}
	return data
}

func posteriorOf(t *testing.T, data []observation, order []int) (*mat.VecDense, *mat.SymDense) {
	t.Helper()
	m := filetest.Must(linear.NewGaussian(7, 1, 0.25))(t)
	for _, i := range order {
		m.Update(data[i].x, data[i].y)
	}
	mean, covariance, err := m.Posterior()
	filetest.Check(t, err)
	return mean, covariance
}

// Prop. 3.1: the posterior of all data at once, by the normal equations, equals the online one in any order.
func TestProposition31(t *testing.T) {
	const n, tolerance = 200, 1e-12
	data := hashedObservations(n)
	design, targets := mat.NewDense(n, 7, nil), mat.NewVecDense(n, nil)
	for i, o := range data {
		design.SetRow(i, o.x)
		targets.SetVec(i, o.y)
	}
	var precision, batchCovariance mat.Dense
	precision.Mul(design.T(), design)
	precision.Scale(1/0.25, &precision)
	for i := range 7 {
		precision.Set(i, i, precision.At(i, i)+1)
	}
	filetest.Check(t, batchCovariance.Inverse(&precision))
	var information, batchMean mat.VecDense
	information.MulVec(design.T(), targets)
	information.ScaleVec(1/0.25, &information)
	batchMean.MulVec(&batchCovariance, &information)

	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		mean, covariance := posteriorOf(t, data, rng.Perm(n))
		if !mat.EqualApprox(mean, &batchMean, tolerance) || !mat.EqualApprox(covariance, &batchCovariance, tolerance) {
			t.Fatalf("online differs from batch by more than %g", tolerance)
		}
	}
}

// Supp. F: after many data of item (1, 1, 0) with target 1 and then of (0, 1, 1) with target −1, gradient descent stands at
// (½, −¼, −¾), and errs by ¾ on the first item.
func TestDescentForgets(t *testing.T) {
	first, second := []float64{1, 1, 0}, []float64{0, 1, 1}
	m := linear.NewDescent(3, 0.1)
	for range 500 {
		m.Update(first, 1)
	}
	for range 500 {
		m.Update(second, -1)
	}
	for i, want := range []float64{0.5, -0.25, -0.75} {
		x := make([]float64, 3)
		x[i] = 1
		filetest.Near(t, m.Predict(x), want, 1e-12, "entry %d", i)
	}
	filetest.Near(t, m.Predict(first), 0.25, 1e-12, "prediction of the first item")
}
