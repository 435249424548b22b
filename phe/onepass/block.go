package onepass

// block is the belief about the weights β of the numbers and the bias: one Gaussian of full covariance. Numbers are correlated, and
// every row has them. The cost of a row grows with the square of the block's size.
type block struct {
	covariance
	numbers    int
	tempering  float64
	prior, tau float64   // prior variance, and the share of it that a variance gains in a row
	mean       []float64 // [numbers + 1, outputs], the bias last
}

func newBlock(c Config) *block {
	size := (c.Numbers + 1) * c.Outputs
	b := &block{covariance: newCovariance(size, c.Outputs), numbers: c.Numbers, mean: make([]float64, size),
		tempering: c.Tempering, prior: c.Prior.Block, tau: blockTau * c.Tau}
	b.reset(0, c.Prior.Block)
	return b
}

// see adds βᵀx̃ with x̃ = (x, 1) to the logits. It notes the gradients in a covariance where β begins at entry first.
func (b *block) see(row *Row, s *sums, c *covariance, first int) {
	for f := range b.numbers + 1 {
		x := 1.
		if f < b.numbers {
			x = row.Numbers[f]
		}
		for o := range b.outputs {
			at := f*b.outputs + o
			s.mean[o] += x * b.mean[at]
			c.touch(first+at, o, x)
		}
	}
}

// read adds βᵀx̃ to the logits, and x̃ᵀSx̃ to their covariance.
func (b *block) read(row *Row, s *sums) {
	if b.size == 1 { // a bias alone
		s.mean[0] += b.mean[0]
		s.cov[0] += b.cov[0]
		return
	}
	b.see(row, s, &b.covariance, 0)
	b.covariance.read(s)
}

// write conditions β on the row.
func (b *block) write(_ *Row, s *sums) {
	if b.prior == 0 { // β is certain
		return
	}
	if b.size == 1 { // a bias alone
		v := b.cov[0]
		b.mean[0] += v * s.gradient[0]
		b.cov[0] = v - b.tempering*s.curvature[0]*v*v
	} else {
		b.covariance.write(s, b.tempering, b.mean)
	}
	if b.tau > 0 {
		for i := range b.mean {
			v := &b.cov[i*b.size+i]
			*v = min(b.prior, *v+b.tau*b.prior)
		}
	}
}

// blockTau is the forgetting of the block, relative to Tau. Every row touches the block, so it already learns fast.
const blockTau = 0.1
