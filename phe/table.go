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
func (t Tables) StandardPrior() Tables { return t.NormalPrior(0, 1) }

// NormalPrior returns N(mean, stdDev²) for every entry of both tables.
func (t Tables) NormalPrior(mean, stdDev float64) Tables {
	prior := Tables{E: normal(t.E.Mean, mean, stdDev)}
	if t.W.Mean != nil {
		prior.W = normal(t.W.Mean, mean, stdDev)
	}
	return prior
}

// Prior is the belief about both tables before any data, p(E) of Sec. 3.3. After that, each posterior is the next prior. The zero value is
// N(0, 1). JSON holds its name, so a program that reads a file with a prior of [NewPrior] gives the value of that name.
type Prior struct{ byName[func(Tables) Tables] }

// NewPrior returns a prior of yours, such as func(q phe.Tables) phe.Tables { return q.NormalPrior(0, 0.3) }: a Gaussian for each entry of
// the tables q, in their shapes. Table W has N(0, 1) if it is left out. Several runs are stacked run by run. If it reads the values of q,
// the gradient flows through the prior too.
func NewPrior(name string, of func(posterior Tables) Tables) Prior {
	return Prior{byName[func(Tables) Tables]{name, &of}}
}

// Of returns the prior of tables.
func (p Prior) Of(posterior Tables) Tables {
	t := posterior.StandardPrior()
	if p.own == nil {
		return t
	}
	own := (*p.own)(posterior)
	t.E, t.E.logStdDev = own.E, Log(own.E.StdDev)
	if own.W.Mean != nil {
		t.W, t.W.logStdDev = own.W, Log(own.W.StdDev)
	}
	return t
}

// Slots holds the table rows of items as nodes. [Encoder.Items] finds the rows on the host.
type Slots struct {
	Buckets *Node // [items, hashes] int32, rows of E
	Weights *Node // [items] int32, rows of W; nil if there is no W
}
