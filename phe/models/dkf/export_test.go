package dkf

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Uses of a step's noise, for a reference that draws the same numbers.
const (
	NoisePosterior  = noisePosterior
	NoiseTransition = noiseTransition
	NoiseDropout    = noiseDropout
)

// Unroll runs a GRU of the given weights over x.
func Unroll(weights, bias, recurrent, recurrentBias, x *Node) *Node {
	return gru{linear{weights, bias}, linear{recurrent, recurrentBias}}.unroll(x)
}
