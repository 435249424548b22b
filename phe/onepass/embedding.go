package onepass

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// embedding is the hash embedding of Sec. 3.2 under a linear head. Item c of a row has e_c = Σ_k w_k E[h_k(c)], and adds θ_cᵀ e_c
// to each logit. Every entry of E, W and θ is an independent Gaussian.
type embedding struct {
	Config

	e     beliefs // [buckets, dim]
	w     beliefs // [weight rows, hashes]; WeightedSum only
	theta beliefs // [columns, outputs, dim]

	unbounded bool // the head's gradient is unbounded, so the variance of products is needed
	gradients gradients
}

// beliefs are independent Gaussians. An entry with variance 0 is certain and never moves.
type beliefs struct{ mean, variance []float64 }

func newBeliefs(n int, variance float64, draw func() float64) beliefs {
	b := beliefs{make([]float64, n), make([]float64, n)}
	for i := range n {
		b.mean[i], b.variance[i] = draw(), variance
	}
	return b
}

// move conditions entry i on a row: m += v·gᵀa, v −= v²·gᵀMg. The variance keeps at least the share least of itself, so no row
// makes it zero or negative.
func (b beliefs) move(i int, gradient, curvature, tempering, least float64) {
	v := b.variance[i]
	b.mean[i] += v * gradient
	b.variance[i] = v * max(1-tempering*v*curvature, least)
}

// age moves entries from … to−1 towards the prior N(0, prior): q ← q^γ p₀^{1−γ}, if the row forgets.
func (p *embedding) age(b beliefs, from, to int, prior float64, s *sums) {
	for i := from; i < to && s.forgets; i++ {
		if v := b.variance[i]; v > 0 {
			wider := 1 / (p.Gamma/v + (1-p.Gamma)/prior)
			b.mean[i] *= p.Gamma * wider / v
			b.variance[i] = wider
		}
	}
}

// gradients holds the gradients of a row's logits by each entry that the row touches.
type gradients struct {
	e, w    slots
	columns slots     // that have a cell in the row
	ofE     []float64 // [touched rows of E, outputs, dim]
	ofW     []float64 // [touched entries of W, outputs]
	emb     []float64 // [columns, dim]: e_c, which is the gradient by θ
	squares []float64 // [columns, outputs, dim]: θ² of one logit with itself, for the variance of products
}

func newEmbedding(c Config, rng *rand.Rand) *embedding {
	limit := 1 / math.Sqrt(float64(c.Columns*c.Dim+c.Numbers)) // as in PyTorch's linear layer, which the authors use
	return &embedding{Config: c, unbounded: c.Head == Poisson || c.Head == Gaussian,
		e:         newBeliefs(c.Buckets*c.Dim, c.Prior.E, rng.NormFloat64), // means of 0 in both factors would never move
		w:         newBeliefs(c.WeightRows*c.Hashes, c.Prior.W, rng.NormFloat64),
		theta:     newBeliefs(c.Columns*c.Outputs*c.Dim, c.Prior.Theta, func() float64 { return (2*rng.Float64() - 1) * limit }),
		gradients: gradients{emb: make([]float64, c.Columns*c.Dim), squares: make([]float64, c.Columns*c.Outputs*c.Dim)},
	}
}

// meet notes that the row has an item of a column.
func (p *embedding) meet(column int) {
	g := &p.gradients
	if _, isNew := g.columns.number(column); !isNew {
		return
	}
	clear(g.emb[column*p.Dim : (column+1)*p.Dim])
	from, to := column*p.Outputs*p.Dim, (column+1)*p.Outputs*p.Dim
	theta, squares := p.theta.mean[from:to], g.squares[from:to]
	for i, t := range theta {
		squares[i] = t * t
	}
}

// read adds the row's items to the logits and keeps the gradients.
func (p *embedding) read(row *Row, s *sums) {
	p.see(row, s)
	p.spread(s)
}

// see adds the row's items to the mean of the logits and keeps the gradients. It adds only the part of the covariance that belongs
// to no gradient.
func (p *embedding) see(row *Row, s *sums) {
	g := &p.gradients
	g.e.reset()
	g.w.reset()
	g.columns.reset()
	g.ofE, g.ofW = g.ofE[:0], g.ofW[:0]
	for i := range row.Cells {
		c := &row.Cells[i]
		p.meet(int(c.Column))
		for k, slot := range row.Slots[i*p.Hashes : (i+1)*p.Hashes] {
			p.readSlot(c, k, slot, s)
		}
	}
}

// spread adds the variances of the touched entries to the covariance, as if entries were independent.
func (p *embedding) spread(s *sums) {
	g := &p.gradients
	for j, b := range g.e.keys {
		p.addVariance(j, b, s)
	}
	for j, at := range g.w.keys {
		if v := p.w.variance[at]; v > 0 {
			s.addOuter(v, g.ofW[j*p.Outputs:], 1)
		}
	}
	for _, c := range g.columns.keys {
		emb := g.emb[c*p.Dim : (c+1)*p.Dim]
		for o := range p.Outputs {
			variance := p.theta.variance[(c*p.Outputs+o)*p.Dim:][:p.Dim]
			sum := 0.0
			for i, v := range variance {
				sum += v * emb[i] * emb[i]
			}
			s.cov[o*p.Outputs+o] += sum
		}
	}
}

// weight returns the weight of slot k in a cell, and the variance of this weight.
func (p *embedding) weight(c *Cell, k int, slot uint32) (weight, variance float64) {
	switch p.Assembly {
	case WeightedSum:
		at := int(c.Weights)*p.Hashes + k
		return c.Share * p.w.mean[at], c.Share * c.Share * p.w.variance[at]
	case Mean:
		return c.Share / float64(p.Hashes), 0
	}
	return signed(c.Share, slot), 0
}

// readSlot adds one slot of a cell to the logits: w·E[b], multiplied by θ.
func (p *embedding) readSlot(c *Cell, k int, slot uint32, s *sums) {
	g, d, n, column, b := &p.gradients, p.Dim, p.Outputs, int(c.Column), int(slot&^signBit)
	j, isNew := g.e.number(b)
	if isNew {
		g.ofE = zeroed(g.ofE, n*d)
		p.age(p.e, b*d, (b+1)*d, p.Prior.E, s)
	}
	jw := -1
	if p.Assembly == WeightedSum {
		at := int(c.Weights)*p.Hashes + k
		if jw, isNew = g.w.number(at); isNew {
			g.ofW = zeroed(g.ofW, n)
			p.age(p.w, at, at+1, p.Prior.W, s)
		}
	}
	weight, weightVariance := p.weight(c, k, slot)
	row, variance := p.e.mean[b*d:(b+1)*d], p.e.variance[b*d:(b+1)*d]
	floats.AddScaled(g.emb[column*d:(column+1)*d], weight, row)
	for o := range n {
		at := (column*n + o) * d
		theta := p.theta.mean[at : at+d]
		floats.AddScaled(g.ofE[(j*n+o)*d:(j*n+o+1)*d], weight, theta)
		dot := floats.Dot(row, theta)
		s.mean[o] += weight * dot
		if jw >= 0 {
			g.ofW[jw*n+o] += c.Share * dot
		}
		if p.unbounded {
			s.products += (weight*weight+weightVariance)*floats.Dot(variance, p.theta.variance[at:at+d]) + weightVariance*floats.Dot(variance, g.squares[at:at+d])
		}
		if weightVariance > 0 { // Var(we) = w²v_e + e²v_w + v_w v_e, and the last term belongs to no gradient
			s.cov[o*n+o] += weightVariance * floats.Dot(variance, g.squares[at:at+d])
			for r := range o {
				s.cov[o*n+r] += weightVariance * triple(variance, theta, p.theta.mean[(column*n+r)*d:][:d])
			}
		}
	}
}

// triple returns Σ x y z.
func triple(x, y, z []float64) (sum float64) {
	y, z = y[:len(x)], z[:len(x)]
	for i, v := range x {
		sum += v * y[i] * z[i]
	}
	return sum
}

// addVariance adds the variance of row b of E. j is the row's number among the touched rows.
func (p *embedding) addVariance(j, b int, s *sums) {
	d, n := p.Dim, p.Outputs
	variance := p.e.variance[b*d : (b+1)*d]
	for o := range n {
		g := p.gradients.ofE[(j*n+o)*d:][:d]
		for r := range o + 1 {
			s.cov[o*n+r] += triple(variance, g, p.gradients.ofE[(j*n+r)*d:][:d])
		}
	}
}

// write moves every entry that the row touched.
func (p *embedding) write(_ *Row, s *sums) {
	g, d, n := &p.gradients, p.Dim, p.Outputs
	for j, b := range g.e.keys {
		slopes, at := g.ofE[j*n*d:(j+1)*n*d], b*d
		if n == 1 {
			a, m := s.gradient[0], s.curvature[0]
			for i, g := range slopes {
				p.e.move(at+i, g*a, g*g*m, p.Tempering, p.Least)
			}
		} else {
			for i := range d {
				gradient, curvature := s.along(slopes[i:], d)
				p.e.move(at+i, gradient, curvature, p.Tempering, p.Least)
			}
		}
	}
	for j, at := range g.w.keys {
		gradient, curvature := s.along(g.ofW[j*n:(j+1)*n], 1)
		p.w.move(at, gradient, curvature, p.Tempering, p.Least)
	}
	for _, c := range g.columns.keys {
		emb := g.emb[c*d : (c+1)*d]
		for o := range n {
			a, m := s.gradient[o], s.curvature[o*n+o]
			for i, e := range emb {
				p.theta.move((c*n+o)*d+i, a*e, m*e*e, p.Tempering, p.Least)
			}
		}
	}
}
