package onepass

// beliefs are independent Gaussians. An entry with variance 0 is certain and never moves.
type beliefs struct{ mean, variance []float64 }

func newBeliefs(n int, variance float64, draw func() float64) beliefs {
	b := beliefs{make([]float64, n), make([]float64, n)}
	for i := range n {
		b.mean[i], b.variance[i] = draw(), variance
	}
	return b
}

// move conditions entry i on a row: m += v·gᵀa, v −= v²·gᵀMg. The variance keeps at least the share least, so no row makes it 0.
func (b beliefs) move(i int, gradient, curvature, tempering, least float64) {
	v := b.variance[i]
	b.mean[i] += v * gradient
	b.variance[i] = v * max(1-tempering*v*curvature, least)
}

// real is the type of numbers in tables. Arithmetic is in float64.
type real interface{ float32 | float64 }

// entry is the belief about one number.
type entry[T real] struct{ mean, variance T }

// move conditions the belief on a row, as beliefs.move does.
func (e *entry[T]) move(gradient, curvature, tempering, least float64) {
	v := float64(e.variance)
	e.mean += T(v * gradient)
	rest := 1 - tempering*v*curvature
	if rest < least { // max takes several times as many instructions, since it looks for NaN and for −0
		rest = least
	}
	e.variance = T(v * rest)
}

// bound keeps a mean within limits.
func (e *entry[T]) bound(least, most T) {
	if e.mean < least {
		e.mean = least
	} else if e.mean > most {
		e.mean = most
	}
}
