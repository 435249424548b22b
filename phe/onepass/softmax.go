package onepass

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// SoftmaxInto writes softmax(t) into p, which may be t.
func SoftmaxInto(p, t []float64) {
	most, sum := math.Inf(-1), 0.0
	for _, v := range t {
		most = max(most, v)
	}
	for o, v := range t {
		p[o] = math.Exp(v - most)
		sum += p[o]
	}
	for o := range p {
		p[o] /= sum
	}
}

// probabilities returns the probabilities of softmax classes.
func (s *sums) probabilities(kind Approximation) []float64 {
	for o := range s.outputs {
		s.gradient[o] = s.damped(kind, o) * s.mean[o]
	}
	SoftmaxInto(s.classes, s.gradient)
	return s.classes
}

// softmaxGradient sets gradient and curvature of softmax logits N(μ, Q) for a class y. M solves (I + LQ) M = L, so Q − Q M Q stays positive
// for any Q. L is the curvature diag p − p pᵀ. With MacKay, κ damps both sides of L.
func (s *sums) softmaxGradient(kind Approximation, y int) {
	n, p := s.outputs, s.probabilities(kind)
	if s.independent() {
		s.independentCurvature(kind, p)
	} else {
		s.solveCurvature(kind, p)
	}
	for o := range n {
		s.gradient[o] = -s.weight * s.damped(kind, o) * p[o]
	}
	s.gradient[y] += s.weight * s.damped(kind, y)
	if kind == PlugIn { // one Newton step from the mean: a = (I − MQ)(1_y − p)
		moved := s.scratch[n*n:]
		for o := range n {
			moved[o] = floats.Dot(s.cov[o*n:][:n], s.gradient)
		}
		for o := range n {
			s.gradient[o] -= floats.Dot(s.curvature[o*n:][:n], moved)
		}
	}
	s.clip()
}

// independent reports whether Q is diagonal, as where items are all that moves the logits.
func (s *sums) independent() bool {
	for i, q := range s.cov {
		if q != 0 && i%(s.outputs+1) != 0 {
			return false
		}
	}
	return true
}

// independentCurvature sets M for a diagonal Q in closed form, since L is diagonal but for a product of a vector with itself.
func (s *sums) independentCurvature(kind Approximation, p []float64) {
	n, u, sum := s.outputs, s.scratch[:s.outputs], 0.0
	for o := range n {
		k := s.damped(kind, o)
		d := 1 + s.weight*k*k*p[o]*s.cov[o*n+o]
		u[o] = k * p[o] / d
		sum += p[o] / d
	}
	for o := range n {
		row, by := s.curvature[o*n:][:n], -s.weight*u[o]/sum
		for r := range row {
			row[r] = by * u[r]
		}
		row[o] += s.weight * s.damped(kind, o) * u[o]
	}
}

// times returns entry o, r of MQ.
func (s *sums) times(o, r int) (sum float64) {
	for k := range s.outputs {
		sum += s.curvature[o*s.outputs+k] * s.cov[k*s.outputs+r]
	}
	return sum
}

// damped returns the factor of logit o: κ with MacKay, and otherwise 1.
func (s *sums) damped(kind Approximation, o int) float64 {
	if kind != MacKay {
		return 1
	}
	return damping(s.cov[o*s.outputs+o])
}

// solveCurvature sets M by elimination.
func (s *sums) solveCurvature(kind Approximation, p []float64) {
	n := s.outputs
	for o := range n {
		k := s.damped(kind, o)
		for r := range n {
			information := -p[o] * p[r]
			if o == r {
				information += p[o]
			}
			s.curvature[o*n+r] = s.weight * k * s.damped(kind, r) * information
		}
	}
	system := s.scratch[:n*n]
	for o := range n {
		for r := range n {
			system[o*n+r] = s.times(o, r)
		}
		system[o*n+o]++
	}
	solve(system, s.curvature, n)
}

// solve replaces b [n, n] by the solution x of a x = b, by elimination with pivoting. It destroys a [n, n].
func solve(a, b []float64, n int) {
	for i := range n {
		pivot := i
		for r := i + 1; r < n; r++ {
			if math.Abs(a[r*n+i]) > math.Abs(a[pivot*n+i]) {
				pivot = r
			}
		}
		for c := range n {
			a[i*n+c], a[pivot*n+c] = a[pivot*n+c], a[i*n+c]
			b[i*n+c], b[pivot*n+c] = b[pivot*n+c], b[i*n+c]
		}
		for r := i + 1; r < n; r++ {
			f := a[r*n+i] / a[i*n+i]
			for c := i; c < n; c++ {
				a[r*n+c] -= f * a[i*n+c]
			}
			for c := range n {
				b[r*n+c] -= f * b[i*n+c]
			}
		}
	}
	for i := n - 1; i >= 0; i-- {
		for c := range n {
			sum := b[i*n+c]
			for k := i + 1; k < n; k++ {
				sum -= a[i*n+k] * b[k*n+c]
			}
			b[i*n+c] = sum / a[i*n+i]
		}
	}
}
