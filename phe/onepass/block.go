package onepass

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// block is the belief about the weights β of the numbers and the bias: one Gaussian of full covariance. Numbers are correlated, and
// every row has them. The cost of a row grows with the square of the block's size.
type block struct {
	numbers, outputs int
	tempering        float64
	prior, tau       float64   // prior variance, and the share of it that a variance gains in a row
	mean             []float64 // [numbers + 1, outputs], the bias last
	cov              []float64 // S [size, size], symmetric to the last bit
	h                []float64 // [outputs, size]: covariance with the row's logits, S (x̃ ⊗ I)
	g                []float64 // [outputs, size]: h times a root of M
}

func newBlock(c Config) *block {
	size := (c.Numbers + 1) * c.Outputs
	b := &block{numbers: c.Numbers, outputs: c.Outputs, tempering: c.Tempering, prior: c.Prior.Block, tau: blockTau * c.Tau, mean: make([]float64, size), cov: make([]float64, size*size),
		h: make([]float64, size*c.Outputs), g: make([]float64, size*c.Outputs)}
	b.reset(c.Prior.Block)
	return b
}

// reset sets the covariance to the state before any row. It keeps the means.
func (b *block) reset(variance float64) {
	clear(b.cov)
	for i := range b.mean {
		b.cov[i*len(b.mean)+i] = variance
	}
}

// input returns number f of x̃ = (x, 1).
func (b *block) input(row *Row, f int) float64 {
	if f == b.numbers {
		return 1
	}
	return row.Numbers[f]
}

// read adds βᵀx̃ to the logits, and x̃ᵀSx̃ to their covariance.
func (b *block) read(row *Row, s *sums) {
	n, size := b.outputs, len(b.mean)
	if size == 1 { // a bias alone
		s.mean[0] += b.mean[0]
		s.cov[0] += b.cov[0]
		return
	}
	clear(b.h)
	for f := range b.numbers + 1 {
		x := b.input(row, f)
		for o := range n {
			j := f*n + o
			s.mean[o] += x * b.mean[j]
			floats.AddScaled(b.h[o*size:(o+1)*size], x, b.cov[j*size:(j+1)*size])
		}
	}
	for f := range b.numbers + 1 {
		x := b.input(row, f)
		for o := range n {
			for r := range o + 1 {
				s.cov[o*n+r] += x * b.h[r*size+f*n+o]
			}
		}
	}
}

// write conditions β on the row: β ← β + Ha, S ← S − H M Hᵀ. With M = L Lᵀ and G = H L, the second step subtracts G Gᵀ, which keeps
// S symmetric.
func (b *block) write(_ *Row, s *sums) {
	n, size := b.outputs, len(b.mean)
	if size == 1 {
		b.writeBias(s)
		return
	}
	root := s.root(b.tempering)
	clear(b.g)
	for o := range n {
		h := b.h[o*size : (o+1)*size]
		floats.AddScaled(b.mean, s.gradient[o], h)
		for r := range o + 1 {
			if v := root[o*n+r]; v != 0 {
				floats.AddScaled(b.g[r*size:(r+1)*size], v, h)
			}
		}
	}
	for i := range b.mean { // all directions of M in turn, while a row of S is in the cache
		row := b.cov[i*size : (i+1)*size]
		for r := range n {
			if root[r*n+r] == 0 {
				continue // M lacks a direction: softmax does not depend on the mean of all logits
			}
			g := b.g[r*size : (r+1)*size]
			floats.AddScaled(row, -g[i], g)
		}
	}
	if b.tau > 0 {
		for i := range b.mean {
			v := &b.cov[i*size+i]
			*v = min(b.prior, *v+b.tau*b.prior)
		}
	}
}

// writeBias is write if β is only a bias.
func (b *block) writeBias(s *sums) {
	v := b.cov[0]
	b.mean[0] += v * s.gradient[0]
	b.cov[0] = v - b.tempering*s.curvature[0]*v*v
	if b.tau > 0 {
		b.cov[0] = min(b.prior, b.cov[0]+b.tau*b.prior)
	}
}

// blockTau is the forgetting of the block, relative to Tau. Every row touches the block, so it already learns fast.
const blockTau = 0.1

func (b *block) forget(*Row) {}

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
