package phe

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Tables are the embedding module's beliefs (Sec. 3.2, Supp. E.3): E, [rows, dim], and W, [weight rows, hashes]. W's Mean is nil if
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

// Stack repeats the slots for each run, and points each copy to its run's rows of the stacked tables: [runs·items, hashes].
func (s Slots) Stack(runs int, tables Tables) Slots {
	perRun := func(table Gaussian) int { return table.Mean.Shape().Dimensions[0] / runs }
	stacked := Slots{Buckets: stackRows(s.Buckets, runs, perRun(tables.E))}
	if s.Weights != nil {
		stacked.Weights = stackRows(s.Weights, runs, perRun(tables.W))
	}
	return stacked
}

// stackRows repeats x, [n, …] int32, once for each run, and adds run·offset: [runs·n, …].
func stackRows(x *Node, runs, offset int) *Node {
	if runs == 1 {
		return x
	}
	dims := append([]int{runs}, x.Shape().Dimensions...)
	ones := make([]int, len(dims))
	for i := range ones {
		ones[i] = 1
	}
	ones[0] = runs
	start := Reshape(MulScalar(Iota(x.Graph(), shapes.Make(dtypes.Int32, runs), 0), offset), ones...)
	stacked := Add(BroadcastToDims(InsertAxes(x, 0), dims...), BroadcastToDims(start, dims...))
	return Reshape(stacked, append([]int{runs * dims[1]}, dims[2:]...)...)
}
