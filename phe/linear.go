package phe

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/integrate/quad"
)

// linearItems holds each item's terms of the logit of a linear head, one for each hash. All arrays are [items, hashes] float32.
//
// Under scheme two the noise of E is independent in every slot. For head weights v, the product v·E[h] is then Gaussian with mean
// v·μ and variance v²·σ². The weight W[w, k] is Gaussian too.
type linearItems struct {
	mean, variance             *Node // moments of v·E[h_k(s)]
	weightMean, weightVariance *Node // moments of W[w(s), k]; nil if there is no W
	scale                      float64
	assembly                   Assembly
}

// Linear projects the tables on a linear head, and returns the function of a batch's logits, [samples, batch], under schemes Local, Moments
// or Quadrature. head is [runs, columns, dim], slots are stacked ([runs·items, …]), and columns is [runs·items] int32: each item's column.
// trained is nil or [runs·items, 1] bool. No gradient flows through untrained items (only the incremental column learns online, Sec. 4.2).
//
// The function's index is [batch, columns] int32 into the items, and its base [batch] is the sum of all other terms. A point estimate has
// one sample. Quadrature has one sample for each node; weigh them by [Scheme.SampleWeights].
func (e *Encoder) Linear(tables Tables, slots Slots, columns, head, trained *Node) (
	logits func(index, base *Node, scheme Scheme, samples int, noise Noise) *Node) {
	dims := head.Shape().Dimensions
	runs, numColumns, dim := dims[0], dims[1], dims[2]
	perRun := tables.E.Mean.Shape().Dimensions[0] / runs // rows of the whole table, or of an excerpt
	tables.E.Mean.AssertDims(runs*perRun, dim)
	at := Add(MulScalar(slots.Buckets, numColumns), InsertAxes(columns, -1))
	project := func(table, weights *Node) *Node {
		byRun := Reshape(table, runs, perRun, dim)
		flat := Reshape(Einsum("rbd,rcd->rbc", byRun, weights), -1)
		return Gather(flat, InsertAxes(at, -1))
	}
	stop := func(x *Node) *Node {
		if trained == nil || x == nil {
			return x
		}
		return Where(BroadcastToShape(trained, x.Shape()), x, StopGradient(x))
	}
	items := linearItems{mean: stop(project(tables.E.Mean, head)), scale: 1, assembly: e.Assembly}
	if e.Assembly == Average {
		items.scale = 1 / float64(e.NumHashes)
	}
	if !tables.E.isPoint() {
		items.variance = stop(project(Square(tables.E.StdDev), Square(head)))
	}
	if slots.Weights != nil {
		w := tables.W.gather(slots.Weights)
		items.weightMean = stop(w.Mean)
		if !w.isPoint() {
			items.weightVariance = stop(Square(w.StdDev))
		}
	}
	if e.Assembly.own != nil && items.weightVariance == nil { // its coefficients are numbers
		a := e.Assembly.coefficients(items.weightMean, head.Graph(), items.mean.Shape().Dimensions)
		items.mean, items.weightMean = Mul(items.mean, a), nil
		if items.variance != nil {
			items.variance = Mul(items.variance, Square(a))
		}
	}
	return items.logits
}

// moments returns the mean and variance, [items], of each item's term, with W integrated out:
//
//	E[Σ w·e] = Σ w̄·ē and Var[Σ w·e] = Σ (w̄² + s²)·σ² + s²·ē².
func (l linearItems) moments() (mean, variance *Node) {
	m, v := l.mean, l.variance
	if l.weightMean != nil {
		m = Mul(l.mean, l.weightMean)
		if v != nil {
			v = Add(Mul(Add(Square(l.weightMean), l.weightVariance), v), Mul(l.weightVariance, Square(l.mean)))
		}
	}
	mean = MulScalar(ReduceSum(m, -1), l.scale)
	if v != nil {
		variance = MulScalar(ReduceSum(v, -1), l.scale*l.scale)
	}
	return
}

// minLogitVariance keeps the gradient of the square root finite for a belief that is nearly certain.
const minLogitVariance = 1e-16

// quadratureNodes is the number of Gauss–Hermite nodes of scheme Quadrature.
const quadratureNodes = 20

// logits returns the logits of a batch, as [Encoder.Linear] says.
func (l linearItems) logits(index, base *Node, scheme Scheme, samples int, noise Noise) *Node {
	if l.variance == nil {
		mean, _ := l.moments()
		return InsertAxes(Add(ReduceSum(Gather(mean, InsertAxes(index, -1)), -1), base), 0)
	}
	batch := base.Shape().Dimensions[0]
	if scheme == Local && l.weightVariance != nil {
		mean, variance := l.givenWeights(index, samples, noise)
		return Add(Add(mean, deviate(variance, noise.Normal(noiseLogit, samples, batch))), InsertAxes(base, 0))
	}
	mean, variance := l.moments()
	both := Gather(Stack([]*Node{mean, variance}, -1), InsertAxes(index, -1)) // [batch, columns, 2]
	both = ReduceSum(both, 1)
	mean = Add(Squeeze(Slice(both, AxisRange(), AxisElem(0)), -1), base)
	variance = InsertAxes(Squeeze(Slice(both, AxisRange(), AxisElem(1)), -1), 0)
	if scheme == Quadrature {
		nodes, _ := hermite()
		return Add(InsertAxes(mean, 0), deviate(variance, InsertAxes(Const(base.Graph(), nodes), -1)))
	}
	return Add(InsertAxes(mean, 0), deviate(variance, noise.Normal(noiseLogit, samples, batch)))
}

// givenWeights samples W for every row and slot. It returns the exact mean and variance of the logit given W, [samples, batch].
func (l linearItems) givenWeights(index *Node, samples int, noise Noise) (mean, variance *Node) {
	table := Stack([]*Node{l.weightMean, Sqrt(l.weightVariance), l.mean, l.variance}, 1) // [items, 4, hashes]
	slots := Gather(table, InsertAxes(index, -1))                                        // [batch, columns, 4, hashes]
	dims := slots.Shape().Dimensions
	part := func(i int) *Node {
		return InsertAxes(Squeeze(Slice(slots, AxisRange(), AxisRange(), AxisElem(i)), 2), 0)
	}
	w := Add(part(0), Mul(part(1), noise.Normal(noiseW, samples, dims[0], dims[1], dims[3])))
	if l.assembly.own != nil {
		w = l.assembly.coefficients(w, w.Graph(), w.Shape().Dimensions)
	}
	mean = ReduceSum(Mul(w, part(2)), -1, -2)
	variance = ReduceSum(Mul(Square(w), part(3)), -1, -2)
	return MulScalar(mean, l.scale), MulScalar(variance, l.scale*l.scale)
}

// deviate scales standard normals to the given variance.
func deviate(variance, noise *Node) *Node {
	return Mul(Sqrt(AddScalar(variance, minLogitVariance)), noise)
}

// SampleWeights returns the weights of a scheme's samples, which add up to 1; nil means equal weights.
func (s Scheme) SampleWeights() []float64 {
	if s != Quadrature {
		return nil
	}
	_, weights := hermite()
	return weights
}

// hermite returns the nodes and weights of Gauss–Hermite quadrature for E[f(x)], x ~ N(0, 1).
func hermite() (nodes []float32, weights []float64) {
	x, w := make([]float64, quadratureNodes), make([]float64, quadratureNodes)
	quad.Hermite{}.FixedLocations(x, w, math.Inf(-1), math.Inf(1))
	for i := range x {
		nodes = append(nodes, float32(math.Sqrt2*x[i]))
		weights = append(weights, w[i]/math.SqrtPi) // gonum's weights are for ∫ e^{−x²} f(x) dx
	}
	return
}
