package counttree

type weight[F float32 | float64] struct{ mean, variance F }

// maxShrunk is the largest share of its variance that a weight loses in one row. A linearised step overrates the first rows of a
// new item. Without the limit they would fix its weight for good.
const maxShrunk = 0.8

// step is the effect of a row on the weights of its logit. A weight moves by variance·x·gradient, and loses variance²·x²·curvature.
type step struct{ gradient, curvature float64 }

// stepOf returns the step of an outcome, 0 or 1, on a logit. p is the probability at the logit's mean, and q is the logit's variance.
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

// Learn learns a row and its count, which is positive.
func (f *Forecaster) Learn(row Row, y int) {
	f.weigh(row, y)
	f.count(row, y)
}

// weigh conditions the weights on a row and its count, with the present evidence. The evidence does not have the row itself.
func (f *Forecaster) weigh(row Row, y int) {
	k := f.cells.Of(y)
	contexts := f.config.Contexts
	for v := int32(0); v >= 0; {
		left, child := f.tree.child(v, k)
		f.read(&row, v)
		r := &f.reading
		by := stepOf(left, r.p, r.variance)
		f.bias[v].move(1, by)
		own := f.own[int(v)*contexts:][:contexts]
		for e, x := range r.x {
			if x != 0 {
				f.trust[r.trust[e]].move(x, by)
				own[e].move(x, by)
			}
			f.hashed[r.hashed[e]].move(1, by)
		}
		v = child
	}
}

// count adds a row and its count to the evidence.
func (f *Forecaster) count(row Row, y int) {
	k := f.cells.Of(y)
	f.path = f.path[:0]
	for v := int32(0); v >= 0; {
		f.path = append(f.path, v)
		_, v = f.tree.child(v, k)
	}
	for i := len(f.path) - 1; i >= 0; i-- { // from the leaf up: in a full bucket the last evidence survives, and the root's matters most
		v := f.path[i]
		left, _ := f.tree.child(v, k)
		n := &f.nodes[v]
		n.seen = min(n.seen+1, maxAveraged)
		n.left += (left - n.left) / (n.seen + 1)
		for _, item := range row.Items {
			f.slots.add(atNode(item, v), left)
		}
	}
}
