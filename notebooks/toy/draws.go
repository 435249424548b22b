package toy

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
)

// Draws returns n tables drawn from a belief, the same in every call.
func Draws(q *distmv.Normal, n int) [][]float64 {
	var factor mat.Cholesky
	factor.Factorize(Covariance(q))
	var lower mat.TriDense
	factor.LTo(&lower)
	source := rand.New(rand.NewPCG(2, 2))
	tables := make([][]float64, n)
	for s := range tables {
		noise, table := mat.NewVecDense(q.Dim(), nil), mat.NewVecDense(q.Dim(), q.Mean(nil))
		for i := range q.Dim() {
			noise.SetVec(i, source.NormFloat64())
		}
		var moved mat.VecDense
		moved.MulVec(&lower, noise)
		table.AddVec(table, &moved)
		tables[s] = table.RawVector().Data
	}
	return tables
}

// LogStdDevs returns the logarithms of a belief's deviations, as the library's tables hold them.
func LogStdDevs(q *distmv.Normal) []float64 {
	logs := make([]float64, q.Dim())
	for i := range logs {
		logs[i] = 0.5 * math.Log(Covariance(q).At(i, i))
	}
	return logs
}

// Noisy returns n observations of a number, each with standard normal noise. Every call returns the same.
func Noisy(number float64, n int) []float64 {
	draw, y := rand.New(rand.NewPCG(3, 3)), make([]float64, n)
	for i := range y {
		y[i] = number + draw.NormFloat64()
	}
	return y
}
