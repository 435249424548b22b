package toy

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
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

// GroupErrors returns the root mean square error of averages over n values, for each n of sizes, if the true mean is known. The values
// are cut into groups of n, and a rest is left out.
func GroupErrors(values []float64, sizes []float64, mean float64) []float64 {
	errors := make([]float64, len(sizes))
	for i, size := range sizes {
		n, groups, squares := int(size), 0.0, 0.0
		for from := 0; from+n <= len(values); from += n {
			miss := stat.Mean(values[from:from+n], nil) - mean
			squares += miss * miss
			groups++
		}
		errors[i] = math.Sqrt(squares / groups)
	}
	return errors
}
