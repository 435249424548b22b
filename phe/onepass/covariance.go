package onepass

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// covariance is the covariance of entries under one Gaussian. The owners of the entries keep the means.
type covariance struct {
	size, outputs int
	cov           []float64 // S [size, size], symmetric to the last bit
	slopes        []slope   // of the row, until it is read
	h             []float64 // [outputs, size]: S times the slopes, the covariance of the entries with the row's logits
	g             []float64 // [outputs, size]: h times a root of M
}

// slope is the gradient of a logit by an entry.
type slope struct {
	entry, output int
	gradient      float64
}

func newCovariance(size, outputs int) covariance {
	return covariance{size: size, outputs: outputs, cov: make([]float64, size*size),
		h: make([]float64, size*outputs), g: make([]float64, size*outputs)}
}

// reset makes the entries from one on independent, and gives them a variance.
func (c *covariance) reset(from int, variance float64) {
	for i := from; i < c.size; i++ {
		for k := range c.size {
			c.cov[i*c.size+k], c.cov[k*c.size+i] = 0, 0
		}
		c.cov[i*c.size+i] = variance
	}
}

// touch notes a gradient of the row.
func (c *covariance) touch(entry, output int, gradient float64) {
	if gradient != 0 {
		c.slopes = append(c.slopes, slope{entry, output, gradient})
	}
}

// read adds the variance of the touched entries to the logits: Q = gᵀSg.
func (c *covariance) read(s *sums) {
	clear(c.h)
	for _, g := range c.slopes {
		floats.AddScaled(c.h[g.output*c.size:][:c.size], g.gradient, c.cov[g.entry*c.size:][:c.size])
	}
	for _, g := range c.slopes {
		for r := range g.output + 1 {
			s.cov[g.output*c.outputs+r] += g.gradient * c.h[r*c.size+g.entry]
		}
	}
	c.slopes = c.slopes[:0]
}

// write conditions all entries on the row: m ← m + Ha, S ← S − H M Hᵀ. With M = L Lᵀ and G = H L, the second step subtracts G Gᵀ, which
// keeps S symmetric. means are the entries' means, in pieces.
func (c *covariance) write(s *sums, tempering float64, means ...[]float64) {
	n, size, root := c.outputs, c.size, s.root(tempering)
	clear(c.g)
	for o := range n {
		h := c.h[o*size:][:size]
		rest := h
		for _, mean := range means {
			floats.AddScaled(mean, s.gradient[o], rest[:len(mean)])
			rest = rest[len(mean):]
		}
		for r := range o + 1 {
			if v := root[o*n+r]; v != 0 {
				floats.AddScaled(c.g[r*size:][:size], v, h)
			}
		}
	}
	for i := range size { // all directions of M in turn, while a row of S is in the cache
		row := c.cov[i*size : (i+1)*size]
		for r := range n { // M may lack a direction, and its g is 0: softmax does not depend on the mean of all logits
			if g := c.g[r*size : (r+1)*size]; g[i] != 0 {
				floats.AddScaled(row, -g[i], g)
			}
		}
	}
}

// root returns the lower triangular L with L Lᵀ = η M (Cholesky). It treats a pivot below rounding as 0.
func (s *sums) root(tempering float64) []float64 {
	n := s.outputs
	l := s.scratch[:n*n]
	for o := range n {
		for r := range o + 1 {
			sum := tempering * s.curvature[o*n+r]
			for k := range r {
				sum -= l[o*n+k] * l[r*n+k]
			}
			switch {
			case o == r && sum > minPivot*s.curvature[o*n+o]:
				l[o*n+o] = math.Sqrt(sum)
			case o != r && l[r*n+r] > 0:
				l[o*n+r] = sum / l[r*n+r]
			default:
				l[o*n+r] = 0
			}
		}
	}
	return l
}

// minPivot is the share of its diagonal below which a pivot is only rounding.
const minPivot = 1e-13
