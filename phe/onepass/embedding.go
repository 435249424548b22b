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
	e     table   // [buckets, dim]
	w     table   // [weight rows · hashes, 1]; WeightedSum only
	theta beliefs // [columns, outputs, dim]

	unbounded bool      // the head's gradient is unbounded, so the variance of products is needed
	columns   slots     // that have a cell in the row
	emb       []float64 // [columns, dim]: e_c, which is the gradient of a logit by θ
	squares   []float64 // [columns, outputs, dim]: θ² of one logit with itself, for the variance of products
}

func newEmbedding(c Config, rng *rand.Rand) *embedding {
	limit := 1 / math.Sqrt(float64(c.Columns*c.Dim+c.Numbers)) // as in PyTorch's linear layer, which the authors use
	return &embedding{Config: c, unbounded: c.Head == Poisson || c.Head == Gaussian,
		e:     newTable(c.Buckets, c.Dim, c.BeliefBits, c.Prior.E, rng.NormFloat64), // means of 0 in both factors would never move
		w:     newTable(c.WeightRows*c.Hashes, 1, c.BeliefBits, c.Prior.W, rng.NormFloat64),
		theta: newBeliefs(c.Columns*c.Outputs*c.Dim, c.Prior.Theta, func() float64 { return (2*rng.Float64() - 1) * limit }),
		emb:   make([]float64, c.Columns*c.Dim), squares: make([]float64, c.Columns*c.Outputs*c.Dim),
	}
}

// meet notes that the row has an item of a column.
func (p *embedding) meet(column int) {
	if _, isNew := p.columns.number(column); !isNew {
		return
	}
	clear(p.emb[column*p.Dim : (column+1)*p.Dim])
	from, to := column*p.Outputs*p.Dim, (column+1)*p.Outputs*p.Dim
	theta, squares := p.theta.mean[from:to], p.squares[from:to]
	for i, t := range theta {
		squares[i] = t * t
	}
}

// read adds the row's items to the logits and keeps the gradients.
func (p *embedding) read(row *Row, s *sums) {
	p.see(row, s)
	p.spread(s)
}

// see adds the row's items to the mean of the logits and keeps the gradients. Of the covariance it adds only the part without a gradient.
func (p *embedding) see(row *Row, s *sums) {
	for _, t := range []*table{&p.e, &p.w} {
		t.touched.reset()
		t.gradients = t.gradients[:0]
	}
	p.columns.reset()
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
	p.e.spread(s)
	p.w.spread(s)
	for _, c := range p.columns.keys {
		emb := p.emb[c*p.Dim : (c+1)*p.Dim]
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

// readSlot adds one slot of a cell to the logits: w·E[b], multiplied by θ.
func (p *embedding) readSlot(c *Cell, k int, slot uint32, s *sums) {
	d, n, column := p.Dim, p.Outputs, int(c.Column)
	j, at := p.e.open(int(slot&^signBit), &p.Config, s)
	jw, weight, weightVariance := -1, signed(c.Share, slot), 0.
	switch p.Assembly {
	case WeightedSum:
		var at int
		jw, at = p.w.open(int(c.Weights)*p.Hashes+k, &p.Config, s)
		weight, weightVariance = c.Share*p.w.mean[at], c.Share*c.Share*p.w.variance[at]
	case Mean:
		weight = c.Share / float64(p.Hashes)
	}
	row, variance := p.e.mean[at:at+d], p.e.variance[at:at+d]
	floats.AddScaled(p.emb[column*d:(column+1)*d], weight, row)
	for o := range n {
		at := (column*n + o) * d
		theta := p.theta.mean[at : at+d]
		floats.AddScaled(p.e.gradients[(j*n+o)*d:(j*n+o+1)*d], weight, theta)
		dot := floats.Dot(row, theta)
		s.mean[o] += weight * dot
		if jw >= 0 {
			p.w.gradients[jw*n+o] += c.Share * dot
		}
		if p.unbounded {
			s.products += (weight*weight+weightVariance)*floats.Dot(variance,
				p.theta.variance[at:at+d]) + weightVariance*floats.Dot(variance, p.squares[at:at+d])
		}
		if weightVariance > 0 { // Var(we) = w²v_e + e²v_w + v_w v_e, and the last term belongs to no gradient
			s.cov[o*n+o] += weightVariance * floats.Dot(variance, p.squares[at:at+d])
			for r := range o {
				s.cov[o*n+r] += weightVariance * triple(variance, theta, p.theta.mean[(column*n+r)*d:][:d])
			}
		}
	}
}

// write moves every entry that the row touched.
func (p *embedding) write(_ *Row, s *sums) {
	d, n := p.Dim, p.Outputs
	p.e.write(&p.Config, s, draws(s.rows, learning))
	p.w.write(&p.Config, s, draws(s.rows, weighing))
	for _, c := range p.columns.keys {
		emb := p.emb[c*d : (c+1)*d]
		for o := range n {
			a, m := s.gradient[o], s.curvature[o*n+o]
			for i, e := range emb {
				p.theta.move((c*n+o)*d+i, a*e, m*e*e, p.Tempering, p.Least)
			}
		}
	}
}
