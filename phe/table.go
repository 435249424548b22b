package phe

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Tables are the embedding module's beliefs (Sec. 3.2, Supp. G.3): E, [rows, dim], and W, [weight rows, hashes]. W's Mean is nil if
// the assembly has no weights. Several runs are stacked run by run.
type Tables struct {
	E, W Gaussian
}

// KL returns the divergence of both tables from their priors in nats (Eqs. 2, 3).
func (t Tables) KL(prior Tables) *Node {
	kl := divergence(t.E, prior.E)
	if t.W.Mean != nil {
		kl = Add(kl, divergence(t.W, prior.W))
	}
	return kl
}

// KLOfRuns returns the divergence of each run's tables from their priors in nats, [runs]: the terms whose sum is [Tables.KL].
func (t Tables) KLOfRuns(prior Tables, runs int) *Node {
	kl := Zeros(t.E.Mean.Graph(), shapes.Make(dtypes.Float32, runs))
	for _, of := range [][2]Gaussian{{t.E, prior.E}, {t.W, prior.W}} {
		if q, p := of[0], of[1]; q.Mean != nil && !q.isPoint() {
			kl = Add(kl, MulScalar(ReduceSum(Reshape(twiceDivergence(q, p), runs, -1), 1), 0.5))
		}
	}
	return kl
}

// StandardPrior returns N(0, 1) for every entry of both tables: the prior before any data (Sec. 3.3).
func (t Tables) StandardPrior() Tables {
	prior := Tables{E: standardNormal(t.E.Mean)}
	if t.W.Mean != nil {
		prior.W = standardNormal(t.W.Mean)
	}
	return prior
}

// Slots holds the table rows of items as nodes. [Encoder.Items] finds the rows on the host.
type Slots struct {
	Buckets *Node // [items, hashes] int32, rows of E
	Weights *Node // [items] int32, rows of W; nil if there is no W
}
