package phe

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Gaussian is a diagonal Gaussian belief over the entries of a table. Mean and StdDev (σ, not log σ) are float32 and have equal
// shapes. A point estimate has a nil StdDev. FromLogStdDev and Tables.NormalPrior make Gaussians.
type Gaussian struct {
	Mean, StdDev *Node
	logStdDev    *Node
}

// minStdDev is added to exp(log σ), as in the authors' program, so no belief ever becomes a certainty.
const minStdDev = 1e-8

// FromLogStdDev returns the belief with σ = exp(log σ) + 1e-8. A nil logStdDev makes a point estimate.
func FromLogStdDev(mean, logStdDev *Node) Gaussian {
	if logStdDev == nil {
		return Gaussian{Mean: mean}
	}
	return Gaussian{Mean: mean, StdDev: AddScalar(Exp(logStdDev), minStdDev), logStdDev: logStdDev}
}

// normal returns N(mean, stdDev²) for every entry of a table shaped like another.
func normal(like *Node, mean, stdDev float64) Gaussian {
	fill := func(x float64) *Node { return FillScalar(like.Graph(), like.Shape(), x) }
	return Gaussian{Mean: fill(mean), StdDev: fill(stdDev), logStdDev: fill(math.Log(stdDev))}
}

// isPoint tells whether the entries are numbers, not beliefs.
func (q Gaussian) isPoint() bool { return q.StdDev == nil }

// sample returns Mean + StdDev·noise, the reparameterised sample (Sec. 3.3). noise is standard normal with the samples axis in
// front. A point estimate returns its mean with a samples axis of 1.
func (q Gaussian) sample(noise *Node) *Node {
	if q.isPoint() {
		return InsertAxes(q.Mean, 0)
	}
	return Add(InsertAxes(q.Mean, 0), Mul(InsertAxes(q.StdDev, 0), noise))
}

// draw samples every entry, [samples, …]. A point estimate has one sample and takes no noise.
func (q Gaussian) draw(noise Noise, use uint32, samples int) *Node {
	if q.isPoint() {
		return q.sample(nil)
	}
	dims := q.Mean.Shape().Dimensions
	return q.sample(noise.Normal(use, samples, dims[0], dims[1:]...))
}

// gather fetches rows before any sampling ("scheme two", Eq. 27). indices is int32 of any shape; the result adds the table's last axis.
func (q Gaussian) gather(indices *Node) Gaussian {
	at := InsertAxes(indices, -1)
	g := Gaussian{Mean: Gather(q.Mean, at)}
	if !q.isPoint() {
		g.StdDev = Gather(q.StdDev, at)
	}
	return g
}

// divergence returns KL(q‖p) in nats, summed over every entry: the second term of Eq. 2, and of Eq. 3 if p is the previous posterior. q and
// p are [rows, dim] float32, and the result is a scalar. It panics if shapes differ. It returns 0 for a point estimate.
//
// It works on the difference of log σ, so value and gradient are exactly 0 if q equals p. A fresh Adam would turn a rounding error into a
// full step, and move rows that no item of the chunk uses. The logarithms leave out the floor under σ (2e-4 of σ at log σ = −10).
func divergence(q, p Gaussian) *Node {
	if q.isPoint() {
		return ScalarZero(q.Mean.Graph(), dtypes.Float32)
	}
	return MulScalar(ReduceAllSum(twiceDivergence(q, p)), 0.5)
}

// twiceDivergence returns 2·KL(q‖p) of each entry.
func twiceDivergence(q, p Gaussian) *Node {
	p.Mean.AssertDims(q.Mean.Shape().Dimensions...)
	logRatio := MulScalar(Sub(q.logStdDev, p.logStdDev), 2)
	shift := Square(Div(Sub(q.Mean, p.Mean), p.StdDev))
	return Sub(Add(Exp(logRatio), shift), OnePlus(logRatio))
}
