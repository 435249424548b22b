package learn

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/learn/likelihood"
)

// Network describes the computation of a model: from embeddings to the parameters of a likelihood. It holds no state. It does not see
// padding, losses or sampling schemes. The models of packages tabular, dkf and ncf have one network each.
type Network struct {
	Columns int         // number of items of an event, where Bag is 0
	Bag     int         // if above 0, the largest number of items of a column of an event: for batches of [NewBags]
	Weights []Weight    // the arrays of θ, in the order of [Pass].Weights
	Inputs  []InputSpec // further inputs of an event, without its items and its target
	// Outputs builds the graph of a pass.
	Outputs    func(p Pass) Outputs
	Likelihood likelihood.Distribution // of a target, given the outputs
	// Identity holds the sizes and settings by which a file tells this network from others. It must be fit for JSON.
	Identity any
}

// cells returns the number of places for items of an event.
func (n Network) cells() int { return n.Columns * max(1, n.Bag) }

// Weight describes an array of θ. A seed draws its numbers uniformly from ±Limit. PyTorch's layers take 1/√fan-in.
type Weight struct {
	Name  string
	Dims  []int
	Limit float64
}

// InputSpec describes an [Input].
type InputSpec struct {
	Name  string
	DType dtypes.DType // Float32, Int32 or Uint32
	Dims  []int        // shape for one event; empty means a single value
}

// size returns the number of values for one event.
func (s InputSpec) size() int { return product(s.Dims) }

func product(dims []int) int {
	size := 1
	for _, d := range dims {
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

// Outputs are the results of a network for records.
type Outputs struct {
	// Parameters are the likelihood's parameters, [samples, runs·events·records, outputs]. Each record has Events judged
	// events. The axis holds run after run, in a run event after event, and in an event record after record.
	Parameters *Node
	Events     int   // judged events of each record; 0 means 1
	Targets    *Node // [runs·events·records] float32, targets of the judged events; predictions do not read them
	Averaged   bool  // the objective is the mean over events, not their sum
	// Cost is added to the loss, [runs, records] in nats, or nil. Latent variables of a record have such a cost, for example the KL in the
	// deep Kalman filter.
	Cost *Node
}

// Pass is one training step or one prediction, as a network sees it. Several seeds ("runs") train side by side in one program, and
// every array has an axis of runs.
type Pass struct {
	Weights  []*Node          // θ, each [runs, …]
	Index    *Node            // items for Embed: [runs, records, columns] int32, or [runs, records, length, columns]
	Inputs   map[string]*Node // [runs, records, …] or [runs, records, length, …], by name
	Targets  *Node            // [runs, records] or [runs, records, length] float32
	Samples  int              // number of samples of the posterior that Embed draws
	Training bool
	// Noise is for draws of the network's own. It takes uses from 20 on, and Embed the smaller ones. A network that embeds twice moves
	// the noise on by [phe.Noise.At].
	Noise phe.Noise

	Runs, Records int
	Items         int // number of items of one run; the last of them are the common items

	model   graph
	tables  phe.Tables
	slots   phe.Slots // of the items, stacked run by run
	columns *Node     // [runs·items] int32
	masked  bool      // only the incremental column learns
}

// OwnItems maps numbers of items to each run's own copy of the items, which Embed reads. index is [runs·n, columns] int32, with the
// rows of one run after another. [Pass].Index is mapped already.
func (p Pass) OwnItems(index *Node) *Node {
	if p.Runs == 1 {
		return index
	}
	run := Div(Iota(index.Graph(), index.Shape(), 0), Const(index.Graph(), int32(index.Shape().Dimensions[0]/p.Runs)))
	return Add(index, MulScalar(run, p.Items))
}

// Embed draws embeddings of the items in index, [n, columns] int32. The result is [samples, n, columns, dim] float32. A point
// estimate has one sample. If only the incremental column learns, no gradient flows through the other columns.
func (p Pass) Embed(index *Node) *Node {
	embeddings := p.model.encoder.Embed(p.tables, p.slots, index, p.model.Config.Scheme, p.Samples, p.Noise)
	if p.masked {
		embeddings = onlyColumn(embeddings, p.model.Config.Incremental, max(1, p.model.network.Bag))
	}
	return embeddings
}

// Embedded draws embeddings of all columns, [samples, n, columns, dim], where n counts all records, or all events of sequences. A bag has
// the sum of its items' embeddings, each times its share.
func (p Pass) Embedded() *Node {
	embeddings := p.Embed(Reshape(p.Index, -1, p.model.network.cells()))
	if d := embeddings.Shape().Dimensions; p.model.network.Bag > 0 {
		shares := Reshape(p.Inputs[Shares], 1, d[1], p.model.network.Columns, p.model.network.Bag, 1)
		embeddings = ReduceSum(Mul(Reshape(embeddings, d[0], d[1], p.model.network.Columns, p.model.network.Bag, d[3]), shares), 3)
	}
	return embeddings
}

// Linear returns head·embeddings + base for records of one event, [samples, runs·records, outputs]. head is [runs, columns, dim,
// outputs], and base is [runs, records, outputs]. The scheme integrates a single output without drawing embeddings. Networks that
// need embeddings as well cannot use [phe.Moments] and [phe.Quadrature].
func (p Pass) Linear(head, base *Node) *Node {
	dims := head.Shape().Dimensions
	columns, dim, outputs := dims[1], dims[2], dims[3]
	encoder := p.model.encoder.Config
	linearInE := p.model.Config.Scheme.NeedsLinearAssembly() || encoder.Estimate == phe.Point && encoder.Assembly.IsLinear()
	if outputs == 1 && p.model.network.Bag == 0 && linearInE {
		var trained *Node
		if p.masked {
			trained = InsertAxes(Equal(p.columns, Const(p.columns.Graph(), int32(p.model.Config.Incremental))), -1)
		}
		index := Reshape(p.Index, p.Runs*p.Records, columns)
		logits := p.model.encoder.Linear(p.tables, p.slots, p.columns, Squeeze(head, -1), trained)
		return InsertAxes(logits(index, Reshape(base, -1), p.model.Config.Scheme, p.Samples, p.Noise), -1)
	}
	embeddings := p.Embedded()
	samples := embeddings.Shape().Dimensions[0]
	byRun := Reshape(embeddings, samples, p.Runs, p.Records, columns, dim)
	linear := Add(Einsum("srncd,rcdo->srno", byRun, head), InsertAxes(base, 0))
	return Reshape(linear, samples, p.Runs*p.Records, outputs)
}

// onlyColumn stops the gradient of embeddings, [samples, batch, columns·bag, dim], in all columns except one.
func onlyColumn(embeddings *Node, column, bag int) *Node {
	dims := embeddings.Shape().Dimensions
	selected := make([]bool, dims[2])
	for k := range bag {
		selected[column*bag+k] = true
	}
	mask := Reshape(Const(embeddings.Graph(), selected), 1, 1, dims[2], 1)
	return Where(BroadcastToShape(mask, embeddings.Shape()), embeddings, StopGradient(embeddings))
}
