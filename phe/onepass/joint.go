package onepass

import (
	"gophe/phe/belief"

	"gonum.org/v1/gonum/floats"
)

// joint is the embedding and the block under one Gaussian of full covariance. The parts keep the means, and they keep the diagonal
// of the covariance as their variances.
type joint struct {
	embedding *embedding
	block     *block
	size      int       // p, the number of entries: E, then W, θ and the block
	cov       []float64 // S [p, p]
	touched   []int     // entries that the row touches
	gradients []float64 // [touched, outputs]
	h         []float64 // [outputs, p]: S g
	g         []float64 // [outputs, p]: h times a root of M
}

func newJoint(e *embedding, b *block) *joint {
	j := &joint{embedding: e, block: b, size: len(e.e.mean) + len(e.w.mean) + len(e.theta.mean) + len(b.mean)}
	j.cov = make([]float64, j.size*j.size)
	j.h, j.g = make([]float64, j.size*b.outputs), make([]float64, j.size*b.outputs)
	at := 0
	for _, variance := range [][]float64{e.e.variance, e.w.variance, e.theta.variance} {
		for _, v := range variance {
			j.cov[at*j.size+at] = v
			at++
		}
	}
	j.resetBlock()
	return j
}

// resetBlock replaces the block's covariance by a new one, independent of the tables.
func (j *joint) resetBlock() {
	first, n := j.size-len(j.block.mean), len(j.block.mean)
	for i := range n {
		for k := range j.size {
			j.cov[(first+i)*j.size+k], j.cov[k*j.size+first+i] = 0, 0
		}
	}
	for i := range n {
		copy(j.cov[(first+i)*j.size+first:][:n], j.block.cov[i*n:])
	}
}

// touch notes an entry's gradient.
func (j *joint) touch(entry int, gradient ...float64) {
	j.touched = append(j.touched, entry)
	j.gradients = append(j.gradients, gradient...)
}

// gather lists the entries that the row touches, with their gradients.
func (j *joint) gather(row *Row) {
	p, n := j.embedding, j.block.outputs
	d, g := p.dim, &p.gradients
	j.touched, j.gradients = j.touched[:0], j.gradients[:0]
	of := make([]float64, n)
	for k, b := range g.e.keys {
		for i := range d {
			for o := range n {
				of[o] = g.ofE[(k*n+o)*d+i]
			}
			j.touch(int(b)*d+i, of...)
		}
	}
	first := len(p.e.mean)
	for k, at := range g.w.keys {
		j.touch(first+int(at), g.ofW[k*n:(k+1)*n]...)
	}
	clear(of)
	single := func(entry, output int, gradient float64) {
		of[output] = gradient
		j.touch(entry, of...)
		of[output] = 0
	}
	first += len(p.w.mean)
	for _, c := range g.columns {
		for o := range n {
			for i := range d {
				single(first+(c*n+o)*d+i, o, g.emb[c*d+i])
			}
		}
	}
	first += len(p.theta.mean)
	for f := range j.block.numbers + 1 {
		for o := range n {
			single(first+f*n+o, o, j.block.input(row, f))
		}
	}
}

// read adds the row to the logits: Q = gᵀSg over all entries, and the variance that products of beliefs add.
func (j *joint) read(row *Row, s *sums) {
	n := j.block.outputs
	j.embedding.see(row, s)
	j.gather(row)
	for f := range j.block.numbers + 1 {
		for o := range n {
			s.mean[o] += j.block.input(row, f) * j.block.mean[f*n+o]
		}
	}
	clear(j.h)
	for k, entry := range j.touched {
		for o := range n {
			if v := j.gradients[k*n+o]; v != 0 {
				floats.AddScaled(j.h[o*j.size:(o+1)*j.size], v, j.cov[entry*j.size:(entry+1)*j.size])
			}
		}
	}
	for k, entry := range j.touched {
		for o := range n {
			for r := range o + 1 {
				s.cov[o*n+r] += j.gradients[k*n+o] * j.h[r*j.size+entry]
			}
		}
	}
}

// write conditions all entries on the row: m ← m + Ha, S ← S − H M Hᵀ.
func (j *joint) write(_ *Row, s *sums) {
	n, e, b := j.block.outputs, j.embedding, j.block
	root := s.root(e.tempering)
	clear(j.g)
	for o := range n {
		h := j.h[o*j.size : (o+1)*j.size]
		rest := h
		for _, mean := range [][]float64{e.e.mean, e.w.mean, e.theta.mean, b.mean} {
			floats.AddScaled(mean, s.gradient[o], rest[:len(mean)])
			rest = rest[len(mean):]
		}
		for r := range o + 1 {
			if v := root[o*n+r]; v != 0 {
				floats.AddScaled(j.g[r*j.size:(r+1)*j.size], v, h)
			}
		}
	}
	for r := range n {
		if root[r*n+r] == 0 {
			continue // M lacks a direction: softmax does not depend on the mean of all logits
		}
		g := j.g[r*j.size : (r+1)*j.size]
		for i, v := range g {
			if v != 0 {
				floats.AddScaled(j.cov[i*j.size:(i+1)*j.size], -v, g)
			}
		}
	}
	j.mirror()
}

// mirror copies the diagonal to the tables' variances.
func (j *joint) mirror() {
	at := 0
	for _, variance := range [][]float64{j.embedding.e.variance, j.embedding.w.variance, j.embedding.theta.variance} {
		for i := range variance {
			variance[i] = max(j.cov[at*j.size+at], 0)
			at++
		}
	}
}

func (j *joint) forget(*Row) {}

func (j *joint) stored() []belief.Part {
	return append(append(j.embedding.stored(), j.block.stored()...), belief.List(jointCov, j.cov))
}
