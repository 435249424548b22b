package toy

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distmv"
)

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
