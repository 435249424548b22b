package toy

import "math/rand/v2"

// Noisy returns n observations of a number, each with standard normal noise. Every call returns the same.
func Noisy(number float64, n int) []float64 {
	draw, y := rand.New(rand.NewPCG(3, 3)), make([]float64, n)
	for i := range y {
		y[i] = number + draw.NormFloat64()
	}
	return y
}
