package toy

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
)

// Draws returns n tables drawn from a belief, the same in every call.
func Draws(q *distmv.Normal, n int) [][]float64 {
	var factor mat.Cholesky
	factor.Factorize(Covariance(q))
	lower, source := factor.LTo(nil), rand.New(rand.NewPCG(2, 2))
	tables := make([][]float64, n)
	for s := range tables {
		noise, table := mat.NewVecDense(q.Dim(), nil), mat.NewVecDense(q.Dim(), q.Mean(nil))
		for i := range q.Dim() {
			noise.SetVec(i, source.NormFloat64())
		}
		var moved mat.VecDense
		moved.MulVec(lower, noise)
		table.AddVec(table, &moved)
		tables[s] = table.RawVector().Data
	}
	return tables
}

// Column returns a tensor of one column, [values, 1] float32, as the library's tables of one number a row.
func Column(values []float64) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(Single(values), len(values), 1)
}

// Single returns the values in single precision, as the library's graphs take them.
func Single(values []float64) []float32 {
	single := make([]float32, len(values))
	for i, v := range values {
		single[i] = float32(v)
	}
	return single
}

// Flat returns the numbers of a tensor in double precision, row after row. It panics unless the tensor is of float32.
func Flat(t *tensors.Tensor) []float64 {
	single, err := tensors.CopyFlatData[float32](t)
	if err != nil {
		panic(err)
	}
	double := make([]float64, len(single))
	for i, v := range single {
		double[i] = float64(v)
	}
	return double
}

// LogStdDevs returns the logarithms of a belief's deviations, as the library's tables hold them.
func LogStdDevs(q *distmv.Normal) []float64 {
	logs := make([]float64, q.Dim())
	for i := range logs {
		logs[i] = 0.5 * math.Log(Covariance(q).At(i, i))
	}
	return logs
}
