package learn

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Network is what a model computes from embeddings: the parameters of a likelihood. It builds graphs, holds no state, and knows
// nothing of batches' padding, of losses or of sampling schemes. Packages tabular, dkf and ncf have one each.
type Network interface {
	// NumColumns is how many items an event has.
	NumColumns() int
	// Weights are the arrays of θ, in the order of [Pass].Weights.
	Weights() []Weight
	// Inputs are what the network reads of an event beside its items and its target.
	Inputs() []InputSpec
	// Outputs builds the graph of a pass.
	Outputs(p Pass) Outputs
	// Likelihood is the law of a target, given outputs.
	Likelihood() Likelihood
}

// Weight is an array of θ: a seed draws it uniformly from ±Limit, as PyTorch's layers start with 1/√fan-in.
type Weight struct {
	Name  string
	Dims  []int
	Limit float64
}

// InputSpec describes an [Input].
type InputSpec struct {
	Name  string
	DType dtypes.DType // Float32, Int32 or Uint32
	Dims  []int        // of one event; none is a single value
}

// size returns the values of an event.
func (s InputSpec) size() int {
	size := 1
	for _, d := range s.Dims {
		size *= d
	}
	return size
}

func (x Input) dtype() dtypes.DType {
	switch {
	case len(x.Integers) > 0:
		return dtypes.Int32
	case len(x.Bits) > 0:
		return dtypes.Uint32
	}
	return dtypes.Float32
}

// Outputs are what a network says of records.
type Outputs struct {
	// Parameters are those of the likelihood, [samples, runs·events·records, outputs], where Events of each record are
	// judged. Records lie within events, events within runs.
	Parameters *Node
	Events     int   // judged of each record; 0 is 1
	Targets    *Node // [runs·events·records] float32, the judged events'; not read by predictions
	Averaged   bool  // the objective is the mean over events, not their sum
	// Cost, [runs, records] in nats or nil, is what latent variables of the record's own add to the loss, such as the KL of the
	// deep Kalman filter.
	Cost *Node
}
