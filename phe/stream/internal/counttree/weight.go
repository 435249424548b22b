package counttree

// weight is a Gaussian belief about one weight.
type weight[F float32 | float64] struct{ mean, variance F }

// maxShrunk is the largest share of its variance that a weight loses in one row. A linearised step overrates the first rows of a
// new item. Without the limit they would fix its weight for good.
const maxShrunk = 0.8

// step is the effect of a row on the weights of its logit. A weight moves by variance·x·gradient, and loses variance²·x²·curvature.
type step struct{ gradient, curvature float64 }

// stepOf returns the step of an outcome, 0 or 1, on a logit. p is the probability at the logit's mean, and q is the logit's
// variance.
func stepOf(outcome, p, q float64) step {
	w := p * (1 - p)
	return step{(outcome - p) / (1 + q*w), w / (1 + q*w)}
}

// move conditions the belief on a row that multiplies the weight by x.
func (b *weight[F]) move(x float64, by step) {
	v := float64(b.variance)
	b.mean = F(float64(b.mean) + v*x*by.gradient)
	b.variance = F(v - min(v*v*x*x*by.curvature, maxShrunk*v))
}
