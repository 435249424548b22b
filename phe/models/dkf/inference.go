package dkf

import (
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
)

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
