package dkf

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"gophe/phe"
	"gophe/phe/online"
)

// Uses of a step's noise, for a reference that draws the same numbers.
const (
	NoisePosterior  = noisePosterior
	NoiseTransition = noiseTransition
	NoiseDropout    = noiseDropout
)

// NewNetwork is the filter's graph, and the data as it reads it, without a learner around.
func NewNetwork(c Config, d Data) (online.Network, []*tensors.Tensor, error) {
	encoder, err := phe.NewEncoder(c.Encoder)
	if err != nil {
		return nil, nil, err
	}
	data, err := d.upload(c, encoder)
	return network{c, encoder, len(d.Items), d.Maxima}, data, err
}

// Unroll runs a GRU of the given weights over x.
func Unroll(weights, bias, recurrent, recurrentBias, x *Node) *Node {
	return gru{linear{weights, bias}, linear{recurrent, recurrentBias}}.unroll(x)
}
