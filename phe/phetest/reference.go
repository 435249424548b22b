package phetest

import (
	"math"
	"slices"
)

// Float64s returns lists of parameters for a reference in plain Go.
func Float64s(lists [][]float32) (wide [][]float64) {
	for _, list := range lists {
		w := make([]float64, len(list))
		for i, v := range list {
			w[i] = float64(v)
		}
		wide = append(wide, w)
	}
	return
}

// CloneLists copies lists of parameters.
func CloneLists(p [][]float64) (c [][]float64) {
	for _, list := range p {
		c = append(c, slices.Clone(list))
	}
	return
}

// Differences returns the gradient of f by p's lists, by central differences. f reads p.
func Differences(p [][]float64, f func() float64) [][]float64 {
	const h = 1e-5
	gradient := make([][]float64, len(p))
	for list := range gradient {
		gradient[list] = make([]float64, len(p[list]))
		for i, v := range p[list] {
			p[list][i] = v + h
			up := f()
			p[list][i] = v - h
			gradient[list][i] = (up - f()) / (2 * h)
			p[list][i] = v
		}
	}
	return gradient
}

// AddKL adds weight times the gradient of KL(p‖prior), in closed form, for pairs of lists: means and log σ. It is exactly 0 at
// p = prior. A nil prior is N(0, 1).
func AddKL(gradient, p, prior [][]float64, weight float64) {
	for list := 0; list < len(p); list += 2 {
		for i := range p[list] {
			priorMean, priorLogStdDev := 0.0, 0.0
			if prior != nil {
				priorMean, priorLogStdDev = prior[list][i], prior[list+1][i]
			}
			gradient[list][i] += weight * (p[list][i] - priorMean) / math.Exp(2*priorLogStdDev)
			gradient[list+1][i] += weight * math.Expm1(2*(p[list+1][i]-priorLogStdDev))
		}
	}
}

// Adam is the textbook's (Kingma and Ba, 2015), fresh.
type Adam struct {
	Rate          float64
	first, second [][]float64
	t             int
}

// Step moves the lists of p that have a gradient.
func (a *Adam) Step(p, gradient [][]float64) {
	if a.t++; a.t == 1 {
		for _, g := range gradient {
			a.first, a.second = append(a.first, make([]float64, len(g))), append(a.second, make([]float64, len(g)))
		}
	}
	for list, g := range gradient {
		for i, v := range g {
			a.first[list][i] = 0.9*a.first[list][i] + 0.1*v
			a.second[list][i] = 0.999*a.second[list][i] + 0.001*v*v
			m := a.first[list][i] / (1 - math.Pow(0.9, float64(a.t)))
			s := a.second[list][i] / (1 - math.Pow(0.999, float64(a.t)))
			p[list][i] -= a.Rate * m / (math.Sqrt(s) + 1e-8)
		}
	}
}
