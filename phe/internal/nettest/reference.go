package nettest

import (
	"math"
	"testing"

	"gophe/phe"
	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
)

// Converted copies lists of parameters, with numbers of one type or the other: as a reference in plain Go has them, or a learner.
func Converted[To, From float32 | float64](lists [][]From) (converted [][]To) {
	for _, list := range lists {
		converted = append(converted, belief.Converted[To](list))
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

// Adam returns the step of a fresh Adam, as the textbook has it (Kingma and Ba, 2015). A step moves the lists of p that have a gradient.
func Adam(rate float64) (step func(p, gradient [][]float64)) {
	var first, second [][]float64
	t := 0.0
	return func(p, gradient [][]float64) {
		if t++; t == 1 {
			for _, g := range gradient {
				first, second = append(first, make([]float64, len(g))), append(second, make([]float64, len(g)))
			}
		}
		for list, g := range gradient {
			for i, v := range g {
				first[list][i] = 0.9*first[list][i] + 0.1*v
				second[list][i] = 0.999*second[list][i] + 0.001*v*v
				m := first[list][i] / (1 - math.Pow(0.9, t))
				s := second[list][i] / (1 - math.Pow(0.999, t))
				p[list][i] -= rate * m / (math.Sqrt(s) + 1e-8)
			}
		}
	}
}

// NumEmbedding returns the number of lists that belong to the tables. They come first among a learner's parameters.
func NumEmbedding(c phe.Config) int {
	n := 1
	if c.NumWeights > 0 {
		n = 2
	}
	if c.Estimate == phe.Posterior {
		n *= 2
	}
	return n
}

// Same compares lists of numbers. It reports each list of got that differs from want by more than the tolerance.
func Same[F float32 | float64](t testing.TB, what string, got, want [][]F, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d lists, want %d", what, len(got), len(want))
	}
	for list := range want {
		if len(got[list]) != len(want[list]) {
			t.Fatalf("%s: list %d has %d numbers, want %d", what, list, len(got[list]), len(want[list]))
		}
		for i, w := range want[list] {
			if v := got[list][i]; !(math.Abs(float64(v-w)) <= tolerance) {
				t.Errorf("%s: list %d, entry %d is %.8g, want %.8g", what, list, i, v, w)
				break
			}
		}
	}
}

// FirstGradient compares a gradient in float64 with the first moments of Adam after one step, which are a tenth of the gradient.
func FirstGradient(t testing.TB, moments, want [][]float64) {
	t.Helper()
	for list := range want {
		for i, g := range want[list] {
			// Sums of some hundred float32 terms; the finite differences are good to 1e-8.
			filetest.Near(t, 10*moments[list][i], g, 2e-5*max(1, math.Abs(g)), "the gradient of parameter %d, entry %d", list, i)
		}
	}
}
