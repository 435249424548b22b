package dkf

import (
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
)

// gaussian is a diagonal Gaussian over z, [runs, …, latent]. The KL of a phe.Gaussian is a single number, and this one has a KL for
// each event.
type gaussian struct{ mean, logStdDev *Node }

func (g gaussian) sample(noise *Node) *Node { return Add(g.mean, Mul(Exp(g.logStdDev), noise)) }

// at returns the Gaussian of event i.
func (g gaussian) at(i int) gaussian {
	return gaussian{positions(g.mean, i, i+1), positions(g.logStdDev, i, i+1)}
}

// repeat repeats each row for several samples.
func (g gaussian) repeat(times int) gaussian {
	return gaussian{repeatRows(g.mean, times), repeatRows(g.logStdDev, times)}
}

// divergence returns KL(q ‖ p) in nats, summed over the dimensions of z: [runs, …].
func (q gaussian) divergence(p gaussian) *Node {
	logRatio := MulScalar(Sub(q.logStdDev, p.logStdDev), 2)
	shift := Square(Div(Sub(q.mean, p.mean), Exp(p.logStdDev)))
	return MulScalar(ReduceSum(Sub(Add(Exp(logRatio), shift), OnePlus(logRatio)), -1), 0.5)
}

func (m *Model) halves(x *Node) gaussian {
	half := func(i int) *Node { return Slice(x, AxisRange().Spacer(), AxisRange(i*m.Latent, (i+1)*m.Latent)) }
	return gaussian{half(0), half(1)}
}

// transition returns p(z_i | z_{i−1}, Δ_i). z and gaps are [runs, events, samples·rows, …].
func (m *Model) transition(l layers, z, gaps *Node) gaussian {
	x := z
	if m.Filter.Transition == WithGap {
		x = Concatenate([]*Node{z, gaps}, -1)
	}
	p := m.halves(l.transition.apply(x))
	if m.Filter.TransitionHidden > 0 {
		p.mean = Add(z, p.mean)
	}
	return p
}

// divergence returns the KL of q from the transition, [runs, length, samples·rows] (Eq. 16's second term, with one sample of
// z_{i−1}). The prior of the first event is N(0, 1).
func (m *Model) divergence(l layers, w windows, q gaussian, z *Node) *Node {
	later := m.transition(l, positions(z, 0, m.Length-1), positions(w.gaps, 1, m.Length))
	zero := ZerosLike(positions(z, 0, 1))
	p := gaussian{Concatenate([]*Node{zero, later.mean}, 1), Concatenate([]*Node{zero, later.logStdDev}, 1)}
	return q.divergence(p)
}

// posterior returns q_φ(z_i | history) of the events of w (Sec. 4.3), [runs, length, samples·rows, latent].
func (m *Model) posterior(l layers, w windows) gaussian {
	x := Concatenate([]*Node{w.embeddings, w.numbers, w.seen, w.gaps}, -1)
	return m.halves(l.posterior.apply(l.gru.unroll(x)))
}

// normals returns standard normal noise in the shape of z.
func (m *Model) normals(noise phe.Noise, use uint32, like *Node) *Node {
	d := like.Shape().Dimensions
	return Reshape(noise.Normal(use, 1, d[0]*d[1]*d[2], d[3]), d...)
}
